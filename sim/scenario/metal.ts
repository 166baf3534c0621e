import { World } from "../world.ts";

/** A world whose feeds are a matter of their own: an outlet that is switched on feeds nobody while the site has no power. */
export class FedWorld extends World {
  readonly #mains: [boolean, boolean] = [true, true];

  /** What the outlet does with the feed that it has. */
  override feed(id: number, on: boolean): void {
    super.feed(id, on && this.#mains[id === 0 ? 0 : 1]);
  }

  /** The feed of the outlet. */
  mains(id: number, on: boolean): void {
    this.#mains[id === 0 ? 0 : 1] = on;
    this.feed(id, on && this.pdu.isOn(id));
  }
}
