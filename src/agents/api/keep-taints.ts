import type { KubeResult } from "../../machine/kube-api.ts";
import { Heir, type InheritDoors } from "./inherit.ts";
import {
  changedTaints,
  isAwaited,
  type Node,
  outOfService,
  shunned,
  type Taint,
  taintDeeds,
  taintedBy,
  type TaintDeed,
  type Tainted,
  type TaintSight,
} from "./taint.ts";

/** A Node of Kubernetes', as far as the taints go. */
export interface NodeTaints {
  readonly taints: readonly Taint[];
  /** A change that somebody else made in the meantime is found by it. */
  readonly resourceVersion: string;
}

/** What this machine knows now. `ring`: the membership; undefined: Corosync does not tell. */
export interface Sight extends Omit<TaintSight, "peer" | "tainted"> {
  readonly ring: string | undefined;
}

export interface TaintDoors extends InheritDoors {
  /** What the peer has said in this membership. Asked for only where it matters. */
  readonly peerSaid: (ring: string) => Promise<TaintSight["peer"]>;
  /** Undefined: Kubernetes knows no such machine. */
  readonly node: (name: string) => Promise<KubeResult<NodeTaints | undefined>>;
  /** Refused where somebody else has changed the machine since. */
  readonly change: (
    name: string,
    resourceVersion: string,
    taints: readonly Taint[],
  ) => Promise<KubeResult<unknown>>;
  /** So long, or until duet on this machine has done something. */
  readonly rest: (ms: number) => Promise<void>;
}

const rest_ms = 10_000;
/** Somebody waits for the pods of the machine that is off. */
const again_ms_min = 500;
const again_ms_max = 5_000;

/** Puts and takes away what is due, for ever, and frees what the peer holds when it is off. `goesOn` is for tests. */
export async function keepTaints(doors: TaintDoors, goesOn: () => boolean = () => true): Promise<void> {
  const keeper = new Keeper(doors);
  const heir = new Heir(doors);
  let failures = 0;
  while (goesOn()) {
    const isTold = await keeper.round();
    // Who did not answer just now would not answer this either, and the taint would wait for it.
    const { last, isHeard } = keeper;
    const isFree = last === undefined || !isHeard || (await heir.round(last));
    failures = isTold && isFree ? 0 : failures + 1;
    await doors.rest(failures === 0 ? rest_ms : Math.min(again_ms_max, again_ms_min * failures));
  }
}

const unseen: TaintSight["tainted"] = { own: undefined, peer: undefined };

class Keeper {
  readonly #doors: TaintDoors;
  #ring: string | undefined;
  #tainted: TaintSight["tainted"] = unseen;
  #complaint = "";
  #shunned = "";
  /** What was seen last. */
  last: Sight | undefined;
  /** The API has answered, be it that it refused. */
  isHeard = true;

  constructor(doors: TaintDoors) {
    this.#doors = doors;
  }

  /** True: nothing is left to do. */
  async round(): Promise<boolean> {
    this.isHeard = true;
    // A look at each machine, and a change of it, at the most.
    for (let deeds = 0; deeds <= 4; deeds++) {
      const sight = await this.#look();
      const [deed] = taintDeeds(sight);
      if (deed === undefined) {
        this.#tellShunned(sight);
        return !isAwaited(sight);
      }
      const done = await this.#do(deed.node, deed.do);
      if (!done.ok) {
        this.isHeard = done.failure.kind === "refused";
        return this.#complain(done.failure.said);
      }
      this.#complaint = "";
    }
    return false;
  }

  /** Anew before each deed: a call to the API may take long, and the peer may be back by then. */
  async #look(): Promise<TaintSight> {
    const sight = await this.#doors.sight();
    this.last = sight;
    if (sight.ring !== this.#ring) this.#tainted = unseen;
    this.#ring = sight.ring;
    const asks = sight.ring !== undefined && sight.peerHere === true && this.#tainted.peer !== false;
    const peer = asks ? await this.#doors.peerSaid(sight.ring) : undefined;
    return { ...sight, peer, tainted: this.#tainted };
  }

  async #do(node: Node, deed: TaintDeed): Promise<KubeResult<void>> {
    const name = this.#nameOf(node);
    const found = await this.#doors.node(name);
    if (!found.ok) return found;
    // A machine that Kubernetes does not know has no pods to replace.
    if (found.value === undefined) return this.#note(node, "absent");
    const { taints, resourceVersion } = found.value;
    const has = taintedBy(taints);
    if (deed === "look" || has === "foreign" || has === (deed === "put")) return this.#note(node, has);
    const changed = await this.#doors.change(name, resourceVersion, changedTaints(taints, deed));
    if (!changed.ok) return changed;
    this.#doors.tell(
      deed === "put"
        ? `${name} is proven off: its pods may be replaced (${outOfService.key})`
        : `${name} is back: it is in service again`,
    );
    return this.#note(node, deed === "put");
  }

  #nameOf(node: Node): string {
    return node === "own" ? this.#doors.me : this.#doors.peerName;
  }

  /** Once, and not at each look. */
  #tellShunned(sight: TaintSight): void {
    const names = shunned(sight).map((node) => this.#nameOf(node));
    const { key, value, effect } = outOfService;
    if (names.join() !== this.#shunned)
      for (const name of names)
        this.#doors.tell(
          `${name} is in service, and gets no pods: its taint ${key}:${effect} has another value than duet's (${value}), so somebody else put it there; \`kubectl taint nodes ${name} ${key}:${effect}-\` takes it away`,
        );
    this.#shunned = names.join();
  }

  #note(node: Node, tainted: Tainted): KubeResult<void> {
    this.#tainted = { ...this.#tainted, [node]: tainted };
    return { ok: true, value: undefined };
  }

  #complain(why: string): false {
    if (why !== this.#complaint) this.#doors.tell(`the taints wait for the API: ${why}`);
    this.#complaint = why;
    return false;
  }
}
