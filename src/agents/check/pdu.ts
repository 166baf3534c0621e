import { openOutlet } from "../../redfish/open.ts";
import type { OutletClient } from "../../redfish/pdu.ts";
import type { Machine, Pdu } from "../../site/site.ts";
import { outletAnswer_ms } from "../hands/times.ts";
import { checkReach, failedCall, timed, trustFinding } from "./bmc.ts";
import type { CheckContext } from "./context.ts";
import { type Finding, told } from "./finding.ts";

/** One turn of the race to fence, as the machines count it. */
export type TurnLength = () => Promise<number>;

/** The outlets that feed a machine, each by itself, or what it means that the site has none. */
export async function checkPdus(
  machine: Machine,
  context: CheckContext,
  turn: TurnLength,
): Promise<readonly Finding[]> {
  const { name: subject, pdus } = machine;
  if (pdus.length === 0)
    return [
      {
        subject,
        check: "power feed",
        mark: "note",
        detail: "no PDU: if machine and BMC lose power together, nothing can prove Off",
        fix: "a person must then see to it that it is off; a `pdu:` with the machine's outlet is the second way to prove it",
      },
    ];
  const answer_ms_max = async () => outletAnswer_ms(context.site, await turn(), pdus.length);
  const findings = await Promise.all(
    pdus.map((pdu, index) => checkOutlet(machine, pdu, index, context, answer_ms_max)),
  );
  const stock: Finding = {
    subject,
    check: "PDU fencing",
    mark: "note",
    detail: "the outlet answers, but `agent: fence_redfish` fences by the BMC alone",
    fix: "leave `agent` out of `fencing:`: duet's own agent uses the outlet too",
  };
  const all = findings.flat();
  const unused = context.site.fencing.agent === "fence_redfish" && all.every(({ mark }) => mark !== "fail");
  return [...all, ...(unused ? [stock] : [])];
}

async function checkOutlet(
  { name: subject, pdus }: Machine,
  pdu: Pdu,
  index: number,
  { site, folder }: CheckContext,
  answer_ms_max: () => Promise<number>,
): Promise<readonly Finding[]> {
  const several = pdus.length > 1;
  const service = several ? (`PDU ${index + 1}` as const) : "PDU";
  const reach = await checkReach(subject, `${service} reachable`, pdu, site.timeouts.bmc_call_ms);
  if (reach.mark === "fail") return [reach];
  const client = await openOutlet(pdu, folder, site.timeouts.bmc_call_ms).catch(
    told(subject, `${service} login`),
  );
  if ("subject" in client) return [reach, client];
  const { result, ms } = await timed(() => client.powerState());
  if (!result.ok) return [reach, ...failedCall(subject, service, pdu, result.failure)];
  const most_ms = await answer_ms_max();
  const slow = await slowness(subject, `${service} time`, client, ms, most_ms);
  const base = { subject, check: `${service} outlet`, ms, margin_ms: most_ms - ms };
  const whole = several ? `that the ${pdus.length} of them feed` : "that it feeds";
  const outlet: Finding =
    result.value === "On"
      ? {
          ...base,
          mark: "ok",
          detail: `${pdu.outlet} is On; ${whole} the whole machine, all its supplies, nobody but you can see`,
        }
      : {
          ...base,
          mark: "warn",
          detail: `${pdu.outlet} is ${result.value}`,
          fix: several
            ? "is this an outlet that feeds the machine? One that a fence left off is to be switched on again: the machine has one supply less"
            : "is this the outlet that feeds the machine? A machine at work has power",
        };
  return [reach, trustFinding(subject, `${service} certificate`, pdu), outlet, ...slow];
}

const again = 2;
const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

/** The command to switch it has to be answered in time as well. One slow answer may be a busy computer's here: it is asked again. */
async function slowness(
  subject: string,
  check: string,
  client: OutletClient,
  first_ms: number,
  most_ms: number,
): Promise<readonly Finding[]> {
  let best_ms = first_ms;
  for (let tries = 0; tries < again && best_ms > most_ms; tries++) {
    const { result, ms } = await timed(() => client.powerState());
    if (result.ok) best_ms = Math.min(best_ms, ms);
  }
  if (best_ms <= most_ms) return [];
  return [
    {
      subject,
      check,
      mark: "fail",
      code: "DUET-E-PDU-SLOW",
      detail: `the quickest of ${again + 1} answers took ${seconds(best_ms)}, and a fence has ${seconds(most_ms)} for it`,
      fix: "see to its network and its load; a PDU that stays slow does not switch the machine off in time",
    },
  ];
}
