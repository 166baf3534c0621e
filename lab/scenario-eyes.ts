import { DuetError } from "../src/base/problem.ts";
import { join } from "node:path";
import { readIfThere } from "../src/machine/files.ts";
import { type MachineName, machine_names, otherThan } from "../src/scenario/slots.ts";
import type { Seen } from "../src/scenario/world.ts";
import { forcedOffs_ms } from "./bmc/power/machine.ts";
import { bmcFolder } from "./devices.ts";
import { bmcTimesOf, machineOf } from "./folder.ts";
import { lookUntil } from "./look-until.ts";
import { isHung, isOn, leaderPid } from "./metal/power.ts";
import { type Sight, type Watch, watchPeer } from "./observe.ts";
import { passing, runIn } from "./run.ts";
import { bothOnline } from "./scenario-care.ts";
import { runsProgram } from "./scenario-units.ts";
import type { Stage } from "./scenario-stage.ts";

const every_ms = 300;
const race_ms_max = 180_000;
/** A journal is read from the disk, and in the story of a slow one behind all that waits to be written there. */
const journal_ms = 180_000;

/** What a scenario sees of the lab's machines, by their own logs and tools, and by a look at their power. */
export class Eyes {
  readonly #stage: Stage;
  readonly #watches = new Map<MachineName, Watch>();
  /** Of the wall clock, as the machines' journals have it. */
  #begun_ms = 0;
  #since_ms = 0;

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  /** What happened before this moment is no part of the scenario. */
  begin(): void {
    if (this.#begun_ms === 0) this.#begun_ms = Date.now();
  }

  /** From here on the machines that can are listened to. */
  async attend(): Promise<void> {
    this.close();
    this.#since_ms = Date.now();
    for (const name of machine_names) {
      if (!(await this.#answers(name))) continue;
      this.#watches.set(name, await watchPeer(await this.#stage.lab(), name, otherThan(name)));
    }
  }

  close(): void {
    for (const watch of this.#watches.values()) watch.stop();
    this.#watches.clear();
  }

  /** Waits until the machine's peer sees that of it. */
  async sees(machine: MachineName, sight: Sight, within_ms: number): Promise<Seen> {
    const watch = this.#watches.get(otherThan(machine));
    if (watch === undefined)
      return { ok: false, seen: `${otherThan(machine)} could not look when ${machine} was lost` };
    const { at_ms } = await watch.wait(sight, this.#since_ms, within_ms);
    return {
      ok: true,
      seen: `${((at_ms - this.#since_ms) / 1000).toFixed(1)} s after it was taken away`,
      ago_ms: Math.max(0, Date.now() - at_ms),
    };
  }

  /** Looks again and again. What a machine without power, or half-way up, refuses is simply not seen yet. */
  async until(
    otherwise: string,
    within_ms: number,
    look: () => Promise<boolean>,
    pause_ms = every_ms,
  ): Promise<Seen> {
    const { inTime, took_ms } = await lookUntil(() => passing(look), { within_ms, pause_ms });
    if (inTime) return { ok: true, seen: "" };
    const late = took_ms === undefined ? "" : `, and only after ${(took_ms / 1000).toFixed(1)} s it was so`;
    return { ok: false, seen: `${otherwise} after ${within_ms / 1000} s${late}; ${await this.power()}` };
  }

  async isOn(name: MachineName): Promise<boolean> {
    const lab = await this.#stage.lab();
    return await isOn(lab, machineOf(lab, name));
  }

  async #answers(name: MachineName): Promise<boolean> {
    const lab = await this.#stage.lab();
    const machine = machineOf(lab, name);
    // For a moment behind its power on there is nobody to ask yet.
    return (await leaderPid(lab, machine)) !== undefined && !(await isHung(lab, machine));
  }

  async countOn(): Promise<number> {
    return (await Promise.all(machine_names.map((name) => this.isOn(name)))).filter((on) => on).length;
  }

  /** `node1 is on, node2 is off`. */
  async power(): Promise<string> {
    const states = machine_names.map(async (name) => `${name} is ${(await this.isOn(name)) ? "on" : "off"}`);
    return (await Promise.all(states)).join(", ");
  }

  /** The one that is left when a race is over: alone with power or, where its peer has been powered on again, with its data. */
  async survivor(alone: () => Promise<MachineName | undefined>): Promise<MachineName | undefined> {
    let left: MachineName | undefined;
    await this.until("no winner", race_ms_max, async () => {
      const on = await this.countOn();
      if (on === 1) left = (await this.isOn("node1")) ? "node1" : "node2";
      else if (on === 2) left = await alone();
      return left !== undefined;
    });
    return left;
  }

  async bothOnline(): Promise<boolean> {
    return await bothOnline(await this.#stage.lab());
  }

  /** Whether a command on the machine ends with success. */
  async succeeds(name: MachineName, argv: readonly string[]): Promise<boolean> {
    return (await runIn(await this.#stage.lab(), name, argv, { accept: "any" })).status === 0;
  }

  async #says(name: MachineName, argv: readonly string[], deadline_ms?: number): Promise<string> {
    const options = deadline_ms === undefined ? {} : { deadline_ms };
    return (await runIn(await this.#stage.lab(), name, argv, { accept: "any", ...options })).stdout;
  }

  /** No quorum, and Corosync waits for all: Pacemaker starts nothing and fences nobody. And nothing runs that it would start. */
  async isInert(name: MachineName): Promise<boolean> {
    for (const unit of ["etcd", "crio", "kubelet"]) if (await this.runs(unit, name)) return false;
    const waiting = await this.#says(name, [
      "corosync-cmapctl",
      "-g",
      "runtime.votequorum.wait_for_all_status",
    ]);
    return (
      /= 1$/m.test(waiting) && /^Quorate:\s+No$/m.test(await this.#says(name, ["corosync-quorumtool", "-s"]))
    );
  }

  async runs(unit: string, name: MachineName): Promise<boolean> {
    return await runsProgram(await this.#stage.lab(), name, unit);
  }

  /** Of Corosync's links, by node1's word or, while that is off, node2's. */
  async countLinks(): Promise<number> {
    const name = (await this.#answers("node1")) ? "node1" : "node2";
    const peer = name === "node1" ? 2 : 1;
    const links = await this.#says(name, ["corosync-cfgtool", "-s"]);
    return links.match(new RegExp(`nodeid:\\s+${peer}:\\s+connected`, "g"))?.length ?? 0;
  }

  /** Pacemaker's, and what a BMC did to a machine that ran, whoever commanded that. */
  async fencesAsked(): Promise<readonly string[]> {
    const asked = (await this.#journal()).flat().filter((line) => line.includes("Requesting fencing"));
    const forced = await Promise.all(machine_names.map((name) => this.#timesForcedOff(name)));
    const names = machine_names.filter((_, at) => (forced[at] ?? 0) > 0);
    return [...asked, ...names.map((name) => `${name} was switched off by its BMC`)];
  }

  async #timesForcedOff(name: MachineName): Promise<number> {
    const lab = await this.#stage.lab();
    const log = (await readIfThere(join(bmcFolder(machineOf(lab, name)), "device.log"))) ?? "";
    const { off_ms, on_ms } = bmcTimesOf(lab.record, name);
    return countApart(
      forcedOffs_ms(log).filter((at_ms) => at_ms >= this.#begun_ms),
      off_ms + on_ms,
    );
  }

  /** A machine that was off when it was fenced is not switched off, and one that was switched off may be confirmed by nobody. */
  async fencesOf(name: MachineName): Promise<number> {
    return Math.max(await this.fencesConfirmed(name), await this.#timesForcedOff(name));
  }

  /** Both machines' fencers may tell of the same fence: the one that tells more counts. */
  async fencesConfirmed(target: MachineName): Promise<number> {
    const told = new RegExp(`Operation 'off' targeting ${target} by .*: OK`);
    // Who asked for it while it was under way is told beside: that is the same fence.
    const isOne = (line: string) => told.test(line) && !line.includes("(merged)");
    const counts = (await this.#journal()).map((lines) => lines.filter(isOne).length);
    return Math.max(0, ...counts);
  }

  /** What Pacemaker wrote on each machine that can be asked since the scenario began; the journals outlive a power cut. */
  async #journal(): Promise<readonly (readonly string[])[]> {
    const since = `--since=@${Math.ceil(this.#begun_ms / 1000)}`;
    const argv = ["journalctl", "--no-pager", "--output=cat", "--unit=pacemaker", since];
    const found: (readonly string[])[] = [];
    for (const name of machine_names) {
      if (!(await this.#answers(name))) continue;
      try {
        found.push((await this.#says(name, argv, journal_ms)).split("\n"));
      } catch (error) {
        // It lost its power just now, and has it again, perhaps.
        const hadNone = error instanceof DuetError && error.problems[0]?.code === "DUET-E-LAB-POWER";
        if (!hadNone && (await this.#answers(name))) throw error;
      }
    }
    return found;
  }
}

/** What is commanded once more while the machine still goes off is the same Off: to be switched off again it has to be on before. */
export function countApart(moments_ms: readonly number[], apart_ms: number): number {
  let [count, last_ms] = [0, Number.NEGATIVE_INFINITY];
  for (const at_ms of moments_ms) {
    if (at_ms - last_ms < apart_ms) continue;
    count += 1;
    last_ms = at_ms;
  }
  return count;
}
