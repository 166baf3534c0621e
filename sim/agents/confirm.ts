import { onceOff, seeOff } from "../../src/agents/admin/off.ts";
import { toAccept, wouldServe } from "../../src/agents/admin/loss.ts";
import { DuetError } from "../../src/base/problem.ts";
import { decide } from "../../src/decide/decide.ts";
import { no_word, type Word } from "../../src/decide/facts.ts";
import { Life } from "../kernel/life.ts";
import { traceKind } from "../kernel/trace.ts";
import { effectsOf } from "./effects.ts";
import { wake } from "./etcd.ts";
import { membershipOf } from "./facts.ts";
import type { Node } from "./node.ts";

const commandLine = traceKind(
  "duet.command",
  (machine, what) => `${machine}: duet confirm-peer-down ${what}`,
);

const wordIn = ({ memory: { spoken } }: Node, ring: string): Word =>
  spoken?.ring === ring ? spoken.word : no_word;

/** What the person before it makes of it. */
export interface Person {
  /** In the moment in which it is said. */
  readonly said: (word: Word, machine: number) => void;
  /** It was refused, and this could be accepted instead, as the refusal says. */
  readonly refused?: (instead: Word["accept"]) => void;
  /** The command has ended, and by which code where it was refused. */
  readonly ended?: (code?: string) => void;
}

/**
 * `duet confirm-peer-down` on this machine, by the command's own steps: the rules are asked first, the peer is switched off where its
 * BMC answers, and only then the word is said, if the membership is still the same.
 */
export function confirmDown(node: Node, accept: Word["accept"], person: Person): void {
  const { world, id, times } = node;
  if (!world.machine(id).up) return;
  const life = new Life(world.machine(id).life);
  const effects = effectsOf(node, life);
  const refuse = (what: string, code: string) => {
    world.kernel.note(commandLine, node.name, what);
    person.ended?.(code);
  };
  world.kernel.tasks.start(async () => {
    const { ring } = membershipOf(node);
    const facts = await effects.facts();
    if (facts.peer.seen === "now") return refuse("is refused: the peer is here", "DUET-E-CONFIRM-PEER-HERE");
    const word: Word = { ...facts.word, peerDown: true, accept: accept ?? facts.word.accept };
    const once = await onceOff({ effects, times }, facts);
    // As `supposed` asks it there; with the mistake, where the rules have one.
    const { decision, rule } = decide("start", { ...once, word }, node.site.plant.tables);
    if (!wouldServe(decision)) {
      refuse(`is refused by ${rule}`, "DUET-E-CONFIRM-REFUSED");
      person.refused?.(toAccept(once, word));
      return;
    }
    const recorder = { step: (step: string) => node.step(step), stepsEnd: () => undefined };
    try {
      const gone = await seeOff({ effects, times, recorder }, { facts, once }, word, () => undefined);
      world.kernel.note(commandLine, node.name, gone);
    } catch (error) {
      if (!(error instanceof DuetError)) throw error;
      return refuse(error.message, error.problems[0]?.code ?? "");
    }
    if (membershipOf(node).ring !== ring)
      return refuse("comes too late: the membership is another", "DUET-E-ADMIN-CHANGED");
    const now: Word = { ...wordIn(node, ring), peerDown: true, ...(accept === undefined ? {} : { accept }) };
    node.memory.spoken = { word: now, ring };
    person.said(now, id);
    person.ended?.();
    wake(node);
  });
}
