import { no_word, type Word } from "../../src/decide/facts.ts";
import { judgeRefused } from "../../src/scenario/refused.ts";
import type { MachineName } from "../../src/scenario/slots.ts";
import type { Doing, Seen } from "../../src/scenario/world.ts";
import { AcceptedLosses } from "../accepted-losses.ts";
import { confirmDown } from "../agents/confirm.ts";
import { wake } from "../agents/etcd.ts";
import { membershipOf } from "../agents/facts.ts";
import { idOf, type SimStage } from "./stage.ts";

/** As long as the lab gives a command: it may fence first, in its turn. */
const command_ms = 400_000;

/** What an admin says at a terminal. It replaces a proof; what the rules make of it is theirs. */
export function adminWords(stage: SimStage): Doing {
  const admin = new Admin(stage);
  const about = (machine: MachineName): number => 1 - idOf(machine);
  const types = (work: () => void): Promise<Seen> =>
    stage.deed(() => {
      admin.ends.length = 0;
      work();
    });
  return {
    "admin-down": ({ machine }) => types(() => admin.confirm(about(machine))),
    "admin-down-loss": ({ machine, epoch }) => types(() => admin.confirm(about(machine), epoch)),
    "admin-both-down": () => types(() => [0, 1].forEach((id) => admin.confirm(id))),
    "admin-chooses": ({ machine }) => types(() => admin.choose(idOf(machine))),
    "admin-unblocks": ({ machine }) => stage.deed(() => stage.world.corosync.cancelWaitForAll(idOf(machine))),
    "admin-confirms": ({ machine }): Promise<Seen> =>
      stage.deed(() => stage.world.pacemaker.controller(about(machine))?.confirmFence(idOf(machine))),
    "expect-admin-refused": async ({ code }) => {
      const { ends } = admin;
      const ended = await stage.until(command_ms, "what the admin typed has not ended", () =>
        ends.every((end) => end !== undefined),
      );
      const codes = ends.map((end) => end?.code);
      return ended.ok ? stage.verdict(judgeRefused(code, codes)) : ended;
    },
  };
}

class Admin {
  readonly #stage: SimStage;
  readonly #accepted: AcceptedLosses;
  /** How each command of the last step ended; undefined: it has not. */
  readonly ends: ({ readonly code: string | undefined } | undefined)[] = [];

  constructor(stage: SimStage) {
    this.#stage = stage;
    this.#accepted = new AcceptedLosses(stage);
  }

  confirm(id: number, accept?: Word["accept"]): void {
    if (accept !== undefined) this.#stage.noteAside();
    const index = this.ends.push(undefined) - 1;
    confirmDown(this.#stage.node(id), accept, {
      said: (word) => this.#accepted.said(id, word),
      ended: (code) => {
        this.ends[index] = { code };
      },
    });
  }

  /** For the membership in which it is said. */
  #say(id: number, said: Partial<Word>): void {
    const node = this.#stage.node(id);
    if (!this.#stage.world.machine(id).up) return;
    const { ring } = membershipOf(node);
    const word: Word = { ...no_word, ...said };
    node.memory.spoken = { word, ring };
    this.#accepted.said(id, word);
    wake(node);
  }

  /** On whichever machine runs: one learns that its data is chosen, the other that its own is not. */
  choose(id: number): void {
    this.#stage.noteAside();
    // Somebody has looked: what failed before is tried again.
    this.#stage.node(id).memory.failedStarts = 0;
    this.ends.push({ code: undefined });
    this.#say(id, { choose: "self" });
    this.#say(1 - id, { choose: "peer" });
  }
}
