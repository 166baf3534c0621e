import { no_word, type Word } from "../../src/decide/facts.ts";
import type { MachineName } from "../../src/scenario/slots.ts";
import type { Doing, Seen } from "../../src/scenario/world.ts";
import { AcceptedLosses } from "../accepted-losses.ts";
import { confirmDown } from "../agents/confirm.ts";
import { wake } from "../agents/etcd.ts";
import { membershipOf } from "../agents/facts.ts";
import { idOf, type SimStage } from "./stage.ts";

/** What an admin says at a terminal. It replaces a proof; what the rules make of it is theirs. */
export function adminWords(stage: SimStage): Doing {
  const admin = new Admin(stage);
  const about = (machine: MachineName): number => 1 - idOf(machine);
  return {
    "admin-down": ({ machine }) => stage.deed(() => admin.confirm(about(machine))),
    "admin-down-loss": ({ machine, epoch }) => stage.deed(() => admin.confirm(about(machine), epoch)),
    "admin-both-down": () => stage.deed(() => [0, 1].forEach((id) => admin.confirm(id))),
    "admin-chooses": ({ machine }) => stage.deed(() => admin.choose(idOf(machine))),
    "admin-unblocks": ({ machine }) => stage.deed(() => stage.world.corosync.cancelWaitForAll(idOf(machine))),
    "admin-confirms": ({ machine }): Promise<Seen> =>
      stage.deed(() => stage.world.pacemaker.controller(about(machine))?.confirmFence(idOf(machine))),
  };
}

class Admin {
  readonly #stage: SimStage;
  readonly #accepted: AcceptedLosses;

  constructor(stage: SimStage) {
    this.#stage = stage;
    this.#accepted = new AcceptedLosses(stage);
  }

  confirm(id: number, accept?: Word["accept"]): void {
    if (accept !== undefined) this.#stage.noteAside();
    confirmDown(this.#stage.node(id), accept, { said: (word) => this.#accepted.said(id, word) });
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
    this.#say(id, { choose: "self" });
    this.#say(1 - id, { choose: "peer" });
  }
}
