import { known } from "../../src/agents/status/report.ts";
import { standbyOf } from "../../src/agents/status/wrong-line.ts";
import { judgeSameMembers } from "../../src/scenario/membership.ts";
import type { MachineName } from "../../src/scenario/slots.ts";
import { judgeNoTakeover } from "../../src/scenario/takeover.ts";
import type { Doing, Seen } from "../../src/scenario/world.ts";
import { told, wrongOf } from "../sentences.ts";
import { keptWords } from "./kept.ts";
import type { Load } from "./load.ts";
import { done, idOf, type SimStage } from "./stage.ts";
import { staleWords } from "./stale-reads.ts";
import { isWhole } from "./whole.ts";

const probe_every_us = 100_000;
/** A write that is not answered by then is none. */
const answer_ms = 8_000;
const quiet_ms = 3_000;
/** As in the status: the first tries that fail are part of many a return. */
const tries_min = 3;
/** A learner that is nearly there may be one for a few hundredths of a second. */
const brief_us = 2_000;

/** What a scenario waits for and expects, seen from outside where a client or an operator could. */
export function sights(stage: SimStage): Doing {
  return {
    ...waits(stage),
    ...looks(stage),
    ...clientLooks(stage),
    ...staleWords(stage),
    ...keptWords(stage),
  };
}

function waits(stage: SimStage): Doing {
  const { world, site } = stage;
  const machine = (name: MachineName) => world.machine(idOf(name));
  return {
    "until-1+1": async ({ within_ms }) => {
      const seen = await stage.until(within_ms, "no 1+1", () => isWhole(world, site));
      if (seen.ok) stage.membersBefore ??= stage.memberIds();
      return seen;
    },
    "until-serves": ({ machine: name, within_ms }) => untilServes(stage, idOf(name), within_ms),
    "until-inert": ({ machine: name, within_ms }) =>
      stage.until(within_ms, `${name} is not inert`, () => isInert(stage, idOf(name))),
    "until-refuses": async ({ machine: name, text, within_ms }) => {
      const look = () => says(stage, idOf(name), text);
      return alsoSo(stage, idOf(name), await stage.until(within_ms, `${name} does not say that`, look));
    },
    "until-learner": ({ machine: name, within_ms }) =>
      stage.until(within_ms, `${name} is no learner`, () => isLearner(stage, idOf(name)), brief_us),
    "until-not-full": ({ machine: name, within_ms }) =>
      stage.until(within_ms, `${name} is no voter, or full`, () => isNotFull(stage, idOf(name)), brief_us),
    "until-surrenders": ({ machine: name, within_ms }) =>
      stage.until(within_ms, `${name} has not surrendered`, () => hasSurrendered(stage, idOf(name))),
    "until-runs": ({ unit, machine: name, within_ms }) =>
      stage.until(within_ms, `${unit} does not run on ${name}`, () => runs(stage, unit, idOf(name))),
    "until-online": ({ within_ms }) => stage.until(within_ms, "not both online", () => bothOnline(stage)),
    "until-lost": async ({ machine: name, within_ms }) => {
      const seen = await stage.until(within_ms, `${name} is not seen lost`, () =>
        isSeenLost(stage, idOf(name)),
      );
      // From when its peer's membership is the one without it.
      return { ...seen, ago_ms: (world.kernel.now_us - stage.node(1 - idOf(name)).memory.ring_us) / 1000 };
    },
    "until-proven-off": ({ machine: name, within_ms }) =>
      stage.until(within_ms, `${name} is not proven off`, () =>
        stage.fencesConfirmed.some(({ target, at_us }) => target === idOf(name) && at_us >= stage.since_us),
      ),
    "until-on": ({ machine: name, within_ms }) =>
      stage.until(within_ms, `${name} is off`, () => machine(name).powered),
    "until-off": ({ machine: name, within_ms }) =>
      stage.until(within_ms, `${name} is on`, () => !machine(name).powered),
    "until-one-on": ({ within_ms }) =>
      stage.until(within_ms, "both on, or both off", () => countOn(stage) === 1),
    "until-links": ({ links, within_ms }) =>
      stage.until(within_ms, "another number of links", () => countLinks(stage) === links),
  };
}

function looks(stage: SimStage): Doing {
  const { world, site } = stage;
  const only = async (holds: boolean): Promise<Seen> =>
    stage.verdict({ ok: holds, seen: holds ? "" : stage.standing() });
  return {
    "expect-1+1": () => only(isWhole(world, site)),
    "expect-1+0": () => oneServesAlone(stage),
    "expect-serves": ({ machine }) => untilServes(stage, idOf(machine), answer_ms),
    "expect-none-serves": () => noneServes(stage),
    "expect-refuses": async ({ machine, text }) =>
      alsoSo(stage, idOf(machine), await only(says(stage, idOf(machine), text))),
    "expect-inert": ({ machine }) => only(isInert(stage, idOf(machine))),
    "expect-nobody-fenced": async () => {
      const count = stage.fencesAsked.length;
      return stage.verdict({ ok: count === 0, seen: `${count} fences were asked for` });
    },
    "expect-fenced-once": async ({ machine }) => {
      const times = stage.fencesConfirmed.filter(({ target }) => target === idOf(machine)).length;
      return stage.verdict({ ok: times === 1, seen: `${machine} was fenced ${times} times` });
    },
    "expect-never-fenced": async ({ machine }) => {
      const times = stage.fencesOf(idOf(machine));
      return stage.verdict({ ok: times === 0, seen: `${machine} was fenced ${times} times` });
    },
    "expect-fences": async ({ number }) => {
      const times = [0, 1].map((id) => stage.fencesOf(id));
      return stage.verdict({
        ok: times.reduce((all, each) => all + each) <= number,
        seen: times.map((each, id) => `${stage.node(id).name} was fenced ${each} times`).join(", "),
      });
    },
    "expect-no-takeover": async () => {
      const held = stage.held((id) => world.machine(id).up && !world.machine(id).hung);
      return stage.verdict(judgeNoTakeover(stage.lineageBefore, held));
    },
    "expect-same-members": async () =>
      stage.verdict(judgeSameMembers(stage.membersBefore, stage.memberIds())),
    "expect-one-on": () => only(countOn(stage) === 1),
    "expect-both-on": () => only(countOn(stage) === 2),
    "expect-on": ({ machine }) => only(world.machine(idOf(machine)).powered),
    "expect-off": ({ machine }) => only(!world.machine(idOf(machine)).powered),
    "expect-online": () => only(bothOnline(stage)),
    "expect-runs": ({ unit, machine }) => only(runs(stage, unit, idOf(machine))),
    "expect-rests": ({ unit, machine }) => only(!runs(stage, unit, idOf(machine))),
  };
}

function clientLooks(stage: SimStage): Doing {
  const { load } = stage;
  return {
    "until-writes-fail": ({ within_ms }) =>
      stage.until(within_ms, "no write has failed", () => load.failures > stage.failuresBefore),
    "until-write-errors": ({ machine, within_ms }) => {
      const id = idOf(machine);
      const told = () => (load.errors[id] ?? 0) > (stage.errorsBefore[id] ?? 0);
      return stage.until(within_ms, `${machine} has answered no write with an error`, told);
    },
    "expect-nothing-lost": () => nothingLost(stage),
    "expect-bounded-writes": async ({ duration }) => {
      stage.bounds_ms.push(duration);
      return stage.verdict(endedWithin(load, duration));
    },
    "expect-gap": async ({ duration }) => {
      const gap_ms = load.gap_us() / 1000;
      return stage.verdict({
        ok: load.acknowledged_us.length > 0 && gap_ms <= duration,
        seen: `the longest gap was ${(gap_ms / 1000).toFixed(2)} s`,
      });
    },
  };
}

/** Of writes that there were none no bound is kept. */
export function endedWithin(
  load: Pick<Load, "acknowledged_us" | "failures" | "longest_us">,
  bound_ms: number,
): Seen {
  if (load.acknowledged_us.length + load.failures === 0) return { ok: false, seen: "no client has written" };
  const longest_ms = load.longest_us() / 1000;
  return { ok: longest_ms <= bound_ms, seen: `the longest write took ${(longest_ms / 1000).toFixed(1)} s` };
}

/** By writes of its own, again and again: one that is acknowledged says it. */
export async function untilServes(stage: SimStage, id: number, within_ms: number): Promise<Seen> {
  const { kernel } = stage.world;
  let served = false;
  let next_us = 0;
  return await stage.until(within_ms, `${stage.node(id).name} does not serve`, () => {
    if (!served && kernel.now_us >= next_us) {
      next_us = kernel.now_us + probe_every_us;
      stage.load.probe(id, (fate) => {
        served ||= fate === "acknowledged";
      });
    }
    return served;
  });
}

async function noneServes(stage: SimStage): Promise<Seen> {
  const served: string[] = [];
  const { history } = stage.world;
  const before = history.acknowledged;
  for (const { id } of stage.world.machines)
    stage.load.probe(id, (fate) => {
      if (fate === "acknowledged") served.push(`${stage.node(id).name} acknowledged a write`);
    });
  await stage.run(quiet_ms * 1000);
  const ok = served.length === 0 && history.acknowledged === before;
  return stage.verdict({ ok, seen: ok ? "" : (served[0] ?? "a client's write was acknowledged") });
}

async function oneServesAlone(stage: SimStage): Promise<Seen> {
  const { world } = stage;
  const served = new Set<number>();
  for (const { id } of world.machines)
    stage.load.probe(id, (fate) => {
      if (fate === "acknowledged") served.add(id);
    });
  const seen = await stage.until(answer_ms, "nobody serves", () => served.size > 0);
  if (!seen.ok) return seen;
  const [id = 0] = served;
  const voters = world.unit(id).running?.applier.membership.voters ?? [];
  const ok = served.size === 1 && voters.length === 1;
  return stage.verdict({
    ok,
    seen: ok ? "" : `${served.size} serve, with ${voters.length} voters; ${stage.standing()}`,
  });
}

/** A linearizable read at whoever serves shows every write that was ever acknowledged; the rest the history has checked. */
export async function nothingLost(stage: SimStage): Promise<Seen> {
  const { history, etcd } = stage.world;
  // What is acknowledged while the read is on its way need not be in it.
  const promised = history.operations.filter(({ kind, state }) => kind === "write" && state === "done");
  if (promised.length === 0) return { ok: false, seen: "no write was acknowledged" };
  const shown: ReadonlySet<number>[] = [];
  for (const { open: running } of etcd)
    running?.submit(() =>
      running.requests.read(({ ok }) => {
        if (ok) shown.push(new Set(running.applier.store.values));
      }),
    );
  const read = await stage.until(answer_ms, "nobody answers a linearizable read", () => shown.length > 0);
  if (!read.ok) return read;
  const missing = promised.filter(({ id }) => shown.some((values) => !values.has(id))).length;
  if (missing > 0)
    return { ok: false, seen: `${missing} of ${promised.length} acknowledged writes are gone` };
  // As in the lab: when the bound was asked for some were still under way.
  const late = stage.bounds_ms.find((bound_ms) => stage.load.longest_us() > bound_ms * 1000);
  if (late !== undefined)
    return stage.verdict({ ok: false, seen: `a write took longer than ${late / 1000} s` });
  return stage.verdict(done(`${promised.length} writes acknowledged, and all can be read`));
}

function isLed({ world }: SimStage, id: number): boolean {
  const { open: running } = world.unit(id);
  return running !== undefined && running.raft.lead !== 0 && !running.isLearner;
}

function says(stage: SimStage, id: number, text: string): boolean {
  const { up, hung } = stage.world.machine(id);
  const serves = isLed(stage, id);
  const { said, verdict, memory } = stage.node(id);
  const { why = "", tries = 0 } = memory.unfinished ?? {};
  const sentences = isOnStandby(stage, id)
    ? [standbySays(stage, id)]
    : [said, verdict?.sentence ?? "", tries < tries_min ? "" : why];
  return up && !hung && !serves && sentences.some((sentence) => sentence.includes(text));
}

const isOnStandby = ({ world }: SimStage, id: number): boolean =>
  world.pacemaker.controller(id)?.belief(id).standby === true;

/** The status shows that it is on standby, and no sentence that it went by before. */
function standbySays(stage: SimStage, id: number): string {
  const [{ name, state }, peer] = [stage.node(id), stage.node(1 - id)];
  const serves = stage.world.corosync.view(id).members.includes(1 - id) && isLed(stage, 1 - id);
  return standbyOf({ name, full: known(state.value.full) }, peer.name, serves ? [peer.name] : []).what;
}

/** What a story reads there is what a person would act on: where it calls one, it has to be so in that moment. */
function alsoSo(stage: SimStage, id: number, seen: Seen): Seen {
  const node = stage.node(id);
  const wrong = wrongOf(stage.world, stage.site, node);
  return seen.ok && wrong !== undefined ? { ok: false, seen: `${wrong}; ${told(node)}` } : seen;
}

function isInert({ world }: SimStage, id: number): boolean {
  const { up, hung } = world.machine(id);
  const { waiting, quorate } = world.corosync.view(id);
  return up && !hung && waiting && !quorate && !world.unit(id).active;
}

function isNotFull(stage: SimStage, id: number): boolean {
  const { running } = stage.world.unit(id);
  const votes = running?.applier.membership.voters.includes(running.id) === true;
  return votes && !stage.node(id).state.value.full;
}

function isLearner({ world }: SimStage, id: number): boolean {
  const { running } = world.unit(id);
  return running?.applier.membership.learners.includes(running.id) === true;
}

/** On disk, and told: a masked etcd does not run. */
function hasSurrendered(stage: SimStage, id: number): boolean {
  return stage.node(id).state.synced.surrendered !== undefined && !stage.world.unit(id).active;
}

function runs({ world }: SimStage, unit: string, id: number): boolean {
  if (!world.machine(id).up) return false;
  if (unit === "etcd") return world.unit(id).open !== undefined;
  if (unit === "pacemaker") return world.pacemaker.controller(id) !== undefined;
  return world.corosync.view(id).members.length > 0;
}

function bothOnline({ world }: SimStage): boolean {
  return world.machines.every(({ id }) => {
    const controller = world.pacemaker.controller(id);
    return (
      controller !== undefined &&
      world.corosync.view(id).quorate &&
      [0, 1].every((each) => controller.belief(each).online)
    );
  });
}

function isSeenLost({ world }: SimStage, id: number): boolean {
  const peer = world.machine(1 - id);
  return peer.up && !peer.hung && !world.corosync.view(1 - id).members.includes(id);
}

const countOn = ({ world }: SimStage): number => world.machines.filter(({ powered }) => powered).length;
const countLinks = ({ world }: SimStage): number =>
  world.links.filter((link) => link.joined(0, 1) && countUp(world.machines) === 2).length;
const countUp = (machines: readonly { readonly up: boolean }[]): number =>
  machines.filter(({ up }) => up).length;
