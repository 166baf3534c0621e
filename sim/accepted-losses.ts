import type { Word } from "../src/decide/facts.ts";
import { beginsAfterLoss, raiseOf } from "../src/decide/lineage.ts";
import type { Node } from "./agents/node.ts";
import type { Truth } from "./truth.ts";

/**
 * Tells the history of a loss that an admin accepted, in the moment in which a machine acts on it and not before: its takeover
 * then begins a new million of epochs. Each such lineage is judged once, when it is first seen; without a word nothing is forgiven.
 */
export class AcceptedLosses {
  readonly #truth: Truth;
  readonly #accepted: (node: Node, epoch: number) => void;
  /** Machines that were told of an accepted loss, and have not acted on it so far. */
  readonly #consented = new Set<number>();
  readonly #seen = new Set<string>();

  constructor(truth: Truth, accepted: (node: Node, epoch: number) => void = () => undefined) {
    this.#truth = truth;
    this.#accepted = accepted;
    truth.site.stepped.push((machine) => this.#watch(machine));
  }

  /** What an admin said on this machine. */
  said(machine: number, { accept, choose }: Word): void {
    if (accept !== undefined || choose === "self") this.#consented.add(machine);
  }

  #watch(machine: number): void {
    const node = this.#truth.site.nodes[machine];
    const lineage = node?.state.value.lineage;
    if (lineage === undefined || !beginsAfterLoss(lineage.epoch)) return;
    const name = `${lineage.epoch} ${lineage.owner}`;
    if (this.#seen.has(name)) return;
    this.#seen.add(name);
    if (lineage.owner !== node?.name || !this.#consented.delete(machine)) return;
    this.#accepted(node, lineage.epoch);
    const { history } = this.#truth.world;
    history.lossAccepted(machine);
    // What was lost had been raised by a loss that nobody could tell this machine of.
    if (raiseOf(lineage.epoch, 0) <= history.shown) history.revisionsGoBack();
  }
}
