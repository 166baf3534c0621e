import type { Ask, Decision } from "./decision.ts";
import type { Facts, Peer, Word } from "./facts.ts";
import { toAcceptBy } from "./accepted.ts";
import { choiceNow, chosen, sidesOf } from "./choice.ts";
import { newestClaim } from "./lineage.ts";
import { type Advice, fill, firstMatch, type Rule } from "./rule.ts";
import { type TableName, type Tables, tables as allTables } from "./rules.ts";

export interface Verdict {
  readonly decision: Decision;
  /** The rule that decided. */
  readonly rule: string;
  /** It, and before it those that handed the question on. */
  readonly path: readonly string[];
  /** What an operator reads. */
  readonly sentence: string;
}

/** Facts in, one decision out. Same facts, same decision: there is nothing else that it could depend on. */
export function decide(question: TableName, facts: Facts, tables: Tables = allTables): Verdict {
  return new Judged(judge(question, facts, tables), facts, tables);
}

/** The sentence is filled in when it is read: a simulator decides millions of times and reads few of them. */
class Judged implements Verdict {
  readonly decision: Decision;
  readonly rule: string;
  readonly path: readonly string[];
  readonly #sentence: string;
  readonly #facts: Facts;
  readonly #tables: Tables;

  constructor({ decision, rules, decider }: Judgement, facts: Facts, tables: Tables) {
    this.decision = decision;
    this.rule = decider.id;
    this.path = rules.map(({ id }) => id);
    this.#sentence = decider.sentence;
    this.#facts = facts;
    this.#tables = tables;
  }

  get sentence(): string {
    return fill(this.#sentence, this.#facts, () => adviceFor(this.#facts, this.#tables));
  }
}

export interface Judgement {
  readonly decision: Decision;
  readonly decider: Rule;
  readonly rules: readonly Rule[];
}

/** `decide` without the words, for those who ask millions of times. */
export function judge(question: TableName, facts: Facts, tables: Tables = allTables): Judgement {
  const rule = firstMatch(tables[question], facts);
  const decision: Decision | Ask = rule.decide(facts);
  if (decision.do !== "ask") return { decision, decider: rule, rules: [rule] };
  const fencing = question === "fence";
  const asked = judge(decision.table, fencing ? supposeOff(facts) : facts, tables);
  const rules = [rule, ...asked.rules];
  if (!fencing) return { ...asked, rules };
  return mayServe(asked.decision)
    ? { decision: { do: "may-fence" }, decider: rule, rules }
    : { decision: { do: "refuse-fence" }, decider: asked.decider, rules };
}

/** Would this machine take over, or go on alone, if the fence succeeded? */
export function supposeOff(facts: Facts): Facts {
  const peer: Peer = facts.peer.seen === "now" ? { seen: "before", facts: facts.peer.facts } : facts.peer;
  return { ...facts, peer, proof: "off" };
}

/**
 * The command that is taken here, found by asking the rules as that command does: once the peer is off where anybody can switch it off, else on
 * the admin's word. A peer that is here is not down, and nobody's word makes it so: there he chooses the data of this machine, which accepts
 * whatever is lost. What was given up is chosen, too, also without the peer, and what may be lost is named beside that.
 */
function adviceFor(facts: Facts, tables: Tables): Advice {
  const { me, peer, peerPower, word } = facts;
  const newest = `epoch ${newestClaim(facts)}`;
  if (peer.seen === "now") return { command: `duet choose-data ${me}`, loss: newest };
  const once = peerPower === "unreadable" ? facts : supposeOff(facts);
  const helps = (said: Word) => mayServe(judge("takeover", { ...once, word: said }, tables).decision);
  const takesBack = facts.self.surrendered !== undefined && chosen(facts) !== "self";
  const choose = takesBack ? choiceNow("self", sidesOf(facts)) : word.choose;
  const accept = toAcceptBy(helps, once, { ...word, choose, peerDown: true });
  const command = takesBack ? `duet choose-data ${me}` : "duet confirm-peer-down";
  return {
    command: `${command}${accept === undefined ? "" : ` --accept-data-loss ${accept}`}`,
    loss: typeof accept === "string" ? `${newest}, and of what can't be known` : newest,
  };
}

export const mayServe = ({ do: deed }: Decision): boolean =>
  deed === "take-over" || deed === "resume-takeover" || deed === "start-plain";
