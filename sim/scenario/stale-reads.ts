import { stale_ms_max } from "../../src/scenario/phrases.ts";
import type { Doing } from "../../src/scenario/world.ts";
import { idOf, type SimStage } from "./stage.ts";

/** As often as a reader of the lab asks, and a little more. */
const ask_us = 50_000;

/** What a serializable read needs: a process that runs, with what it has applied. */
function answers({ world }: SimStage, id: number): boolean {
  const { open: running } = world.unit(id);
  return running !== undefined && !running.paused && !running.isLearner;
}

/** Readers of each machine, from the clients' begin to their end: how long each was without an answer. */
class StaleReads {
  readonly #stage: SimStage;
  readonly #answered_us = [0, 0];
  readonly #gaps_us = [0, 0];
  /** Those that began later are others. */
  #crowd = 0;

  constructor(stage: SimStage) {
    this.#stage = stage;
  }

  begin(): void {
    this.#crowd += 1;
    this.#answered_us.fill(this.#stage.world.kernel.now_us);
    this.#gaps_us.fill(0);
    this.#ask(this.#crowd);
  }

  #ask(crowd: number): void {
    const { load, world } = this.#stage;
    if (!load.running || crowd !== this.#crowd) return;
    for (const id of this.#answered_us.keys()) {
      this.#gaps_us[id] = this.gap_us(id);
      if (answers(this.#stage, id)) this.#answered_us[id] = world.kernel.now_us;
    }
    world.kernel.after(ask_us, () => this.#ask(crowd));
  }

  /** Up to now where they still ask: one that is never answered again has no other end. */
  gap_us(id: number): number {
    const { load, world } = this.#stage;
    const since_us = load.running ? world.kernel.now_us - (this.#answered_us[id] ?? 0) : 0;
    return Math.max(this.#gaps_us[id] ?? 0, since_us);
  }
}

export function staleWords(stage: SimStage): Doing {
  const reads = new StaleReads(stage);
  // The clients that write are also those that read.
  stage.load.onStart.push(() => reads.begin());
  return {
    "expect-stale-reads": () => {
      const heard = new Set<number>();
      const mute = () => stage.world.machines.filter(({ id, up, hung }) => up && !hung && !heard.has(id));
      return stage.until(stale_ms_max, "a machine that lives answers nothing", () => {
        for (const { id } of mute()) if (answers(stage, id)) heard.add(id);
        return mute().length === 0;
      });
    },
    "expect-stale-gap": async ({ machine, duration }) => {
      const gap_ms = reads.gap_us(idOf(machine)) / 1000;
      return stage.verdict({
        ok: stage.load.acknowledged_us.length > 0 && gap_ms <= duration,
        seen: `the longest gap of ${machine} was ${(gap_ms / 1000).toFixed(2)} s`,
      });
    },
  };
}
