import { checkChoice, wordOf } from "../../src/agents/admin/choose.ts";
import { onceOff, seeOff } from "../../src/agents/admin/off.ts";
import { DuetError } from "../../src/base/problem.ts";
import { turned } from "../../src/decide/choice.ts";
import { decide } from "../../src/decide/decide.ts";
import { no_word, type Word } from "../../src/decide/facts.ts";
import { Life } from "../kernel/life.ts";
import { traceKind } from "../kernel/trace.ts";
import type { Person } from "./confirm.ts";
import { effectsOf } from "./effects.ts";
import { wake } from "./etcd.ts";
import { membershipOf } from "./facts.ts";
import type { Node } from "./node.ts";

const commandLine = traceKind("duet.command", (machine, what) => `${machine}: duet choose-data ${what}`);

/**
 * `duet choose-data` on this machine, by the command's own steps: it is refused where the real one would, a peer that is away is switched off
 * first, and then the word is said for this membership, here and to the peer.
 */
export function chooseData(node: Node, chosen: string, accept: Word["accept"], person: Person): void {
  const { world, id, times, peer } = node;
  if (!world.machine(id).up) return;
  const life = new Life(world.machine(id).life);
  const effects = effectsOf(node, life);
  world.kernel.tasks.start(async () => {
    const { ring } = membershipOf(node);
    const facts = await effects.facts();
    const isHere = facts.peer.seen === "now";
    const once = isHere ? facts : await onceOff({ effects, times }, facts);
    const word = wordOf(once, chosen, accept);
    try {
      // As `supposed` asks it there; with the mistake, where the rules have one.
      checkChoice(once, word, decide("start", { ...once, word }, node.site.plant.tables));
      // Somebody has looked: what failed before is tried again.
      node.memory.failedStarts = 0;
      const recorder = { step: (step: string) => node.step(step), stepsEnd: () => undefined };
      if (!isHere) await seeOff({ effects, times, recorder }, { facts, once }, word, () => undefined);
    } catch (error) {
      if (!(error instanceof DuetError)) throw error;
      world.kernel.note(commandLine, node.name, `${chosen} is refused: ${error.message}`);
      return person.ended?.(error.problems[0]?.code ?? "");
    }
    if (membershipOf(node).ring !== ring) return person.ended?.("DUET-E-ADMIN-CHANGED");
    world.kernel.note(commandLine, node.name, chosen);
    const named = isHere || accept === undefined ? {} : { accept };
    say(node, ring, { choose: word.choose, ...named }, person);
    const other = node.site.nodes[peer];
    if (isHere && other !== undefined && membershipOf(other).ring === ring)
      say(other, ring, { choose: turned(word.choose) }, person);
    person.ended?.();
  });
}

/** Beside what was said before in this membership. */
export function say(node: Node, ring: string, said: Partial<Word>, person?: Pick<Person, "said">): void {
  const { spoken } = node.memory;
  const before = spoken?.ring === ring ? spoken.word : no_word;
  const word: Word = { ...before, ...said };
  node.memory.spoken = { word, ring };
  person?.said(word, node.id);
  wake(node);
}
