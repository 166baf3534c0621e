import { change_kind } from "./messages.ts";
import { entry_type } from "./segment.ts";
import { encodeChange, memberJson, type TestMember, WalBuilder } from "./testing.ts";

/** For tests: random but lawful lives of a member's log, written as etcd would, with a plain model of what must be read. */

export const action_kinds = [
  "append",
  "override",
  "commit",
  "change",
  "snapshot",
  "receive",
  "cut",
  "state",
] as const;

/** One step; the numbers are used as each kind of step needs them. */
export interface Action {
  readonly kind: (typeof action_kinds)[number];
  readonly a: number;
  readonly b: number;
}

interface ModelEntry {
  readonly index: number;
  readonly term: number;
  /** The configuration after this entry. */
  readonly members: readonly TestMember[];
  readonly removed: readonly bigint[];
}

export const own_id = 0xbdae9bbc11dd390dn;
const ids = [own_id, 0x91bc3c398fb3c146n, 0xfd422379fda50e48n, 0x8211f1d0f64f3269n];

/** The log as an array, which is all that a log is. */
export class History {
  readonly builder = new WalBuilder(own_id, 0xd1cfaf999eb97a2an);
  /** Entry 0 stands for the beginning. */
  readonly log: ModelEntry[] = [{ index: 0, term: 0, members: [], removed: [] }];
  commit = 0;
  term = 1;
  snapshot = { index: 0, term: 0 };
  #index_max = 0;
  readonly #anyChange: boolean;

  /** `anyChange`: also changes that etcd voids; then the model's configuration means nothing. */
  constructor(steps: readonly Action[], anyChange = false) {
    this.#anyChange = anyChange;
    // As every log begins: the machine that sets the cluster up.
    this.#changed(change_kind.addNode, { id: own_id, urls: ["http://192.0.2.1:2380"] });
    this.#commit(1);
    for (const step of steps) this.#do(step);
  }

  get last(): ModelEntry {
    return this.#at(this.log.length - 1);
  }

  #at(position: number): ModelEntry {
    const entry = this.log[position];
    if (entry === undefined) throw new Error(`the model has no entry ${position}`);
    return entry;
  }

  #do({ kind, a, b }: Action): void {
    if (kind === "append") for (let n = 0; n <= a % 5; n += 1) this.#append(b);
    else if (kind === "override") this.#override(a);
    else if (kind === "commit") this.#commit(a);
    else if (kind === "change") this.#change(a, b);
    else if (kind === "snapshot") this.#takeSnapshot(a);
    else if (kind === "receive") this.#receive(a);
    else if (kind === "cut") this.builder.cut();
    else this.#state();
  }

  #append(size: number): void {
    const { index, members, removed } = this.last;
    // Some have no payload, as a new leader's first; some are longer than a sector.
    const payload =
      size % 7 === 0 ? undefined : new Uint8Array(size % 3 === 0 ? size * 2 : size % 40).fill(size % 5);
    this.builder.entry(index + 1, this.term, payload);
    this.#push({ index: index + 1, term: this.term, members, removed });
  }

  /** A new leader, which may replace what is not committed. */
  #override(a: number): void {
    this.term += 1 + (a % 2);
    const uncommitted = this.log.length - 1 - this.log.findIndex(({ index }) => index === this.commit);
    this.log.length -= uncommitted === 0 ? 0 : a % (uncommitted + 1);
    this.#append(a);
  }

  #commit(a: number): void {
    this.commit = Math.min(this.last.index, this.commit + (a % 8));
    this.#state();
  }

  #state(): void {
    this.builder.state({ term: this.term, vote: ids[this.term % 3] ?? 0n, commit: this.commit });
  }

  #change(a: number, b: number): void {
    const { members, removed } = this.last;
    const id = ids[a % ids.length] ?? own_id;
    const known = members.find((member) => member.id === id);
    const member = { id, urls: [`http://192.0.2.${1 + (this.#anyChange ? b % 5 : a % ids.length)}:2380`] };
    const kind = b % 4;
    const learners = members.filter((each) => each.learner === true).length;
    const lawful =
      kind === change_kind.addNode
        ? known === undefined && !removed.includes(id)
        : kind === change_kind.addLearner
          ? known === undefined && !removed.includes(id) && learners === 0
          : kind === change_kind.removeNode
            ? known !== undefined && (known.learner === true || members.length - learners > 1)
            : known?.learner === true;
    if (!lawful && !this.#anyChange) return;
    // The model's fourth kind promotes; updates are left to changes of any sort.
    if (kind === change_kind.updateNode && !(this.#anyChange && a % 3 === 0))
      this.#changed(change_kind.addNode, { ...member, promote: true });
    else this.#changed(kind, { ...member, ...(kind === change_kind.addLearner ? { learner: true } : {}) });
  }

  #changed(kind: number, member: TestMember): void {
    const { index, members, removed } = this.last;
    const context = kind === change_kind.removeNode ? "" : memberJson(member);
    this.builder.entry(index + 1, this.term, encodeChange(kind, member.id, context), entry_type.change);
    const others = members.filter(({ id }) => id !== member.id);
    const { promote: _, ...plain } = member;
    this.#push({
      index: index + 1,
      term: this.term,
      members: kind === change_kind.removeNode ? others : [...others, plain],
      removed: kind === change_kind.removeNode ? [...removed, member.id] : removed,
    });
  }

  #push(entry: ModelEntry): void {
    this.log.push(entry);
    this.#index_max = Math.max(this.#index_max, entry.index);
  }

  /** Of something committed. Not of the very end where replaced entries went further: etcd would read those again. */
  #takeSnapshot(a: number): void {
    const known = this.log.filter(({ index }) => index <= this.commit && index > this.snapshot.index);
    const at = known[a % Math.max(1, known.length)];
    if (at === undefined || this.#anyChange || (at.index === this.last.index && this.#index_max > at.index))
      return;
    this.builder.snapshot(at);
    // A snapshot counts when the log says that it is committed.
    this.#state();
    this.snapshot = { index: at.index, term: at.term };
    this.#forgetBefore(at);
  }

  /** The leader had to send its whole state: the log jumps. */
  #receive(a: number): void {
    if (this.#anyChange) return;
    const { members, removed } = this.last;
    const at = { index: this.#index_max + 1 + (a % 50), term: this.term, members, removed };
    this.builder.snapshot(at);
    this.commit = at.index;
    this.#state();
    this.snapshot = { index: at.index, term: at.term };
    this.log.length = 0;
    this.#push(at);
  }

  #forgetBefore(at: ModelEntry): void {
    this.log.splice(0, this.log.indexOf(at));
  }
}
