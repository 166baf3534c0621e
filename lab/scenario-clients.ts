import { cp, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { now_ms, sleep } from "../src/machine/clock.ts";
import type { Progress } from "../src/machine/progress.ts";
import { stale_ms_max } from "../src/scenario/phrases.ts";
import { type MachineName, machine_names } from "../src/scenario/slots.ts";
import type { Doing, Seen } from "../src/scenario/world.ts";
import { Crowd } from "./clients/crowd.ts";
import { demands } from "./clients/demands.ts";
import { figuresOf } from "./clients/figures.ts";
import { operatorsSeat } from "./clients/seat.ts";
import type { Status } from "./clients/status.ts";
import { machineOf } from "./folder.ts";
import { isHung, isOn } from "./metal/power.ts";
import type { Etcds } from "./scenario-etcds.ts";
import type { Eyes } from "./scenario-eyes.ts";
import { Failures } from "./scenario-failures.ts";
import type { Stage } from "./scenario-stage.ts";

const look_ms = 100;
const second_us = 1_000_000;

/** The clients of a scenario: from `clients write` on they write and read, until the scenario stops them or looks at their history. */
export class Clients {
  readonly #stage: Stage;
  readonly #etcds: Pick<Etcds, "voters">;
  readonly #progress: Progress;
  readonly #reuse: boolean;
  /** All that wrote in this scenario; the last one may still be at it. */
  readonly #crowds: Crowd[] = [];
  /** Nothing is left to learn from these. */
  readonly #judged = new Set<Crowd>();
  readonly #bounds_ms: number[] = [];
  readonly #failures = new Failures(() => this.last?.status);
  /** By machine: what its etcd answered with an error. */
  readonly #errors = new Map(
    machine_names.map((name) => [name, new Failures(() => errorsOf(this.last?.status, name))]),
  );

  constructor(stage: Stage, etcds: Pick<Etcds, "voters">, progress: Progress, reuse: boolean) {
    this.#stage = stage;
    this.#etcds = etcds;
    this.#progress = progress;
    this.#reuse = reuse;
  }

  get last(): Crowd | undefined {
    return this.#crowds.at(-1);
  }

  async begin(per_s: number | undefined): Promise<void> {
    await this.stop();
    const lab = await this.#stage.lab();
    for (const name of machine_names) {
      const machine = machineOf(lab, name);
      if (!(await isOn(lab, machine)) || (await isHung(lab, machine))) continue;
      this.#crowds.push(await Crowd.begin(await operatorsSeat(lab, name, this.#progress), per_s));
      for (const each of [this.#failures, ...this.#errors.values()]) each.forget();
      return;
    }
  }

  /** Somebody is about to be lost. */
  markFailures(): void {
    for (const each of [this.#failures, ...this.#errors.values()]) each.mark();
  }

  get haveFailed(): boolean {
    return this.#failures.any;
  }

  /** Since the mark, its etcd answered a write with an error. */
  hasAnsweredErrors(machine: MachineName): boolean {
    return this.#errors.get(machine)?.any === true;
  }

  async stop(): Promise<void> {
    if (this.last?.isOver === false) await this.last.stop();
  }

  /** Now, and once more when the history is looked at: some writes are still under way. */
  async endWithin(bound_ms: number): Promise<Seen> {
    this.#bounds_ms.push(bound_ms);
    return endedWithin(await this.last?.fresh(), bound_ms);
  }

  /** Each machine that lives answers a serializable read that is asked for now. */
  async staleReadsGoOn(): Promise<Seen> {
    const lab = await this.#stage.lab();
    const asked_us = (await this.last?.fresh())?.now_us ?? 0;
    const answered = (name: string) =>
      (this.last?.status.endpoints[name]?.last_serializable_us ?? 0) > asked_us;
    const mute: string[] = [];
    for (const name of machine_names) {
      const machine = machineOf(lab, name);
      if (!(await isOn(lab, machine)) || (await isHung(lab, machine))) continue;
      for (const end_ms = now_ms() + stale_ms_max; !answered(name) && now_ms() < end_ms; )
        await sleep(look_ms);
      // One that was fenced meanwhile owes no answer.
      if (!answered(name) && (await isOn(lab, machine))) mute.push(`${name} answers nothing`);
    }
    return { ok: mute.length === 0, seen: mute.join(", ") };
  }

  async noStaleGapOver(machine: MachineName, bound_ms: number): Promise<Seen> {
    return staleWithin(await this.last?.fresh(), machine, bound_ms);
  }

  async noGapOver(bound_ms: number): Promise<Seen> {
    const status = await this.last?.fresh();
    const gap_us = status?.gap_us ?? 0;
    return {
      ok: (status?.acknowledged ?? 0) > 0 && gap_us <= bound_ms * 1000,
      seen: `the longest gap was ${(gap_us / second_us).toFixed(2)} s`,
    };
  }

  /** Whoever has a vote now answers those who still read a linearizable read. */
  async #unreadNow(): Promise<readonly string[]> {
    if (this.last === undefined || this.last.isOver) return [];
    const mute = await this.last.unread(await this.#etcds.voters());
    return mute.map((name) => `${name} has a vote, and answers the clients no linearizable read`);
  }

  /**
   * Every acknowledged write is found on each machine that votes, each history is linearizable, and the clients were as many, and read
   * where they should. They stop for it.
   */
  async nothingLost(): Promise<Seen> {
    const unread = await this.#unreadNow();
    await this.stop();
    if (unread.length > 0) return { ok: false, seen: unread.join("; ") };
    const told: string[] = [];
    for (const crowd of this.#crowds) {
      const [found, verdict] = [await crowd.verify(), await crowd.check()];
      const late = this.#bounds_ms.filter((bound_ms) => crowd.status.longest_us > bound_ms * 1000);
      const problems = [
        ...found.problems,
        ...verdict.problems,
        ...demands(found, verdict),
        ...late.map((bound_ms) => `a write took longer than ${bound_ms / 1000} s`),
      ];
      if (problems.length > 0)
        return { ok: false, seen: `${problems.join("; ")}. The history is in ${await kept(crowd)}` };
      this.#judged.add(crowd);
      told.push(figuresOf(crowd.status, found, verdict));
    }
    return { ok: this.#crowds.length > 0, seen: told.join("; ") || "no client has written" };
  }

  /** Over whatever was lost and accepted: nobody was given a revision again, or a lower one. They stop for it. */
  async revisionsGrew(): Promise<Seen> {
    await this.stop();
    let seen = 0;
    let now = 0;
    for (const crowd of this.#crowds) {
      const found = await crowd.revisions(seen);
      if (!found.ok)
        return {
          ok: false,
          seen: `${found.problems.join("; ")}. The history is in ${await kept(crowd)}`,
        };
      ({ seen, now } = found);
    }
    if (seen === 0) return { ok: false, seen: "no client was answered" };
    return { ok: true, seen: `clients saw revision ${seen}, and etcd is at ${now}` };
  }

  async close(): Promise<void> {
    for (const crowd of this.#crowds) crowd.kill();
    // A lab that goes takes its data with it; one that stays would reach its quota after some dozen scenarios.
    if (this.#reuse) for (const crowd of this.#judged) await crowd.clean();
  }
}

/** Of writes that there were none no bound is kept. */
export function endedWithin(
  status: Pick<Status, "acknowledged" | "failed" | "longest_us"> | undefined,
  bound_ms: number,
): Seen {
  if (status === undefined || status.acknowledged + status.failed === 0)
    return { ok: false, seen: "no client has written" };
  return {
    ok: status.longest_us <= bound_ms * 1000,
    seen: `the longest write took ${(status.longest_us / second_us).toFixed(1)} s`,
  };
}

const errorsOf = (status: Pick<Status, "endpoints"> | undefined, machine: MachineName) => ({
  failed: status?.endpoints[machine]?.errors ?? 0,
  open: 0,
});

function errorsTold(status: Pick<Status, "endpoints"> | undefined, machine: MachineName): string {
  const { errors = 0, longest_error_us = 0 } = status?.endpoints[machine] ?? {};
  return `${errors} writes were answered with an error, after ${(longest_error_us / second_us).toFixed(1)} s at most`;
}

/** The time since a machine's last answer counts as well, as long as it is asked. Where it never answered there is no gap to tell of. */
export function staleWithin(
  status: Pick<Status, "now_us" | "ended" | "endpoints"> | undefined,
  machine: MachineName,
  bound_ms: number,
): Seen {
  const reads = status?.endpoints[machine];
  if (status === undefined || reads === undefined || reads.serializable === 0)
    return { ok: false, seen: `${machine} has answered none` };
  const since_us = status.ended ? 0 : status.now_us - reads.last_serializable_us;
  const gap_us = Math.max(reads.serializable_gap_us, since_us);
  return {
    ok: gap_us <= bound_ms * 1000,
    seen: `the longest gap of ${machine} was ${(gap_us / second_us).toFixed(2)} s`,
  };
}

/** The history, and porcupine's picture of it, outlive the lab. */
async function kept(crowd: Crowd): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "duet-history-"));
  await cp(crowd.history, join(folder, "history.jsonl"));
  await cp(crowd.picture, join(folder, "violation.html")).catch(() => undefined);
  return folder;
}

/** What a scenario says of its clients. */
export function clientWords(clients: Clients, eyes: Eyes): Doing {
  const begin = async (per_s: number | undefined): Promise<Seen> => {
    await clients.begin(per_s);
    const acknowledged = clients.last?.status.acknowledged ?? 0;
    return { ok: acknowledged > 0, seen: acknowledged > 0 ? "" : "no write was acknowledged" };
  };
  return {
    "clients-write": () => begin(undefined),
    "clients-rate": ({ number }) => begin(number),
    "stop-clients": async () => {
      await clients.stop();
      return { ok: true, seen: "" };
    },
    "until-writes-fail": ({ within_ms }) =>
      eyes.until("no write has failed", within_ms, async () => clients.haveFailed, look_ms),
    "until-write-errors": async ({ machine, within_ms }) => {
      const seen = await eyes.until(
        `${machine} has answered no write with an error`,
        within_ms,
        async () => clients.hasAnsweredErrors(machine),
        look_ms,
      );
      return seen.ok ? { ...seen, seen: errorsTold(clients.last?.status, machine) } : seen;
    },
    "expect-nothing-lost": () => clients.nothingLost(),
    "expect-bounded-writes": ({ duration }) => clients.endWithin(duration),
    "expect-stale-reads": () => clients.staleReadsGoOn(),
    "expect-stale-gap": ({ machine, duration }) => clients.noStaleGapOver(machine, duration),
    "expect-gap": ({ duration }) => clients.noGapOver(duration),
    "expect-revisions": () => clients.revisionsGrew(),
  };
}
