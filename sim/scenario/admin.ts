import type { Word } from "../../src/decide/facts.ts";
import { judgeRefused } from "../../src/scenario/refused.ts";
import type { MachineName } from "../../src/scenario/slots.ts";
import type { Doing, Seen } from "../../src/scenario/world.ts";
import { AcceptedLosses } from "../accepted-losses.ts";
import { chooseData } from "../agents/choose.ts";
import { confirmDown } from "../agents/confirm.ts";
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
    "admin-chooses-loss": ({ machine, epoch }) => types(() => admin.choose(idOf(machine), epoch)),
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
      said: (word, machine) => this.#accepted.said(machine, word),
      ended: (code) => {
        this.ends[index] = { code };
      },
    });
  }

  /** On the machine whose data is chosen; where that does not run, on the other. */
  choose(id: number, accept?: Word["accept"]): void {
    const { world } = this.#stage;
    this.#stage.noteAside();
    const runs = world.machine(id).up && !world.machine(id).hung;
    const at = this.#stage.node(runs ? id : 1 - id);
    const index = this.ends.push(undefined) - 1;
    chooseData(at, this.#stage.node(id).name, accept, {
      said: (word, machine) => this.#accepted.said(machine, word),
      ended: (code) => {
        this.ends[index] = { code };
      },
    });
  }
}
