import { open, readdir } from "node:fs/promises";
import { join } from "node:path";
import { DuetError } from "../src/base/problem.ts";
import { paths } from "../src/base/paths.ts";
import { sleep } from "../src/machine/clock.ts";
import type { DeedKind } from "../src/scenario/phrases.ts";
import type { Scenario } from "../src/scenario/scenario.ts";
import { isRole, type MachineName, machine_names, type Moment } from "../src/scenario/slots.ts";
import type { Seen } from "../src/scenario/world.ts";
import { freeze, makeGroup } from "./cgroup.ts";
import { cgroupsOf, machineOf } from "./folder.ts";
import { isOn, leaderPid } from "./metal/power.ts";
import { comesIn, type Met } from "./moment-in-logs.ts";
import { LogFollower } from "./log-follower.ts";
import { heldBy } from "./scenario-held.ts";
import type { Stage } from "./scenario-stage.ts";

const said = { promote: "the promote entry", marker: "the marker write" } as const;
type LabMoment = keyof typeof said;
const isLabMoment = (moment: Moment): moment is LabMoment => Object.hasOwn(said, moment);

/** Those that stand in etcd's logs, which are files of the host's, too. What is only sent is seen by nobody here. */
export const moments_here: ReadonlySet<Moment> = new Set<Moment>(["promote", "marker"]);

/** What can be done to a machine that is stopped. */
const sudden: ReadonlySet<string> = new Set<DeedKind>([
  "cut-power",
  "break",
  "cut-both",
  "cut-feed",
  "cut-both-feeds",
  "cut-wire",
  "cut-one-way",
]);

/** What of a scenario's moments is beyond the lab, one sentence each. */
export const lackedAtMoments = ({ steps }: Scenario): readonly string[] =>
  steps.flatMap(({ at, ask, text }) => {
    if (at === undefined) return [];
    if (!sudden.has(ask.kind))
      return [`in a moment only power, feeds and wires can be taken away: \`${text}\``];
    if ("machine" in ask && isRole(ask.machine))
      return [`a machine that is stopped can't say who it is: \`${text}\``];
    return [];
  });

const look_ms = 2;
/** So often it is looked for machines that have been powered on: none is up sooner. */
const find_ms = 300;

interface Armed {
  readonly moment: LabMoment;
  readonly act: () => Promise<Seen>;
}

/**
 * A fault in the moment in which an entry stands in etcd's logs. The logs are followed from the host; the machine that leads is frozen
 * at the sight, so that nothing that follows from the entry happens, then the deed is done. Afterwards it is looked at what both
 * machines have on their disks: a moment that was missed fails the story.
 */
export class Moments {
  readonly #stage: Stage;
  readonly #logs: Readonly<Record<MachineName, LogFollower>> = {
    node1: new LogFollower(),
    node2: new LogFollower(),
  };
  #roots: Partial<Record<MachineName, string>> = {};
  #armed: readonly Armed[] = [];
  /** Entries up to here are of before. */
  #after = 0;
  #isWatching = false;
  #coming: Promise<void> | undefined;
  /** While the deed of a moment is done: what is stopped for it. */
  #stopped: MachineName | undefined;
  #told: readonly Seen[] = [];
  #bug: unknown;
  #closed = false;

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  readonly arm = async (moment: Moment, act: () => Promise<Seen>): Promise<Seen> => {
    if (!isLabMoment(moment)) throw new Error(`the run began in a lab that knows no ${moment}`);
    await this.#findRoots();
    this.#look();
    this.#after = Math.max(...machine_names.map((name) => this.#logs[name].last));
    this.#armed = [...this.#armed, { moment, act }];
    void this.#watch();
    return { ok: true, seen: "" };
  };

  readonly unmet = (): readonly string[] => this.#armed.map(({ moment }) => said[moment]);

  /** What became of those that have come since this was asked last. */
  readonly meanwhile = async (): Promise<Seen | undefined> => {
    await this.#coming;
    if (this.#bug !== undefined) throw this.#bug;
    const told = this.#told;
    this.#told = [];
    const wrong = told.find(({ ok }) => !ok);
    if (wrong !== undefined || told.length === 0) return wrong;
    return { ok: true, seen: told.map(({ seen }) => seen).join("; ") };
  };

  get isNow(): boolean {
    return this.#stopped !== undefined;
  }

  /** The deed is done: whoever has power still goes on. */
  async goOn(): Promise<void> {
    const lab = await this.#stage.lab();
    if (this.#stopped === undefined || !(await isOn(lab, machineOf(lab, this.#stopped)))) return;
    await this.#freeze(this.#stopped, false);
  }

  close(): void {
    this.#closed = true;
  }

  async #watch(): Promise<void> {
    if (this.#isWatching) return;
    this.#isWatching = true;
    try {
      for (let looks = 0; this.#armed.length > 0 && !this.#closed; looks += 1) {
        if (looks % (find_ms / look_ms) === 0) await this.#findRoots();
        this.#look();
        for (const armed of this.#armed) {
          const met = comesIn(armed.moment, this.#logs, this.#after);
          if (met === undefined) continue;
          this.#coming = this.#comes(armed, met);
          await this.#coming;
        }
        await sleep(look_ms);
      }
    } catch (error) {
      this.#bug = error;
    }
    this.#isWatching = false;
  }

  async #comes(armed: Armed, met: Met): Promise<void> {
    this.#stopped = met.leader;
    await this.#freeze(met.leader, true);
    this.#armed = this.#armed.filter((each) => each !== armed);
    const seen = await this.#take(armed, met);
    this.#told = [...this.#told, { ...seen, seen: `at ${said[armed.moment]}: ${seen.seen}` }];
    this.#stopped = undefined;
  }

  async #take({ act }: Armed, met: Met): Promise<Seen> {
    try {
      // As their own syncs, which were under way, would have it: what is in a log is on its disk when the machine goes.
      await Promise.all(machine_names.map((name) => this.#syncLog(name)));
      const done = await act();
      await this.goOn();
      if (!done.ok) return done;
      return await this.#judge(met);
    } catch (error) {
      if (!(error instanceof DuetError)) throw error;
      return { ok: false, seen: error.message };
    }
  }

  /** By what both machines have on their disks now. */
  async #judge(met: Met): Promise<Seen> {
    if (met.late !== undefined) return { ok: false, seen: `too late, ${met.late}` };
    const lab = await this.#stage.lab();
    for (const name of machine_names) {
      const { facts, state } = await heldBy(lab, name);
      if (facts === undefined || !facts.configuration.voters.includes(met.memberId))
        return { ok: false, seen: `too early, by the log of ${name} ${met.joiner} is no voter` };
      if (name === met.leader && facts.last.index < met.index)
        return { ok: false, seen: `too early, the log of ${name} ends before entry ${met.index}` };
      if (name === met.joiner && state?.full !== false)
        return { ok: false, seen: `too late, ${name} is full` };
    }
    const where = met.inBoth ? "in both logs" : `in the log of ${met.leader}`;
    return {
      ok: true,
      seen: `entry ${met.index} stands ${where}, ${met.joiner} votes by its own log and is not full`,
    };
  }

  /** Where the disks of machines that have power can be seen. */
  async #findRoots(): Promise<void> {
    const lab = await this.#stage.lab();
    const found = await Promise.all(
      machine_names.map(async (name) => [name, await leaderPid(lab, machineOf(lab, name))] as const),
    );
    this.#roots = Object.fromEntries(
      found.flatMap(([name, pid]) => (pid === undefined ? [] : [[name, `/proc/${pid}/root`]])),
    );
  }

  #look(): void {
    for (const name of machine_names) {
      const root = this.#roots[name];
      if (root === undefined) continue;
      this.#logs[name].look(join(root, paths.etcdData, "member", "wal"));
    }
  }

  async #freeze(name: MachineName, frozen: boolean): Promise<void> {
    const lab = await this.#stage.lab();
    const { group, visitors } = machineOf(lab, name);
    for (const each of [group, visitors]) {
      await makeGroup(cgroupsOf(lab), each);
      await freeze(cgroupsOf(lab), each, frozen);
    }
  }

  async #syncLog(name: MachineName): Promise<void> {
    const folder = join(this.#roots[name] ?? "", paths.etcdData, "member", "wal");
    const newest = (await readdir(folder))
      .filter((each) => each.endsWith(".wal"))
      .toSorted()
      .at(-1);
    if (newest === undefined) return;
    await using file = await open(join(folder, newest), "r");
    await file.sync();
  }
}
