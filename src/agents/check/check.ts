import type { Machine } from "../../site/site.ts";
import { pairTurn_ms } from "../hands/times.ts";
import { checkAlerts } from "./alerts.ts";
import { checkBmc } from "./bmc.ts";
import { between, judgeClock, type Offset } from "./clock.ts";
import type { CheckContext } from "./context.ts";
import { judgeEtcds } from "./etcd.ts";
import { judgeFencing } from "./fencing.ts";
import type { Finding } from "./finding.ts";
import { checkSshKeys } from "./keys.ts";
import { checkMachine } from "./machine.ts";
import { checkPdus } from "./pdu.ts";
import { checkSite } from "./site.ts";
import { judgeWitness } from "./witness.ts";

/** Tests the world behind a site file, everything at once; each part has its own deadlines. Changes nothing. */
export async function checkWorld(
  context: CheckContext,
  say: (detail: string) => void = () => undefined,
): Promise<readonly Finding[]> {
  const track = tracker(say);
  const [keys, alerts, ...machines] = await Promise.all([
    checkSshKeys(context).then((findings) => ({ findings, name: "site" })),
    checkAlerts(context),
    ...context.site.machines.map((machine) => checkAllOf(machine, context, track)),
  ]);
  return [
    ...checkSite(context.site),
    ...keys.findings,
    ...alerts,
    ...machines.flatMap((machine) => machine.findings),
    ...clocksBetween(machines),
    ...judgeEtcds(machines),
    ...judgeFencing(context.site, machines),
    ...judgeWitness(context.site, machines),
  ];
}

async function checkAllOf(machine: Machine, context: CheckContext, track: Track) {
  const { name } = machine;
  const asked = checkMachine(machine, context);
  const turn = async () => (await asked).fencing?.turn_ms ?? pairTurn_ms(context.site, new Map());
  const [bmc, pdu, itself] = await Promise.all([
    track(`${name}'s BMC`, checkBmc(machine, context)),
    track(`${name}'s PDU`, checkPdus(machine, context, turn)),
    track(name, asked),
  ]);
  const { offset, fencing, witness, says, etcd } = itself;
  return { name, offset, fencing, witness, says, etcd, findings: [...bmc, ...pdu, ...itself.findings] };
}

type Track = <T>(name: string, work: Promise<T>) => Promise<T>;

/** Says what is still waited for each time that something is done. */
function tracker(say: (detail: string) => void): Track {
  const waiting = new Set<string>();
  return async (name, work) => {
    waiting.add(name);
    try {
      return await work;
    } finally {
      waiting.delete(name);
      say(waiting.size === 0 ? "" : `waiting for ${[...waiting].join(", ")}`);
    }
  };
}

/** The machines' clocks against each other: ours may be the wrong one. */
function clocksBetween(
  machines: readonly { readonly name: string; readonly offset: Offset | undefined }[],
): readonly Finding[] {
  const [first, second] = machines;
  if (first?.offset === undefined || second?.offset === undefined) return [];
  return [judgeClock("site", `clock of ${second.name}`, first.name, between(second.offset, first.offset))];
}
