import { DuetError } from "../../base/problem.ts";
import type { Sign } from "../../machine/api-eye.ts";
import { answerOf } from "./answer.ts";
import {
  afterLook,
  type Answer,
  asksReadyz,
  type Detection,
  nothing_seen,
  type Readiness,
  rest_ms,
  type Standing,
  standingOf,
} from "./readiness.ts";
import { toSay } from "./say.ts";

/** What following needs of its machine. */
export interface FollowDoors {
  readonly look: (path: string | undefined, deadline_ms: number) => Promise<Sign>;
  /** So long, or until the connection to the API server ends. */
  readonly rest: (ms: number) => Promise<void>;
  /** What Pacemaker has of this machine. */
  readonly said: () => Promise<string | undefined>;
  readonly say: (value: string) => Promise<void>;
  readonly peerHere: () => Promise<boolean>;
  /** The interface of the API's address carries. */
  readonly plugged: () => boolean;
  readonly now_ms: () => number;
  readonly tell: (line: string) => void;
}

/** A pong takes a fraction of a millisecond. What is silent for so long has stopped, on a busy machine, too. */
const look_ms = 500;
/** Pacemaker forgets what it was told when it starts anew. */
const read_again_ms = 10_000;
const try_again_ms = 1_000;

/** Watches the API server and tells Pacemaker, for ever. `goesOn` is for tests. */
export async function follow(
  doors: FollowDoors,
  detection: Detection,
  goesOn: () => boolean = () => true,
): Promise<void> {
  const teller = new Teller(doors);
  let seen = nothing_seen;
  let answer: Answer = "gone";
  let asked_ms = Number.NEGATIVE_INFINITY;
  while (goesOn()) {
    const asks = asksReadyz(seen, doors.now_ms() - asked_ms);
    if (asks) asked_ms = doors.now_ms();
    const sign = await doors.look(asks ? "/readyz" : undefined, look_ms);
    answer = answerOf(sign, asks, answer);
    const was = seen;
    const shown = doors.plugged() ? answer : "unplugged";
    seen = afterLook(was, shown, doors.now_ms(), detection);
    if (seen.ready !== was.ready) doors.tell(sentence(seen, shown));
    else if (seen.probation && !was.probation) doors.tell("the API server here answers again, on probation");
    await teller.tell(standingOf(seen));
    await doors.rest(rest_ms(seen));
  }
}

const why: Readonly<Record<Answer, string>> = {
  ready: "it is ready",
  gone: "nobody listens",
  silent: "it does not move",
  unready: "it says that it is not ready",
  unplugged: "nobody reaches it: the interface of the API's address has no carrier",
  etcd: "its etcd does not answer",
};
const sentence = ({ ready, falls }: Readiness, answer: Answer): string =>
  ready === true
    ? "the API server here answers"
    : `the API server here does not answer: ${why[answer]}${falls > 1 ? ` (${falls} times in a while)` : ""}`;

/** Keeps Pacemaker informed; what fails now is tried again a second later, however often one looks. */
class Teller {
  readonly #doors: FollowDoors;
  #said: { readonly value: string | undefined; readonly read_ms: number } | undefined;
  #not_before_ms = Number.NEGATIVE_INFINITY;

  constructor(doors: FollowDoors) {
    this.#doors = doors;
  }

  async tell(standing: Standing | undefined): Promise<void> {
    const { now_ms } = this.#doors;
    if (now_ms() < this.#not_before_ms) return;
    try {
      await this.#tellNow(standing);
    } catch (error) {
      // Pacemaker is not up: an inert machine, or one that boots.
      if (!(error instanceof DuetError)) throw error;
      this.#said = undefined;
      this.#not_before_ms = now_ms() + try_again_ms;
    }
  }

  async #tellNow(standing: Standing | undefined): Promise<void> {
    const { now_ms, said, say, peerHere } = this.#doors;
    if (this.#said === undefined || now_ms() - this.#said.read_ms >= read_again_ms)
      this.#said = { value: await said(), read_ms: now_ms() };
    const known = this.#said.value;
    // Corosync is asked only where its answer matters.
    if (toSay({ standing, said: known, peerHere: true }) === undefined) return;
    const value = toSay({ standing, said: known, peerHere: standing === "ready" || (await peerHere()) });
    if (value === undefined) {
      this.#not_before_ms = now_ms() + try_again_ms;
      return;
    }
    await say(value);
    this.#said = { value, read_ms: now_ms() };
  }
}
