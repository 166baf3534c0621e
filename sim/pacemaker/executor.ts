import type { Kernel } from "../kernel/kernel.ts";
import { Life } from "../kernel/life.ts";
import { cancel, type Event } from "../kernel/queue.ts";
import { traceKind } from "../kernel/trace.ts";
import type { Notification, Operation, Outcome, PacemakerPolicy, ResourceAgent, Role } from "./agent.ts";

const line = traceKind(
  "pacemaker.action",
  (machine, what, outcome) => `machine ${machine}: ${what}: ${outcome}`,
);

interface Job {
  readonly operation: Operation;
  readonly notification: Notification | undefined;
  readonly done: (outcome: Outcome) => void;
}

/**
 * Runs the agent on one machine, one action at a time: whatever comes meanwhile waits in line, a monitor as well as a
 * notification. An action that overruns is killed: what it awaited never comes.
 */
export class Executor {
  role: Role = "stopped";
  readonly machine: number;
  readonly #kernel: Kernel;
  readonly #agent: ResourceAgent;
  readonly #policy: PacemakerPolicy;
  readonly #life: Life;
  readonly #monitored: (outcome: Outcome) => void;
  #line: Job[] = [];
  #running = false;
  #monitor: Event | undefined;

  constructor(
    kernel: Kernel,
    machine: number,
    agent: ResourceAgent,
    policy: PacemakerPolicy,
    life: Life,
    monitored: (outcome: Outcome) => void,
  ) {
    this.#kernel = kernel;
    this.machine = machine;
    this.#agent = agent;
    this.#policy = policy;
    this.#life = life;
    this.#monitored = monitored;
  }

  run(operation: Operation, done: (outcome: Outcome) => void, notification?: Notification): void {
    if (operation !== "monitor" && operation !== "notify") cancel(this.#monitor);
    this.#line.push({ operation, notification, done });
    this.#next();
  }

  #next(): void {
    if (this.#running || !this.#life.alive) return;
    const job = this.#line.shift();
    if (job === undefined) return;
    this.#running = true;
    this.#perform(job, (outcome) => {
      this.#running = false;
      if (this.#kernel.trace.on) this.#kernel.note(line, this.machine, nameOf(job), outcome);
      this.#settle(job.operation, outcome);
      job.done(outcome);
      this.#next();
    });
  }

  #perform(job: Job, finished: (outcome: Outcome) => void): void {
    const life = new Life(this.#life);
    const end = (outcome: Outcome) => {
      if (!life.alive) return;
      life.end();
      cancel(timer);
      finished(outcome);
    };
    const timer = this.#kernel.after(this.#policy.timeouts_us[job.operation], () =>
      life.whenAwake(() => end("timed out")),
    );
    const context = { machine: this.machine, life, role: this.role, notification: job.notification };
    this.#kernel.tasks.start(async () => {
      let outcome: Outcome;
      try {
        outcome = await this.#agent.run(job.operation, context);
      } catch {
        outcome = "error";
      }
      end(outcome);
    });
  }

  #settle(operation: Operation, outcome: Outcome): void {
    const good = outcome === "ok";
    if (operation === "monitor") {
      this.role =
        outcome === "ok"
          ? "started"
          : outcome === "promoted"
            ? "promoted"
            : outcome === "not running"
              ? "stopped"
              : this.role;
    } else if (operation === "start" || operation === "demote") this.role = good ? "started" : this.role;
    else if (operation === "promote") this.role = good ? "promoted" : this.role;
    else if (operation === "stop") this.role = good ? "stopped" : this.role;
    if (operation !== "notify") this.#watch();
  }

  /** The recurring monitor, with an interval for each role. */
  #watch(): void {
    cancel(this.#monitor);
    if (this.role !== "started" && this.role !== "promoted") return;
    this.#monitor = this.#kernel.after(this.#policy.monitor_us[this.role], () =>
      this.#life.whenAwake(() => {
        const expected = this.role;
        this.run("monitor", (outcome) => {
          const fine = outcome === (expected === "promoted" ? "promoted" : "ok");
          if (!fine) this.#monitored(outcome);
        });
      }),
    );
  }
}

const nameOf = ({ operation, notification }: Job): string =>
  notification === undefined
    ? operation
    : `notify ${notification.when}-${notification.operation} of ${notification.machines.join(" and ")}`;
