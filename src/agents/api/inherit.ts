import type { KubeResult } from "../../machine/kube-api.ts";
import { controllerLeases } from "../../render/kubernetes/names.ts";
import type { Sight } from "./keep-taints.ts";
import { isHeldBy, type Lease, type LeaseDoors, releaseIf } from "./leases.ts";
import { isOut } from "./taint.ts";

/** What a machine that is off still holds in Kubernetes, and what nobody else gets before it runs out. */
export interface InheritDoors extends LeaseDoors {
  readonly me: string;
  readonly peerName: string;
  /** By the clock of the system, as leases are. */
  readonly clock_ms: () => number;
  readonly sight: () => Promise<Sight>;
  /** By which version the peer's API server is in the Service `kubernetes`; undefined: it is not. */
  readonly server: () => Promise<KubeResult<number | undefined>>;
  /** It leaves that; false where it has said meanwhile that it lives. */
  readonly dropServer: (version: number) => Promise<KubeResult<boolean>>;
  readonly tell: (line: string) => void;
}

const server = "its place among the API servers";
const holdings = [...controllerLeases, server] as const;
type Holding = (typeof holdings)[number];
/**
 * Who holds a lease renews it each two seconds. The holder itself gives up only after 30 s (`--leader-elect-renew-deadline`), so for a while
 * it may still work under a lease of this machine's that is freed here. That is safe for one reason: each controller is a static pod, of which
 * the kubelet never runs two processes at once, and the peer is off. Who takes the lease is the same process, or one that came after it.
 */
const silent_ms = 10_000;

/**
 * Takes from a peer that is proven off what it holds only because nobody can know that it is dead: without the proof the controllers here
 * wait until its leases have run out, and pods are sent to its API server until then. With it nothing of the peer can hold anything, and
 * nothing of it is waited for. Once in a membership: who is off takes nothing again.
 *
 * With the peer off there is one of each controller, the one here. It may have given up in a long failover, and would wait when it is started
 * anew for the lease that it had itself: that is freed, too. One that lives takes it again at once, for nobody else is there to take it.
 */
export class Heir {
  readonly #doors: InheritDoors;
  #ring: string | undefined;
  #done = new Set<Holding>();
  #complaint = "";

  constructor(doors: InheritDoors) {
    this.#doors = doors;
  }

  /** `before`: what was seen a moment ago. True: nothing is left to do. */
  async round(before: Sight): Promise<boolean> {
    if (before.ring !== this.#ring) this.#done = new Set();
    this.#ring = before.ring;
    if (!isOut(before)) return true;
    const held: string[] = [];
    for (const holding of holdings) {
      if (this.#done.has(holding)) continue;
      // Anew before each: a call to the API may take long, and the peer may be back by then.
      const now = await this.#doors.sight();
      if (!isOut(now) || now.ring !== this.#ring) return true;
      const done = await this.#take(holding);
      if (done.ok) {
        this.#done.add(holding);
        continue;
      }
      held.push(`${holding}: ${done.failure.said}`);
      // Who did not answer this would not answer the next one either.
      if (done.failure.kind !== "refused") break;
    }
    this.#complain(held.join("; "));
    return held.length === 0;
  }

  async #take(holding: Holding): Promise<KubeResult<unknown>> {
    const { peerName, tell } = this.#doors;
    let whose = "";
    if (holding === server) return await this.#drop();
    const done = await releaseIf(this.#doors, holding, (lease) => {
      whose = lease.holder ?? "";
      return this.#isLeft(lease);
    });
    if (done.ok && done.value === "released")
      tell(`${peerName} is proven off: the lease ${holding} of ${whose} is free, and need not run out`);
    return done;
  }

  /** The entry has no name but the machine's address: one of a peer that is back looks the same. So it is looked whether it is, between the two. */
  async #drop(): Promise<KubeResult<unknown>> {
    const { peerName, tell, sight, server: find, dropServer } = this.#doors;
    const found = await find();
    if (!found.ok || found.value === undefined) return found;
    const now = await sight();
    const stays = !isOut(now) || now.ring !== this.#ring;
    const dropped = stays ? { ok: true as const, value: false } : await dropServer(found.value);
    if (!dropped.ok) return dropped;
    if (!dropped.value) return { ok: false, failure: { kind: "refused", said: "it is in use again" } };
    tell(`${peerName} is proven off: ${server} is free`);
    return dropped;
  }

  #isLeft(lease: Lease): boolean {
    const { me, peerName, clock_ms } = this.#doors;
    if (isHeldBy(lease, peerName)) return true;
    return isHeldBy(lease, me) && clock_ms() - (lease.renewed_ms ?? 0) >= silent_ms;
  }

  /** Once, and not at each try. */
  #complain(why: string): void {
    if (why !== "" && why !== this.#complaint)
      this.#doors.tell(`what ${this.#doors.peerName} held is not free yet: ${why}`);
    this.#complaint = why;
  }
}
