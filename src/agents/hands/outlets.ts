import { failed, type OffSwitch, type Outcome, success } from "../../act/effects.ts";
import { now_ms } from "../../machine/clock.ts";
import type { Purpose } from "../../machine/refusals.ts";
import { late } from "../../redfish/client.ts";
import type { Result } from "../../redfish/failure.ts";
import type { OutletClient } from "../../redfish/pdu.ts";
import type { Machine, Pdu } from "../../site/site.ts";
import { attempt } from "./outcome.ts";
import { memoryOf } from "./outlet-memory.ts";
import { commanded, notSent, told, type Ways, waits } from "./ways.ts";

const nameOf = (ways: Ways, at: OffSwitch): string =>
  at === "outlet" ? `the outlet of ${ways.theirs.name}` : `${at} of ${ways.theirs.name}`;

interface Outlet {
  readonly at: OffSwitch;
  readonly pdu: Pdu;
}

/** In the order of the site file, in which they are switched. */
const outletsOf = ({ pdus }: Machine): readonly Outlet[] =>
  pdus.map((pdu, index) => ({ pdu, at: pdus.length === 1 ? "outlet" : `outlet ${index + 1}` }));

export const outletSwitches = (machine: Machine): readonly OffSwitch[] =>
  outletsOf(machine).map(({ at }) => at);

/** One call to one outlet, as a value. What became of it is remembered. */
async function ask<T>(
  ways: Ways,
  { at, pdu }: Outlet,
  deadline_ms: number,
  waitsAfter: number,
  call: (client: OutletClient) => Promise<Result<T>>,
  purpose?: Purpose,
): Promise<Outcome<T>> {
  return await attempt(async (): Promise<Outcome<T>> => {
    const client = await ways.outlet(pdu, deadline_ms, waitsAfter, purpose);
    const result = await call(client);
    memoryOf(ways).note(pdu, result.ok, client.found);
    return result.ok ? success(result.value) : told(ways, result.failure, nameOf(ways, at), deadline_ms);
  });
}

export interface OutletsRead {
  /**
   * `off` only where every one of them was read Off; `fed`: all tell, and one is on. With one silent the peer can't be switched off by
   * them, and somebody has to know that.
   */
  readonly power: "off" | "fed" | "unreadable";
  /** Of each that is not off, for the operator. */
  readonly said: readonly string[];
}

/** All at once. None at all is `unreadable`. */
export async function readOutlets(ways: Ways, deadline_ms: number): Promise<OutletsRead> {
  const outlets = outletsOf(ways.theirs);
  const states = await Promise.all(
    outlets.map((outlet) => ask(ways, outlet, deadline_ms, waits.look, (client) => client.powerState())),
  );
  const said = states.flatMap((state, index) => {
    if (!state.ok) return [state.failure.said];
    return state.value === "Off" ? [] : [`its ${outlets[index]?.at ?? "outlet"} is on`];
  });
  const told = states.flatMap((state) => (state.ok ? [state.value] : []));
  if (states.length === 0 || told.length < states.length) return { power: "unreadable", said };
  return { power: told.every((power) => power === "Off") ? "off" : "fed", said };
}

/** Why each that tells nothing does not. */
export async function silentOutlets(ways: Ways, deadline_ms: number): Promise<readonly string[]> {
  const states = await Promise.all(
    outletsOf(ways.theirs).map((outlet) =>
      ask(ways, outlet, deadline_ms, waits.need, (client) => client.powerState()),
    ),
  );
  return states.flatMap((state) => (state.ok ? [] : [state.failure.said]));
}

/**
 * One of them. By what it is switched is known from before, so that its command goes out at once, however slow it is. Where others come
 * after it, all of them must have answered when they were last asked, or do so in the little time that there is: with one of them silent
 * nothing can be proven, and the peer would only lose a supply. Then this one is not switched either.
 */
export async function commandOutletOff(
  ways: Ways,
  at: OffSwitch,
  early_ms: number,
  deadline_ms: number,
): Promise<Outcome> {
  const latest_ms = now_ms() + early_ms;
  const outlets = outletsOf(ways.theirs);
  const index = outlets.findIndex((outlet) => outlet.at === at);
  const own = outlets[index];
  if (own === undefined) return failed("refused", `${ways.theirs.name} has no ${at} in the site file`);
  const client = await ways.outlet(own.pdu, deadline_ms, waits.command, "command");
  const memory = memoryOf(ways);
  const left = outlets.slice(index);
  const unheard = left.length === 1 ? [] : left.filter(({ pdu }) => !memory.answers(pdu));
  const looks = await Promise.all(
    unheard.map((outlet) => ask(ways, outlet, early_ms, waits.command, (c) => c.target(), "command")),
  );
  for (const [nth, look] of looks.entries()) {
    if (look.ok) continue;
    const { kind, said } = look.failure;
    return notSent(failed(kind, unheard[nth] === own ? said : `${said}; ${at} was not switched either`));
  }
  const known = memory.target(own.pdu);
  const taken = await client.power("Off", { known, inTime: () => now_ms() <= latest_ms });
  const where = nameOf(ways, at);
  if (taken === late) return failed("unreachable", `${where}: it answers too late to be switched now`);
  return commanded(ways, taken, where, deadline_ms, "outlet");
}

/** One after the other. One that does not follow holds up nobody: the peer runs on the others. */
export async function switchOutletsOn(ways: Ways, deadline_ms: number): Promise<void> {
  const outlets = outletsOf(ways.theirs);
  const each_ms = deadline_ms / outlets.length;
  for (const outlet of outlets) {
    const known = memoryOf(ways).target(outlet.pdu);
    await ask(ways, outlet, each_ms, waits.command, (client) => client.power("On", { known }), "command");
  }
}
