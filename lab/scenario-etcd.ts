import { now_ms, sleep } from "../src/machine/clock.ts";
import { judgeSameMembers } from "../src/scenario/membership.ts";
import { machine_names, type MachineName } from "../src/scenario/slots.ts";
import { judgeNoTakeover } from "../src/scenario/takeover.ts";
import type { Doing, Seen } from "../src/scenario/world.ts";
import { seatName } from "./run.ts";
import type { Etcds } from "./scenario-etcds.ts";
import type { Eyes } from "./scenario-eyes.ts";
import { saidBy, shownIn, toldIn } from "./scenario-says.ts";
import type { Stage } from "./scenario-stage.ts";
import { statusAt } from "./scenario-status.ts";

/** A learner that is nearly there is one for a moment only. */
const brief_ms = 50;
/** So long nobody may have acknowledged anything. */
const quiet_ms = 3_000;
/** Whoever is to serve now may be asked again within this: a leader changes now and then. */
const answer_ms = 8_000;

/** What is waited for and expected of etcd, and of what duet says about it. */
export function etcdWords(stage: Stage, eyes: Eyes, etcds: Etcds): Doing {
  const until = async (
    otherwise: string,
    within_ms: number,
    look: () => Promise<boolean>,
    every_ms?: number,
  ): Promise<Seen> => {
    const seen = await eyes.until(otherwise, within_ms, look, every_ms);
    return seen.ok ? seen : { ok: false, seen: `${seen.seen}; ${await etcds.standing()}` };
  };
  const untilServes = (machine: MachineName, within_ms: number): Promise<Seen> =>
    until(`${machine} does not serve`, within_ms, () => etcds.serves(machine));
  return {
    "until-1+1": async ({ within_ms }) => {
      const seen = await until("no 1+1", within_ms, () => etcds.isWhole());
      // A new site may have had no data yet when its machines were started.
      if (seen.ok) await etcds.noteHeld();
      if (seen.ok) await etcds.noteMembers();
      return seen;
    },
    "until-serves": ({ machine, within_ms }) => untilServes(machine, within_ms),
    "until-refuses": ({ machine, text, within_ms }) =>
      until(`${machine} does not say that`, within_ms, () => says(stage, etcds, machine, text)),
    "until-learner": ({ machine, within_ms }) =>
      until(`${machine} is no learner`, within_ms, () => etcds.isLearner(machine), brief_ms),
    "until-not-full": ({ machine, within_ms }) =>
      until(`${machine} is no voter, or full`, within_ms, () => etcds.isNotFull(machine), brief_ms),
    "until-status-says": async ({ text, within_ms }) => {
      let last = "";
      const seen = await until("the status does not say that", within_ms, async () => {
        const { ok, seen } = await statusSays(stage, text);
        last = seen;
        return ok;
      });
      return seen.ok ? seen : { ok: false, seen: `${seen.seen}; ${last}` };
    },
    "until-surrenders": ({ machine, within_ms }) =>
      until(`${machine} has not surrendered`, within_ms, () => etcds.hasSurrendered(machine)),
    "expect-1+1": async () => only(etcds, await etcds.isWhole()),
    "expect-1+0": () => oneServesAlone(etcds),
    "expect-serves": ({ machine }) => untilServes(machine, answer_ms),
    "expect-none-serves": () => noneServes(etcds),
    "expect-refuses": async ({ machine, text }) => only(etcds, await says(stage, etcds, machine, text)),
    "expect-no-takeover": async () => judgeNoTakeover(stage.lineage_before, await etcds.held()),
    "expect-same-members": async () => judgeSameMembers(stage.members_before, await etcds.memberIds()),
    "expect-status-says": ({ text }) => statusSays(stage, text),
  };
}

const only = async (etcds: Etcds, holds: boolean): Promise<Seen> => ({
  ok: holds,
  seen: holds ? "" : await etcds.standing(),
});

/** One voter serves, and no write through the other machine is acknowledged. */
async function oneServesAlone(etcds: Etcds): Promise<Seen> {
  const end_ms = now_ms() + answer_ms;
  for (;;) {
    const serving = await whoServes(etcds);
    const [name] = serving;
    if (name !== undefined) {
      const members = await etcds.membersBy(name);
      const voters = members?.filter(({ isLearner }) => !isLearner) ?? [];
      const ok = serving.length === 1 && voters.length === 1;
      const seen = `${serving.join(" and ")} with ${voters.length} voters; ${await etcds.standing()}`;
      return { ok, seen: ok ? `${name} serves alone` : seen };
    }
    if (now_ms() >= end_ms) return { ok: false, seen: `nobody serves; ${await etcds.standing()}` };
    await sleep(brief_ms);
  }
}

async function whoServes(etcds: Etcds): Promise<readonly MachineName[]> {
  const answers = await Promise.all(
    machine_names.map(async (name) => ((await etcds.serves(name)) ? [name] : [])),
  );
  return answers.flat();
}

async function noneServes(etcds: Etcds): Promise<Seen> {
  for (const end_ms = now_ms() + quiet_ms; now_ms() < end_ms; await sleep(brief_ms)) {
    const [name] = await whoServes(etcds);
    if (name !== undefined)
      return { ok: false, seen: `${name} acknowledged a write; ${await etcds.standing()}` };
  }
  return { ok: true, seen: "" };
}

/** As the operator is shown it, so the BMCs are asked too; what is seen otherwise is what the status has to tell instead. */
async function statusSays(stage: Stage, text: string): Promise<Seen> {
  const status = await statusAt(stage, seatName);
  const ok = shownIn(status).some((each) => each.includes(text));
  return { ok, seen: ok ? "" : toldIn(status) };
}

/** By the machine's own status, in its own words. */
async function says(stage: Stage, etcds: Etcds, machine: MachineName, text: string): Promise<boolean> {
  if (await etcds.serves(machine)) return false;
  return saidBy(await statusAt(stage, machine), machine).some((each) => each.includes(text));
}
