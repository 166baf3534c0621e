import { isDeepStrictEqual } from "node:util";
import { readAccepted } from "../src/decide/accepted.ts";
import { choiceNow, turned } from "../src/decide/choice.ts";
import type { Verdict } from "../src/decide/decide.ts";
import { type Accepted, no_word, type Word } from "../src/decide/facts.ts";
import { isFullVoter } from "../src/decide/lineage.ts";
import { AcceptedLosses } from "./accepted-losses.ts";
import { confirmDown } from "./agents/confirm.ts";
import { wake } from "./agents/etcd.ts";
import { membershipOf, sidesNow } from "./agents/facts.ts";
import type { Node } from "./agents/node.ts";
import { loseDisk } from "./faults/disk.ts";
import { label } from "./kernel/label.ts";
import { traceKind } from "./kernel/trace.ts";
import { canRun, holdingOf, type Truth } from "./truth.ts";

const past = label("admin.past");
const whose = label("admin.whose");
const wordLine = traceKind("storm.admin", (machine, what) => `an admin on ${machine}: ${what}`);

/** What the sentence asks for, by the rule that said it. */
export const asks = {
  "R-POWER-UNREAD": "confirm",
  "R-START-BLOCKED": "confirm",
  "R-STOP-FAILED": "clean up",
  "R-NO-WITNESS": "confirm",
  "R-WORD-ALONE": "confirm",
  "R-TAGS-UNREAD": "confirm",
  "R-TAGS-UNPROVEN": "confirm",
  "R-NEWER-TAG": "confirm",
  "R-NEWER-PEER": "confirm",
  "R-TIE": "choose",
  "R-BOTH-GAVE-UP": "choose",
  "R-STUCK": "choose",
  "R-NEWEST-UNFIT": "choose",
  "R-NO-LINEAGE": "choose",
  "R-UNKNOWN": "choose",
  "R-TAIL-LOST": "choose",
  "R-NO-VOTER": "choose",
  "R-ETCD-ALONE": "choose",
  "R-ETCD-LAST-COPY": "choose",
  "R-NO-DATA-ANYWHERE": "restore",
} as const;
const isAsked = (rule: string): rule is keyof typeof asks => Object.hasOwn(asks, rule);

/**
 * A person who does what a machine's sentence tells, and never says that a machine is off which is not. Losses that he accepts
 * are told to the history in the moment in which a machine acts on them, not before.
 */
export class Admin {
  losses = 0;
  readonly #truth: Truth;
  readonly #accepted: AcceptedLosses;

  constructor(truth: Truth) {
    this.#truth = truth;
    this.#accepted = new AcceptedLosses(truth, (node, epoch) => {
      this.losses += 1;
      node.world.kernel.note(wordLine, node.name, `the loss before epoch ${epoch} is accepted`);
    });
  }

  /** Follows the sentence of this machine. `words`: only what can be said, no restore. */
  help(node: Node, how: "all" | "words" = "all"): void {
    const rule = node.verdict?.rule;
    const named = namedInVain(node);
    if (how === "all" && named !== undefined) this.#confirm(node, how, named);
    if (rule === undefined || !isAsked(rule)) return;
    const ask = asks[rule];
    // In a hurry he says first what he has seen, and reads the rest of the sentence when that was not enough.
    if (how === "words" && ask === "confirm" && this.#confirmFirst(node)) return;
    switch (ask) {
      case "confirm":
        if (!asksToChoose(node.verdict?.sentence ?? ""))
          this.#confirm(node, how, acceptIn(node.verdict?.sentence ?? ""));
        else if (how === "all") this.#choose();
        else this.#chooseNow(node);
        return;
      case "choose":
        if (how === "all") this.#choose();
        else this.#chooseNow(node);
        return;
      case "clean up":
        if (how === "all") this.#cleanUp(node);
        return;
      case "restore":
        if (how === "all") this.#restore();
        return;
    }
  }

  /** Without a look at what is asked for; but only of a peer that is off. */
  accept(node: Node, accept: Accepted): void {
    this.#confirm(node, "words", accept);
  }

  /** Its peer is gone for good, as far as he can tell: he takes what is left, and accepts what the sentence names. A choice is no word that the peer is off. */
  chooseAlone(node: Node): void {
    const accept = acceptIn(node.verdict?.sentence ?? "");
    this.#speak(node, { choose: choiceNow("self", sidesNow(node)), accept });
  }

  /** He ends what is left of the process, so that there is nothing to fence for, and tells Pacemaker. */
  #cleanUp({ peer }: Node): void {
    const { world } = this.#truth;
    world.kernel.note(wordLine, "both machines", "what is left of etcd is ended, and cleaned up");
    world.unit(peer).kill();
    for (const { id } of world.machines) world.pacemaker.controller(id)?.cleanUp(peer);
  }

  #isOff(machine: number): boolean {
    return !this.#truth.world.machine(machine).powered;
  }

  /** False: the peer is on, or he has said so before in this membership. */
  #confirmFirst(node: Node): boolean {
    const { spoken } = node.memory;
    const said = spoken?.ring === membershipOf(node).ring && spoken.word.peerDown;
    if (said || !this.#isOff(node.peer)) return false;
    this.#confirm(node, "words");
    return true;
  }

  /** By the command, which switches the peer off first where it can. What is on he leaves alone. */
  #confirm(node: Node, how: "all" | "words", accept?: Word["accept"]): void {
    if (!this.#isOff(node.peer)) return;
    // In the middle of a storm the command is often too slow. Then also past it: the rules have to stand what it would have refused.
    if (how === "words" && node.world.kernel.choices.pick(past, 2) === 1) {
      this.#speak(node, { peerDown: true, accept });
      return;
    }
    const text = textOf({ ...no_word, peerDown: true, accept });
    node.world.kernel.note(wordLine, node.name, text);
    confirmDown(node, accept, {
      said: (word) => this.#accepted.said(node.id, word),
      // In a hurry he reads what the refusal says at his next visit.
      refused: (instead) => {
        const reads = how === "all" || accept !== undefined;
        if (reads && instead !== undefined && instead !== accept) this.#confirm(node, how, instead);
      },
    });
  }

  #speak(node: Node, said: Partial<Word>): void {
    const { ring } = membershipOf(node);
    const before = node.memory.spoken?.ring === ring ? node.memory.spoken.word : no_word;
    const word: Word = {
      peerDown: before.peerDown || said.peerDown === true,
      accept: said.accept ?? before.accept,
      choose: said.choose ?? before.choose,
    };
    if (same(word, before)) return;
    node.memory.spoken = { word, ring };
    this.#accepted.said(node.id, word);
    node.world.kernel.note(wordLine, node.name, textOf(word));
    wake(node);
  }

  /** The data of the machine that can run it; where there is none, a backup. */
  #choose(): void {
    const [best] = this.#fit();
    if (best === undefined) this.#restore();
    else this.#choice(best);
  }

  /** While faults go on: of two that are both here, either one's; and nothing where the command would refuse. */
  #chooseNow(node: Node): void {
    const { world } = this.#truth;
    const isHere = world.machines.every(({ up, hung }) => up && !hung) && membershipOf(node).peer;
    const fit = this.#fit();
    const chosen = fit[world.kernel.choices.pick(whose, Math.max(1, fit.length))];
    if (isHere && chosen !== undefined) this.#choice(chosen);
  }

  /** Whose data can be chosen, the newest first. */
  #fit(): readonly Node[] {
    return this.#truth.site.nodes
      .filter(({ id }) => isFullVoter(holdingOf(this.#truth, id)) && canRun(this.#truth, id))
      .toSorted((a, b) => this.#epoch(b.id) - this.#epoch(a.id));
  }

  #choice(best: Node): void {
    // One of them is asked, and tells the other. It is told between what.
    const choice = choiceNow("self", sidesNow(best));
    for (const node of this.#truth.site.nodes)
      this.#speak(node, { choose: node === best ? choice : turned(choice) });
  }

  #epoch(machine: number): number {
    return holdingOf(this.#truth, machine).lineage?.epoch ?? 0;
  }

  /** The site is set up anew on empty disks; what a backup would bring back is older than all that was answered. */
  #restore(): void {
    const { world, site } = this.#truth;
    this.losses += 1;
    for (const { id } of world.machines) {
      world.cutPower(id);
      loseDisk(world, site, id, "everything");
    }
    site.firstStart = true;
    world.history.lossAccepted(undefined);
    world.kernel.note(wordLine, "both machines", "the site is set up anew");
    for (const { id } of world.machines) if (world.bmc(id).fed) world.machine(id).powerOn();
  }
}

const same = (one: Word, other: Word): boolean => isDeepStrictEqual(one, other);

/** It can't be answered but by a choice between the two. */
export const asksForChoice = ({ rule, sentence }: Verdict): boolean =>
  isAsked(rule) && (asks[rule] === "choose" || asksToChoose(sentence));

/** The peer is here, and so not down. */
const asksToChoose = (sentence: string): boolean => sentence.includes("`duet choose-data");

/** What the sentence names behind the command. */
/** What is decided and can't be done is said in a sentence of its own: a takeover on a word, whose tag a BMC does not take. */
export const namedInVain = ({ memory }: Node): Word["accept"] => acceptIn(memory.unfinished?.why ?? "");

function acceptIn(sentence: string): Word["accept"] {
  const [, what] = /duet [-\w ]+ --accept-data-loss ([\w,]+)/.exec(sentence) ?? [];
  return what === undefined ? undefined : readAccepted(what);
}

function textOf({ peerDown, accept, choose }: Word): string {
  const flag = accept === undefined ? "" : ` --accept-data-loss ${accept}`;
  if (choose !== undefined)
    return `duet choose-data, ${choose.of === "self" ? "this machine's" : "the peer's"}`;
  return peerDown ? `duet confirm-peer-down${flag}` : `duet${flag}`;
}
