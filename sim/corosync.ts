import type { Kernel } from "./kernel/kernel.ts";
import { label } from "./kernel/label.ts";
import type { Life } from "./kernel/life.ts";
import { cancel, type Event } from "./kernel/queue.ts";
import { traceKind } from "./kernel/trace.ts";
import type { Wire } from "./wire.ts";

export interface CorosyncTimes {
  readonly token_us: number;
  readonly consensus_us: number;
  /** Two that hear each other again are one ring after this. */
  readonly join_us: number;
  /** How much later than the other a side may learn of a change. */
  readonly lag_us: number;
  /** A message inside the membership. */
  readonly message_us: number;
}

export const corosyncTimes: CorosyncTimes = {
  token_us: 1_500_000,
  consensus_us: 500_000,
  join_us: 120_000,
  lag_us: 400_000,
  message_us: 400,
};

/** What one machine's Corosync says of the membership. The other may see it otherwise for a while. */
export interface View {
  readonly ring: number;
  readonly members: readonly number[];
  readonly quorate: boolean;
  /** wait_for_all: it has not seen everybody at once since it started. */
  readonly waiting: boolean;
}

interface Node {
  readonly id: number;
  life: Life | undefined;
  frozen: boolean;
  view: View;
  losing: Event | undefined;
  joining: Event | undefined;
  readonly listeners: ((view: View) => void)[];
  readonly stopped: (() => void)[];
  /** Messages to the other that it has not been given yet. */
  readonly sent: { readonly ring: number; readonly deliver: () => void }[];
  pumping: boolean;
}

const lag = label("corosync.lag");
const line = traceKind(
  "corosync",
  (machine, members, ring) => `machine ${machine} sees ${members} in ring ${ring}`,
);
const nobody: View = { ring: 0, members: [], quorate: false, waiting: false };

/** Two nodes, knet over some links, votequorum with two_node. A link counts only where both directions work, as knet's pings do. */
export class Corosync {
  readonly #kernel: Kernel;
  readonly #links: readonly Wire[];
  readonly #times: CorosyncTimes;
  readonly #wait_for_all: boolean;
  readonly #nodes: readonly [Node, Node];
  #ring = 0;

  constructor(
    kernel: Kernel,
    links: readonly Wire[],
    times: CorosyncTimes = corosyncTimes,
    options: { readonly wait_for_all: boolean } = { wait_for_all: true },
  ) {
    this.#kernel = kernel;
    this.#links = links;
    this.#times = times;
    this.#wait_for_all = options.wait_for_all;
    this.#nodes = [nodeOf(0), nodeOf(1)];
    // Named first: what is written right behind `onChange =` V8 takes for a method, and puts it beside the code, which only a
    // full collection looks at. With it the whole world would wait for that.
    const look = () => this.#look();
    for (const link of links) link.onChange = look;
  }

  view(machine: number): View {
    return this.#node(machine).view;
  }

  onView(machine: number, listener: (view: View) => void): void {
    this.#node(machine).listeners.push(listener);
  }

  start(machine: number, life: Life): void {
    const node = this.#node(machine);
    node.life = life;
    node.frozen = false;
    this.#form(node, [machine], this.#nextRing(), this.#wait_for_all);
    this.#look();
  }

  /** Told when it ends in order while its machine goes on, for a moment: whoever asks it then gets no answer. */
  onStop(machine: number, listener: () => void): void {
    this.#node(machine).stopped.push(listener);
  }

  /** An orderly end: the other knows at once and does not take it for a loss. */
  stop(machine: number): void {
    const node = this.#node(machine);
    const peer = this.#peer(node);
    this.dead(machine);
    for (const listen of node.stopped) listen();
    if (peer.life !== undefined && peer.view.members.includes(machine) && this.#hears(peer, node, true))
      this.#kernel.after(this.#times.message_us, () => {
        if (peer.life?.alive === true && node.life === undefined) this.#alone(peer);
      });
  }

  /** No goodbye. */
  dead(machine: number): void {
    const node = this.#node(machine);
    node.life = undefined;
    cancel(node.losing);
    cancel(node.joining);
    node.losing = undefined;
    for (const each of this.#nodes) each.joining = undefined;
    node.view = nobody;
    this.#look();
  }

  freeze(machine: number, frozen: boolean): void {
    const node = this.#node(machine);
    if (node.life === undefined || node.frozen === frozen) return;
    node.frozen = frozen;
    // Its own timers have all run out meanwhile: where the other has gone on without it, it finds itself alone first.
    if (!frozen && node.view.members.length === 2 && this.#peer(node).view.ring !== node.view.ring)
      this.#alone(node);
    this.#look();
  }

  /** `quorum.cancel_wait_for_all`: from here on one machine is enough. */
  cancelWaitForAll(machine: number): void {
    const node = this.#node(machine);
    if (node.life !== undefined && node.view.waiting)
      this.#form(node, node.view.members, node.view.ring, false);
  }

  /** To the other within the membership, in order and without a gap; what is not there when the ring ends is lost with it. */
  cast(from: number, deliver: () => void): void {
    const node = this.#node(from);
    const { ring, members } = node.view;
    if (members.length < 2) return;
    node.sent.push({ ring, deliver });
    this.#kernel.after(this.#times.message_us, () => this.#pump(node));
  }

  #pump(node: Node): void {
    const peer = this.#peer(node);
    for (let first = node.sent[0]; first !== undefined; first = node.sent[0]) {
      const { ring, deliver } = first;
      const there = peer.life?.alive === true && peer.view.ring <= ring;
      const ready = there && peer.view.ring === ring && !peer.frozen && this.#hears(peer, node, true);
      if (ready) {
        node.sent.shift();
        deliver();
      } else if (there && node.view.ring === ring) {
        // The other has not formed the ring yet, stands still, or misses some tokens: it is sent again, with all behind it.
        this.#again(node);
        return;
      } else node.sent.shift();
    }
  }

  #again(node: Node): void {
    if (node.pumping) return;
    node.pumping = true;
    this.#kernel.after(this.#times.token_us / 100, () => {
      node.pumping = false;
      this.#pump(node);
    });
  }

  #hears(node: Node, peer: Node, last_words = false): boolean {
    if (
      node.life === undefined ||
      (peer.life === undefined && !last_words) ||
      (!last_words && (node.frozen || peer.frozen))
    )
      return false;
    return this.#links.some((link) => link.joined(node.id, peer.id));
  }

  /** Something changed: who will lose whom, who will find whom? */
  #look(): void {
    for (const node of this.#nodes) {
      if (node.life === undefined) continue;
      const hears = this.#hears(node, this.#peer(node));
      if (node.view.members.length === 2) {
        if (hears) {
          cancel(node.losing);
          node.losing = undefined;
        } else
          node.losing ??= this.#later(node, this.#times.token_us + this.#times.consensus_us, () =>
            this.#lost(node),
          );
      }
    }
    this.#maybeJoin();
  }

  #lost(node: Node): void {
    node.losing = undefined;
    if (node.frozen) return;
    if (node.view.members.length === 2 && !this.#hears(node, this.#peer(node))) this.#alone(node);
    this.#maybeJoin();
  }

  #alone(node: Node): void {
    cancel(node.losing);
    node.losing = undefined;
    this.#form(node, [node.id], this.#nextRing(), node.view.waiting);
    this.#maybeJoin();
  }

  /** At least one of them is alone, and they hear each other: a new ring of both, which each side learns of in its own time. */
  #maybeJoin(): void {
    const [a, b] = this.#nodes;
    if (this.#isOneRing()) return;
    if (!this.#hears(a, b) || a.joining !== undefined || b.joining !== undefined) return;
    const join = this.#later(a, this.#times.join_us, () => {
      const joined = this.#isOneRing();
      const hears = this.#hears(a, b);
      const joins = !joined && hears;
      // It may not have noticed the loss that the other has: it learns of both now.
      if (joins) for (const node of this.#nodes) if (node.view.members.length === 2) this.#alone(node);
      // A later ring has a higher number, for each of them.
      const ring = joins ? this.#nextRing() : 0;
      // Only now: one that finds itself alone looks for others at once, and two of these would part the ring again and again.
      a.joining = undefined;
      b.joining = undefined;
      if (!hears) this.#look();
      if (ring === 0) return;
      for (const node of this.#nodes) {
        const { life } = node;
        this.#kernel.after(this.#kernel.choices.jitter(lag, this.#times.lag_us / 4), () => {
          if (node.life !== life || life?.alive !== true || node.frozen) return;
          // Alone again in between, it has gone on to a later ring.
          const late = node.view.ring > ring;
          if (!late && this.#hears(node, this.#peer(node))) this.#form(node, [0, 1], ring, false);
          else this.#look();
        });
      }
    });
    a.joining = join;
    b.joining = join;
  }

  #isOneRing(): boolean {
    return this.#nodes.every(
      ({ view }) => view.members.length === 2 && view.ring === this.#nodes[0].view.ring,
    );
  }

  #form(node: Node, members: readonly number[], ring: number, waiting: boolean): void {
    node.view = { ring, members, waiting, quorate: members.length === 2 || !waiting };
    this.#kernel.note(line, node.id, members.join(" and "), ring);
    for (const listener of node.listeners) listener(node.view);
    if (members.length === 2 && !this.#hears(node, this.#peer(node))) this.#look();
  }

  #later(node: Node, delay_us: number, run: () => void): Event {
    const { life } = node;
    return this.#kernel.after(delay_us + this.#kernel.choices.jitter(lag, this.#times.lag_us), () => {
      if (node.life === life && life?.alive === true) run();
    });
  }

  #nextRing(): number {
    this.#ring += 1;
    return this.#ring;
  }

  #node(machine: number): Node {
    const node = this.#nodes[machine];
    if (node === undefined) throw new RangeError(`there is no machine ${machine}`);
    return node;
  }

  #peer(node: Node): Node {
    return this.#nodes[node.id === 0 ? 1 : 0];
  }
}

const nodeOf = (id: number): Node => ({
  id,
  life: undefined,
  frozen: false,
  view: nobody,
  losing: undefined,
  joining: undefined,
  listeners: [],
  stopped: [],
  sent: [],
  pumping: false,
});
