import type { View } from "../corosync.ts";
import { label } from "../kernel/label.ts";
import type { Life } from "../kernel/life.ts";
import { traceKind } from "../kernel/trace.ts";
import type { Notification, Operation, Outcome } from "./agent.ts";
import type { Cluster } from "./cluster.ts";
import { Executor } from "./executor.ts";
import { fence } from "./fencer.ts";
import { type Known, forget, noteFailure, noteFenced, unknownMachine } from "./known.ts";
import { type Belief, describe, isEmpty, type Plan, planFor } from "./plan.ts";

/** Name of the transient attribute that holds the promotion score. */
export const scoreAttribute = "promotion-score";

const notifyLost = label("pacemaker.notify-lost");
const notifyLate = label("pacemaker.notify-late");
const notifyDelay = label("pacemaker.notify-delay");
const electionPick = label("pacemaker.dc");
const dcLine = traceKind("pacemaker.dc", (machine) => `machine ${machine} is the coordinator`);
const planLine = traceKind("pacemaker.plan", (machine, what) => `coordinator ${machine}: ${what}`);

/**
 * Pacemaker on one machine. One of the two is the coordinator (DC): it compares what it believes with what is wanted, and works
 * through the difference, until something changes and it plans anew. Alone, each is its own coordinator.
 */
export class Controller {
  readonly machine: number;
  readonly life: Life;
  readonly executor: Executor;
  readonly #cluster: Cluster;
  readonly #known: [Known, Known];
  #view: View | undefined;
  #dc = false;
  #ready = false;
  #working = false;
  #stale = false;
  #leaving: (() => void) | undefined;

  constructor(cluster: Cluster, machine: number, life: Life) {
    this.#cluster = cluster;
    this.machine = machine;
    this.life = life;
    this.#known = [unknownMachine(), unknownMachine()];
    const { kernel, agent, policy } = cluster;
    this.executor = new Executor(kernel, machine, agent, policy, life, (outcome) =>
      this.#report(machine, "monitor", outcome),
    );
    this.#of(machine).online = true;
    // A lone starter looks for others first.
    kernel.after(policy.dc_deadtime_us, () => this.#deadtimeOver());
  }

  belief(machine: number): Belief {
    const score = this.#cluster.attributes.get(this.machine, machine, scoreAttribute);
    const known = this.#of(machine);
    const standby = known.standby || this.#cluster.onStandby.has(machine);
    return { ...known, standby, score: score === undefined ? undefined : Number(score) };
  }

  #of(machine: number): Known {
    return machine === 0 ? this.#known[0] : this.#known[1];
  }

  #deadtimeOver(): void {
    if (this.life.alive && !this.#ready && this.#view?.members.length !== 2) this.#lead();
    this.#ready = true;
  }

  /** Corosync has news. */
  viewed(view: View): void {
    if (!this.life.alive) return;
    const peer = 1 - this.machine;
    const before = this.#view?.members.includes(peer) ?? false;
    const now = view.members.includes(peer);
    this.#view = view;
    if (before && !now) this.#peerLost();
    if (now && !before) this.#peerJoined();
    this.wake();
  }

  #peerLost(): void {
    const known = this.#of(1 - this.machine);
    // It said goodbye when nothing ran there any more, or was fenced; otherwise it may run anything.
    if (known.online) known.unclean = !(known.standby && known.role === "stopped");
    known.online = false;
    this.#ready = true;
    this.#lead();
  }

  #peerJoined(): void {
    const other = this.#cluster.controller(1 - this.machine);
    const known = this.#of(1 - this.machine);
    this.#ready = true;
    if (other === undefined) return;
    // It is back, whatever was planned against it; what it runs it tells itself.
    known.online = true;
    known.unclean = false;
    known.standby = other.#of(other.machine).standby;
    known.role = "unknown";
    // Whoever sees the other second: who has not seen this one yet would be left with a coordinator that it never met.
    if (other.#view?.ring === this.#view?.ring) this.#elect(other);
  }

  /** The peer's Pacemaker came up within the membership. */
  peerStarted(): void {
    if (this.#view?.members.length === 2) this.#peerJoined();
    this.wake();
  }

  #elect(other: Controller): void {
    if (this.#dc && other.#dc) {
      const stays = this.#cluster.kernel.choices.pick(electionPick, 2) === 0 ? this : other;
      (stays === this ? other : this).#dc = false;
    } else if (!this.#dc && !other.#dc) {
      (this.#cluster.kernel.choices.pick(electionPick, 2) === 0 ? this : other).#lead();
    }
  }

  #lead(): void {
    if (this.#dc) return;
    this.#dc = true;
    this.#cluster.kernel.note(dcLine, this.machine);
    // What its executor found last was told to a coordinator that is dead by now.
    this.#adopt();
    const peer = this.#of(1 - this.machine);
    // Never seen since this one started: unknown, not absent.
    if (!peer.online && peer.role === "unknown" && this.#cluster.policy.startup_fencing) peer.unclean = true;
    this.wake();
  }

  /** The configuration's status section is the same on both, a moment later: whoever leads next goes on from it. */
  #share(): void {
    if (!this.#dc) return;
    const copies = this.#known.map((known) => ({ ...known }));
    this.#cluster.corosync.cast(this.machine, () => {
      const other = this.#cluster.controller(1 - this.machine);
      if (other === undefined || other.#dc) return;
      for (const [machine, copy] of copies.entries()) Object.assign(other.#of(machine), copy);
    });
  }

  /** Something changed: the plan that is being worked on ends after its present step. */
  wake(): void {
    this.#stale = true;
    if (!this.#dc || this.#working || !this.life.alive) return;
    this.#working = true;
    this.#cluster.kernel.tasks.start(async () => {
      await this.#work();
    });
  }

  async #work(): Promise<void> {
    const { kernel, policy } = this.#cluster;
    while (this.#dc && this.#stale) {
      this.#stale = false;
      await kernel.tasks.sleep(this.life, 5_000);
      this.#maybeLeave();
      if (this.#cluster.maintenance) continue;
      const quorate = this.#view?.quorate ?? false;
      const plan = planFor([this.belief(0), this.belief(1)], quorate, policy, kernel.now_us);
      if (isEmpty(plan)) continue;
      if (kernel.trace.on) kernel.note(planLine, this.machine, describe(plan));
      await this.#perform(plan);
    }
    this.#working = false;
  }

  async #perform(plan: Plan): Promise<void> {
    if (plan.probe.length > 0) {
      await this.#each("monitor", plan.probe);
      this.#stale = true;
      return;
    }
    const peerGone = plan.fence.filter((target) => this.#of(target).role !== "stopped");
    const stopping = [...plan.stop, ...peerGone];
    const demoting = [...plan.demote, ...peerGone.filter((target) => this.#of(target).role === "promoted")];
    // The warning and the fence don't wait for each other: it proves nothing, and may come before or after.
    const fenced = this.#fenceAll(plan.fence);
    await this.#notify("pre", "demote", demoting);
    await this.#notify("pre", "stop", stopping);
    await this.#each("demote", plan.demote);
    await this.#each("stop", plan.stop);
    if (!(await fenced)) {
      await this.#cluster.kernel.tasks.sleep(this.life, this.#cluster.policy.fence_again_us);
      this.#stale = true;
      return;
    }
    await this.#notify("post", "demote", demoting);
    await this.#notify("post", "stop", stopping);
    for (const [operation, machines] of [
      ["start", plan.start],
      ["promote", plan.promote],
    ] as const) {
      if (machines.length === 0) continue;
      if (this.#stale) return;
      await this.#notify("pre", operation, machines);
      await this.#each(operation, machines);
      await this.#notify("post", operation, machines);
      this.#stale = true;
    }
    if (stopping.length + demoting.length > 0) this.#stale = true;
  }

  async #fenceAll(targets: readonly number[]): Promise<boolean> {
    for (const target of targets) {
      // It came back while this one planned: nobody is fenced for old news.
      if (!this.#of(target).unclean) return false;
      const machine = target === this.machine ? 1 - target : this.machine;
      const ok = await this.#fence(machine, target);
      this.#cluster.fenced(machine, target, ok);
      if (!ok) return false;
      noteFenced(this.#of(target));
      this.#share();
    }
    return true;
  }

  /** Nobody fences itself: the other does it, if it is there. */
  #fence(machine: number, target: number): Promise<boolean> {
    const { kernel, fenceAgent, policy } = this.#cluster;
    return kernel.tasks.answer<boolean>(this.life, (resolve) => {
      const doer = this.#cluster.controller(machine);
      if (doer === undefined) {
        resolve(false);
        return;
      }
      let open = true;
      const watch = () => {
        if (!doer.life.alive) resolve(false);
        else if (open && doer !== this) kernel.after(500_000, watch);
      };
      watch();
      kernel.tasks.start(async () => {
        const ok = await fence(kernel, fenceAgent, policy, { machine, target, life: doer.life });
        open = false;
        resolve(ok);
      });
    });
  }

  async #each(operation: Operation, machines: readonly number[]): Promise<void> {
    await this.#cluster.kernel.tasks.all(machines.map((machine) => () => this.#act(operation, machine)));
  }

  async #act(operation: Operation, machine: number, notification?: Notification): Promise<void> {
    const outcome = await this.#ask(operation, machine, notification);
    if (outcome !== undefined && operation !== "notify") this.#report(machine, operation, outcome);
  }

  /** Runs an action here or there; undefined where the other is lost before it answers. */
  #ask(operation: Operation, machine: number, notification?: Notification): Promise<Outcome | undefined> {
    const { kernel, corosync } = this.#cluster;
    return kernel.tasks.answer<Outcome | undefined>(this.life, (resolve) => {
      if (machine === this.machine) return this.executor.run(operation, resolve, notification);
      // Lost since this was planned: nobody there would ever answer.
      if (this.#view?.members.includes(machine) !== true) return resolve(undefined);
      const ring = this.#view.ring;
      let open = true;
      const watch = () => {
        if (!open || !this.life.alive) return;
        if (this.#view?.ring !== ring || this.#cluster.controller(machine) === undefined) resolve(undefined);
        else kernel.after(200_000, watch);
      };
      watch();
      corosync.cast(this.machine, () => {
        const doer = this.#cluster.controller(machine);
        doer?.executor.run(
          operation,
          (outcome) => {
            doer.#ran(operation);
            corosync.cast(machine, () => {
              open = false;
              resolve(outcome);
            });
          },
          notification,
        );
      });
    });
  }

  /**
   * An action is done here, and the other coordinates. Where the ring has changed meanwhile, or the other is dead, it never
   * hears of that, and this one coordinates now or soon: it knows its own executor.
   */
  #ran(operation: Operation): void {
    if (operation !== "notify" && operation !== "monitor") this.#adopt();
  }

  #adopt(): void {
    const known = this.#of(this.machine);
    if (known.role === "unknown") return;
    known.role = this.executor.role;
    this.wake();
  }

  /** To every machine that runs the resource. Some come late, some not at all, and nobody asks what became of them. */
  async #notify(
    when: "pre" | "post",
    operation: Notification["operation"],
    machines: readonly number[],
  ): Promise<void> {
    if (machines.length === 0) return;
    const { kernel, policy } = this.#cluster;
    const notification: Notification = { when, operation, machines };
    await kernel.tasks.all(
      [0, 1]
        .filter(
          (machine) => this.#of(machine).online && ["started", "promoted"].includes(this.#of(machine).role),
        )
        .map((machine) => async () => {
          const { notify_lost_ppm, notify_late_ppm } = policy;
          if (kernel.choices.fault(notifyLost, 2, notify_lost_ppm) > 0) return;
          if (kernel.choices.fault(notifyLate, 2, notify_late_ppm) > 0)
            await kernel.tasks.sleep(this.life, 1_000_000 + kernel.choices.jitter(notifyDelay, 9_000_000));
          await this.#act("notify", machine, notification);
        }),
    );
  }

  /** An action ended, or a monitor found something wrong, on this machine or the other. */
  #report(machine: number, operation: Operation, outcome: Outcome): void {
    if (!this.#dc) {
      if (machine === this.machine) this.#ran(operation);
      this.#cluster.corosync.cast(this.machine, () => {
        const other = this.#cluster.controller(1 - this.machine);
        if (other !== undefined && other.#dc) other.#report(machine, operation, outcome);
      });
      return;
    }
    const { kernel, policy } = this.#cluster;
    const known = this.#of(machine);
    const probe = operation === "monitor" && known.role === "unknown";
    known.role = this.#cluster.controller(machine)?.executor.role ?? known.role;
    if (outcome === "ok" || outcome === "promoted" || (probe && outcome === "not running"))
      known.failed = false;
    else {
      noteFailure(known, operation, policy, kernel.now_us);
      // Then the failure is forgotten, and what was given up may be tried again.
      kernel.after(policy.failure_timeout_us, () => this.wake());
    }
    this.#share();
    this.wake();
  }

  /** `stonith_admin --confirm`: somebody says that this machine is off, and Pacemaker takes it for a fence. */
  confirmFence(target: number): void {
    noteFenced(this.#of(target));
    this.#share();
    this.wake();
  }

  /** `crm_resource --cleanup`: what failed there is forgotten, and it is looked at anew. */
  cleanUp(target: number): void {
    forget(this.#of(target));
    this.#share();
    this.wake();
  }

  /** The resource's monitor says that it failed: it is stopped and started again in place. */
  monitorFailed(): void {
    this.#report(this.machine, "monitor", "error");
  }

  /** Until this Pacemaker ends: the resource is to leave this machine, or may come back. */
  standby(on: boolean): void {
    this.#of(this.machine).standby = on;
    this.#share();
    const other = this.#cluster.controller(1 - this.machine);
    this.#cluster.corosync.cast(this.machine, () => {
      if (other === undefined) return;
      other.#of(this.machine).standby = on;
      other.#share();
      other.wake();
    });
    this.wake();
  }

  /** An orderly end of Pacemaker: its resource is stopped first, by whoever coordinates. */
  leave(done: () => void): void {
    this.#leaving = done;
    this.standby(true);
    const look = () => {
      if (!this.life.alive || this.#leaving === undefined) return;
      this.#maybeLeave();
      this.#cluster.kernel.after(100_000, look);
    };
    look();
  }

  #maybeLeave(): void {
    const done = this.#leaving;
    if (done === undefined || (this.executor.role !== "stopped" && !this.#cluster.maintenance)) return;
    this.#leaving = undefined;
    this.#dc = false;
    done();
  }
}
