import type { Member } from "./member.ts";
import type { Answer, Reply } from "./requests.ts";
import { none } from "./types.ts";

interface Promotion {
  readonly member: number;
  readonly reply: Reply;
  readonly end_us: number;
  /** Asked, and not answered yet. */
  asking: boolean;
  again_us: number;
}

/** Whoever forwards believes only these; after anything else it asks again, without knowing what became of the first. */
const last_words = [
  "learner not ready",
  "member not found",
  "ID not found",
  "can only promote a learner member",
];

/**
 * Promotions that a follower was asked for. Only the leader knows how far a learner is: the follower asks it over the peers'
 * port and waits. etcd asks again at once, here it is at the next tick; so a leader that is lost between the change and
 * its answer gets the same promotion twice, and the second is void.
 */
export class Forwards {
  readonly #member: Member;
  #waiting: Promotion[] = [];

  constructor(member: Member) {
    this.#member = member;
  }

  promote(member: number, reply: Reply, end_us: number): void {
    const promotion = { member, reply, end_us, asking: false, again_us: 0 };
    this.#waiting.push(promotion);
    this.#ask(promotion);
  }

  #ask(promotion: Promotion): void {
    const { raft, applier, env } = this.#member;
    const machine = applier.membership.machines[raft.lead];
    if (raft.lead === none || machine === undefined) {
      // It looks again after an election.
      promotion.again_us = env.kernel.now_us + env.times.tick_us * env.times.election_ticks;
      return;
    }
    promotion.asking = true;
    env.call(
      this.#member,
      machine,
      (requests, reply) => requests.promote(promotion.member, reply, promotion.end_us),
      (answer) => {
        promotion.asking = false;
        if (answer.ok || last_words.includes(answer.why)) this.#end(promotion, answer);
      },
    );
  }

  #end(promotion: Promotion, answer: Answer): void {
    const at = this.#waiting.indexOf(promotion);
    if (at === -1) return;
    this.#waiting.splice(at, 1);
    promotion.reply(answer);
  }

  tick(): void {
    if (this.#waiting.length === 0) return;
    const { now_us } = this.#member.env.kernel;
    for (const promotion of this.#waiting.slice())
      if (promotion.end_us <= now_us)
        this.#end(promotion, { ok: false, why: "request timed out", sure: false });
      else if (!promotion.asking && promotion.again_us <= now_us) this.#ask(promotion);
  }

  /** The process ends: whoever still waits, to be told so. */
  drain(): readonly Reply[] {
    const replies = this.#waiting.map(({ reply }) => reply);
    this.#waiting = [];
    return replies;
  }
}
