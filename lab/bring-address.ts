import { apiResource } from "../src/base/paths.ts";
import { sleep, until } from "../src/machine/clock.ts";
import type { MachineName } from "../src/scenario/slots.ts";
import { holders } from "./address-watch.ts";
import type { Lab } from "./folder.ts";
import { passing, runIn } from "./run.ts";

const bring_ms_max = 90_000;
/** A stop on one machine and a start on the other take Pacemaker a second or two. */
const move_ms_max = 20_000;
/** It follows an API server that answers: one that does not would have sent it back by then. */
const stay_ms = 1_500;

/** What can be done about the address; each as a person on the machine would. */
export interface AddressHands {
  readonly isThere: () => Promise<boolean>;
  /** Pacemaker is told to prefer this machine. False: it did not take it. */
  readonly prefer: () => Promise<boolean>;
  /** And to forget that: what is left is where the address happens to be, as at any other time. */
  readonly forget: () => Promise<boolean>;
}

export interface AddressTimes {
  readonly bring_ms: number;
  readonly move_ms: number;
  readonly stay_ms: number;
  readonly every_ms: number;
}

/** The address is on this machine alone, by nothing but its own stickiness: a loss of the machine has to move it. */
export async function bringAddress(lab: Lab, machine: MachineName): Promise<void> {
  const times = { bring_ms: bring_ms_max, move_ms: move_ms_max, stay_ms, every_ms: 200 };
  await bring(handsAt(lab, machine), machine, times);
}

export async function bring(hands: AddressHands, machine: string, times: AddressTimes): Promise<void> {
  const { bring_ms, move_ms, every_ms } = times;
  await until(
    `the API's address stays on ${machine}`,
    async () => {
      const led =
        (await hands.isThere()) || ((await hands.prefer()) && (await soon(hands.isThere, move_ms, every_ms)));
      // Also what an earlier try has left: a preference would draw it back to a machine that returns.
      if (!(await hands.forget()) || !led) return false;
      await sleep(times.stay_ms);
      return await hands.isThere();
    },
    { deadline_ms: bring_ms, every_ms },
  );
}

/** Whether it is so in time: who asks may try something else. */
async function soon(is: () => Promise<boolean>, within_ms: number, every_ms: number): Promise<boolean> {
  for (let tries = Math.ceil(within_ms / every_ms); tries > 0; tries -= 1) {
    if (await is()) return true;
    await sleep(every_ms);
  }
  return false;
}

function handsAt(lab: Lab, machine: MachineName): AddressHands {
  const crm = (...words: readonly string[]) =>
    passing(async () => {
      await runIn(lab, machine, ["crm_resource", "--resource", apiResource, ...words]);
      return true;
    });
  return {
    isThere: async () => {
      const found = await holders(lab);
      return found.length === 1 && found[0] === machine;
    },
    prefer: () => crm("--move", "--node", machine),
    forget: () => crm("--clear"),
  };
}
