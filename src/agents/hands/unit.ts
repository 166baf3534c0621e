import { randomBytes } from "node:crypto";
import { rm } from "node:fs/promises";
import { dirname } from "node:path";
import {
  done,
  failed,
  type Hindrance,
  type Outcome,
  type StartKind,
  success,
  type UnitEffects,
} from "../../act/effects.ts";
import { closedPort, etcdPorts, etcdUnit } from "../../base/paths.ts";
import { sleep } from "../../machine/clock.ts";
import { type Effort, effortOf, isAtWork } from "../../machine/effort.ts";
import { exists, makeFolder, replaceSynced, syncFolder } from "../../machine/files.ts";
import { isListening } from "../../machine/ports.ts";
import { withReserve } from "../../machine/reserve.ts";
import * as systemd from "../../machine/systemd.ts";
import {
  closedStart,
  firstStart,
  forceFile,
  forceStart,
  joinStart,
  maskFile,
  type NamedMember,
  plainStart,
  startFile,
} from "../../render/etcd.ts";
import { lastWords } from "./last-words.ts";
import { failureOf, timer } from "./outcome.ts";

/** What the unit's hand needs to know of its site, and of the world; a test has another world. */
export interface Unit {
  readonly self: NamedMember;
  /** Where a `closed` etcd listens for clients. */
  readonly closedUrl: string;
  /** The members as the serving peer lists them now. */
  readonly peerMembers: (deadline_ms: number) => Promise<Outcome<readonly NamedMember[]>>;
  /** Does the etcd of this machine serve its peers' port? It does once its data is loaded, and needs no leader for it. */
  readonly answers: (deadline_ms: number) => Promise<boolean>;
  /** Notes for the monitor why the data can't be given up, or that etcd has ended. */
  readonly noteHindrance: (because: Hindrance | undefined) => void;
  readonly world?: UnitWorld;
}

export interface UnitWorld {
  readonly state: () => Promise<systemd.UnitState>;
  readonly enqueue: (job: "start" | "stop") => Promise<void>;
  readonly kill: () => Promise<void>;
  readonly isListening: (port: number) => Promise<boolean>;
  /** Processes of the unit, whatever systemd says of it. */
  readonly processes: () => Promise<readonly number[]>;
  readonly lastWords: () => Promise<string>;
  readonly effort: (pid: number) => Promise<Effort>;
  readonly files: { readonly start: string; readonly force: string; readonly mask: string };
}

const mask_text = "duet has given up the data of this machine's etcd.\n";
/** One question or wish to systemd. */
export const systemctl_ms = 5_000;
const look_ms = 40;
const answer_ms = 1_000;

const machineWorld: UnitWorld = {
  state: () => systemd.unitState(etcdUnit, systemctl_ms),
  enqueue: (job) => systemd.enqueue(job, etcdUnit, systemctl_ms),
  kill: () => systemd.killUnit(etcdUnit, systemctl_ms),
  isListening,
  processes: () => systemd.unitProcesses(etcdUnit),
  lastWords: () => lastWords(etcdUnit, systemctl_ms),
  effort: effortOf,
  files: { start: startFile, force: forceFile, mask: maskFile },
};

/** etcd's unit. What is said to one start is in files that the unit reads then, so that systemd needs no reload for it. */
export function unitEffects(unit: Unit): UnitEffects {
  const world = unit.world ?? machineWorld;
  const { files } = world;
  return {
    // One that hangs runs: that it does not answer is for the monitor to find.
    isRunning: () =>
      attempt(async () => {
        const state = await world.state();
        return success(hasProcess(state) && (await world.isListening(etcdPorts.client)));
      }),
    start: (how, deadline_ms) => attempt(() => start(unit, world, how, deadline_ms)),
    stop: (deadline_ms) => attempt(() => ending(unit, stop(world, deadline_ms, lastPart_ms(deadline_ms)))),
    end: (deadline_ms) => attempt(() => ending(unit, stop(world, deadline_ms, deadline_ms))),
    callForFence: (because) =>
      attempt(async () => {
        unit.noteHindrance(because);
        return done;
      }),
    setForceFlag: () =>
      attempt(async () => {
        await makeFolder(dirname(files.force), 0o700);
        await replaceSynced(files.force, forceStart);
        return done;
      }),
    dropForceFlag: () =>
      attempt(async () => {
        await rm(files.force, { force: true });
        return done;
      }),
    setMasked: (masked) =>
      attempt(async () => {
        if (masked) await withReserve(files.mask, () => replaceSynced(files.mask, mask_text));
        else if (await exists(files.mask)) {
          await rm(files.mask, { force: true });
          await syncFolder(dirname(files.mask));
        }
        return done;
      }),
  };
}

async function attempt<T>(work: () => Promise<Outcome<T>>): Promise<Outcome<T>> {
  try {
    return await work();
  } catch (error) {
    return failureOf(error);
  }
}

const hasProcess = ({ active, pid }: systemd.UnitState): boolean =>
  pid > 0 && (active === "active" || active === "activating" || active === "reloading");

const isDown = ({ active, pid, job }: systemd.UnitState): boolean =>
  pid === 0 && !job && (active === "inactive" || active === "failed");

/** Does etcd run on its data, or may it at any moment? More than `isRunning`: one that comes up or goes down counts. */
export const mayRun = async (world: Pick<UnitWorld, "state"> = machineWorld): Promise<boolean> =>
  !isDown(await world.state());

type Left = () => number;

async function start(unit: Unit, world: UnitWorld, how: StartKind, deadline_ms: number): Promise<Outcome> {
  const left_ms = timer(deadline_ms);
  // One that is on its way up is waited for: a start may be repeated. So is the end of one that is on its way down.
  const now = await settled(world, left_ms);
  if (!now.ok) return now;
  if (now.value === "up") return await waitUp(unit, world, how, deadline_ms);
  const { files } = world;
  if (await exists(files.mask)) return failed("refused", `etcd may not start: ${files.mask} is there`);
  const held = await heldPort(world, how === "closed" ? [closedPort] : []);
  if (held !== undefined) return held;
  const text = await startText(unit, how, left_ms);
  if (!text.ok) return text;
  // Only data that is there can be forced.
  if (how !== "with its data" && how !== "closed") await rm(files.force, { force: true });
  await makeFolder(dirname(files.start), 0o700);
  await replaceSynced(files.start, text.value);
  try {
    await world.enqueue("start");
    return await waitUp(unit, world, how, deadline_ms);
  } finally {
    // Nobody else starts etcd with it, by hand or by a restart.
    await rm(files.start, { force: true });
  }
}

async function settled(world: UnitWorld, left_ms: Left): Promise<Outcome<"up" | "down">> {
  for (;;) {
    const state = await world.state();
    if (state.load !== "loaded") return failed("refused", `${etcdUnit} is ${state.load}`);
    if (hasProcess(state)) return success("up");
    if (isDown(state)) return success("down");
    if (left_ms() <= look_ms) return failed("deadline", `${etcdUnit} is ${state.active} all the time`);
    await sleep(look_ms);
  }
}

/**
 * A database of gigabytes takes minutes to load from a slow disk, and one that is killed over it would have to begin again. So the
 * deadline begins anew while the process is seen at work, so often.
 */
const again_max = 20;

async function waitUp(
  { answers }: Unit,
  world: UnitWorld,
  how: StartKind,
  deadline_ms: number,
): Promise<Outcome> {
  const port = how === "closed" ? closedPort : etcdPorts.client;
  let left_ms = timer(deadline_ms);
  let before = await world.effort((await world.state()).pid);
  for (let again = 0; ; ) {
    const listens = await world.isListening(port);
    if (listens && (await answers(Math.min(answer_ms, left_ms())))) return done;
    const state = await world.state();
    if (isDown(state)) return failed("failed", `etcd ended (${state.result}): ${await world.lastWords()}`);
    if (left_ms() <= look_ms && again < again_max) {
      const after = await world.effort(state.pid);
      if (isAtWork(before, after, deadline_ms)) {
        before = after;
        left_ms = timer(deadline_ms);
        again += 1;
      }
    }
    if (left_ms() <= look_ms)
      return failed("deadline", listens ? "etcd does not answer yet" : "etcd does not come up");
    await sleep(look_ms);
  }
}

/** What an etcd of somebody else's, or one that left its unit, would break with a worse message. */
async function heldPort(world: UnitWorld, more: readonly number[] = []): Promise<Outcome | undefined> {
  for (const port of [...Object.values(etcdPorts), ...more]) {
    if (!(await world.isListening(port))) continue;
    return (await world.processes()).length > 0
      ? stays
      : failed("refused", `port ${port} is held by a process that is not ${etcdUnit}`);
  }
  return undefined;
}

const stays = failed("deadline", "etcd can't be ended: its process stays, held by its disk most likely");

async function startText(unit: Unit, how: StartKind, left_ms: Left): Promise<Outcome<string>> {
  if (how === "with its data") return success(plainStart);
  if (how === "closed") return success(closedStart(unit.closedUrl));
  // Another one at each try: a cluster that never came to be is not continued.
  if (how === "first") return success(firstStart(unit.self, `duet-${randomBytes(8).toString("hex")}`));
  const listed = await unit.peerMembers(left_ms());
  if (!listed.ok) return listed;
  const own = listed.value.find((member) => isOf(member, unit.self));
  if (own === undefined) return failed("unreachable", "the peer does not list this machine as a member");
  // A member has no name until it has started once, and etcd wants one for each.
  const members = listed.value.map((member, index) => ({
    ...member,
    name: member === own ? unit.self.name : member.name || `member-${index + 1}`,
  }));
  return success(joinStart({ name: unit.self.name, peerUrls: own.peerUrls }, members));
}

/** By whole addresses, of which the member may have fewer than the machine, and none that is not the machine's. */
function isOf(member: NamedMember, self: NamedMember): boolean {
  const own = new Set(self.peerUrls.map((url) => new URL(url).host));
  return (
    member.peerUrls.length > 0 &&
    member.peerUrls.every((url) => URL.canParse(url) && own.has(new URL(url).host))
  );
}

/** Killing is kept for the last part of the time, and what is not gone then can't be: a disk holds it. */
const kill_ms = 2_000;
const lastPart_ms = (deadline_ms: number): number => Math.min(kill_ms, deadline_ms / 2);

/** For a machine that knows nothing of its site any more: to stop takes none of that. */
export const stopUnit = (deadline_ms: number): Promise<Outcome> =>
  attempt(() => stop(machineWorld, deadline_ms, lastPart_ms(deadline_ms)));

async function ending({ noteHindrance }: Unit, stopping: Promise<Outcome>): Promise<Outcome> {
  const down = await stopping;
  if (down.ok) noteHindrance(undefined);
  return down;
}

/** `last_ms`: what is still there with so little time left is killed. */
async function stop(world: UnitWorld, deadline_ms: number, last_ms: number): Promise<Outcome> {
  const left_ms = timer(deadline_ms);
  if (!isDown(await world.state())) await world.enqueue("stop");
  let killed = false;
  for (;;) {
    const down = isDown(await world.state());
    const held = down ? await heldPort(world) : undefined;
    if (down && held === undefined) return done;
    if (left_ms() <= look_ms) return held ?? stays;
    if (!down && !killed && left_ms() <= last_ms) {
      await world.kill();
      killed = true;
    }
    await sleep(look_ms);
  }
}
