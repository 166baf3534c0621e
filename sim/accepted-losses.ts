import type { Word } from "../src/decide/facts.ts";
import { beginsAfterLoss, raiseOf } from "../src/decide/lineage.ts";
import { membershipOf } from "./agents/facts.ts";
import type { Node } from "./agents/node.ts";
import type { Truth } from "./truth.ts";

/**
 * Tells the history of a loss that an admin accepted, in the moment in which a machine acts on it and not before: its takeover
 * then begins a new million of epochs. Each such lineage is judged once, when it is first seen; without a word nothing is forgiven, and a
 * word is for the membership in which it was said: in the next one it excuses nothing.
 */
export class AcceptedLosses {
  readonly #truth: Truth;
  readonly #accepted: (node: Node, epoch: number) => void;
  /** Machines that were told of an accepted loss, and have not acted on it so far; and in which membership. */
  readonly #consented = new Map<number, string>();
  /**
   * What a machine last began with its admin's consent, and in which boot. Its steps go on where the membership changes meanwhile and the peer has
   * given up, and that it served may be seen first in a later boot.
   */
  readonly #meant = new Map<number, { readonly epoch: number; readonly boot: number }>();
  readonly #seen = new Set<string>();

  constructor(truth: Truth, accepted: (node: Node, epoch: number) => void = () => undefined) {
    this.#truth = truth;
    this.#accepted = accepted;
    truth.site.stepped.push((machine) => this.#watch(machine));
  }

  /** What an admin said on this machine, now. */
  said(machine: number, { accept, choose }: Word): void {
    const node = this.#truth.site.nodes[machine];
    if (node !== undefined && (accept !== undefined || choose?.of === "self"))
      this.#consented.set(machine, membershipOf(node).ring);
  }

  #watch(machine: number): void {
    const node = this.#truth.site.nodes[machine];
    if (node === undefined) return;
    const { lineage, takeover } = node.state.value;
    if (takeover?.step === "intent" && beginsAfterLoss(takeover.epoch)) {
      const { epoch } = takeover;
      const { boot } = node.world.machine(machine);
      const was = this.#meant.get(machine);
      if (this.#consented.get(machine) === membershipOf(node).ring) this.#meant.set(machine, { epoch, boot });
      else if (was?.epoch !== epoch || was.boot !== boot) this.#meant.delete(machine);
    }
    if (lineage === undefined || !beginsAfterLoss(lineage.epoch)) return;
    const name = `${lineage.epoch} ${lineage.owner}`;
    if (this.#seen.has(name)) return;
    this.#seen.add(name);
    if (lineage.owner !== node.name || this.#meant.get(machine)?.epoch !== lineage.epoch) return;
    this.#meant.delete(machine);
    this.#consented.delete(machine);
    this.#accepted(node, lineage.epoch);
    const { history } = this.#truth.world;
    history.lossAccepted(machine);
    // What was lost had been raised by a loss that nobody could tell this machine of.
    if (raiseOf(lineage.epoch, 0) <= history.shown) history.revisionsGoBack();
  }
}
