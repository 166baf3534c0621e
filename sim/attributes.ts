import type { Corosync } from "./corosync.ts";

type Table = Map<string, string>;
/** Whose attribute changed, and which; undefined: all of them are gone. */
type Listener = (owner: number, name: string | undefined) => void;

/**
 * Pacemaker's transient attributes. Each machine has its own copy of both tables; a change reaches the other's copy later, inside
 * the membership, and a machine that leaves the membership takes its attributes with it. Nothing of this outlives a boot.
 */
export class Attributes {
  readonly #corosync: Corosync;
  /** [who looks][whose] */
  readonly #tables: readonly (readonly [Table, Table])[] = [
    [new Map(), new Map()],
    [new Map(), new Map()],
  ];
  readonly #listeners: Listener[][] = [[], []];

  constructor(corosync: Corosync) {
    this.#corosync = corosync;
    for (const machine of [0, 1])
      corosync.onView(machine, (view) => {
        const peer = 1 - machine;
        const table = this.#table(machine, peer);
        if (!view.members.includes(peer)) {
          if (table.size > 0) {
            table.clear();
            this.#tell(machine, peer, undefined);
          }
        } else for (const [name, value] of this.#table(machine, machine)) this.#copy(machine, name, value);
      });
  }

  onChange(machine: number, listener: Listener): void {
    this.#listeners[machine]?.push(listener);
  }

  get(looker: number, owner: number, name: string): string | undefined {
    return this.#table(looker, owner).get(name);
  }

  /** Of its own machine; undefined takes it away. */
  set(machine: number, name: string, value: string | undefined): void {
    const own = this.#table(machine, machine);
    if (own.get(name) === value) return;
    if (value === undefined) own.delete(name);
    else own.set(name, value);
    this.#tell(machine, machine, name);
    this.#copy(machine, name, value);
  }

  /** The machine is gone with its memory. */
  dead(machine: number): void {
    this.#table(machine, 0).clear();
    this.#table(machine, 1).clear();
  }

  #copy(machine: number, name: string, value: string | undefined): void {
    const peer = 1 - machine;
    this.#corosync.cast(machine, () => {
      const table = this.#table(peer, machine);
      if (value === undefined) table.delete(name);
      else table.set(name, value);
      this.#tell(peer, machine, name);
    });
  }

  #tell(machine: number, owner: number, name: string | undefined): void {
    for (const listener of this.#listeners[machine] ?? []) listener(owner, name);
  }

  #table(looker: number, owner: number): Table {
    const table = this.#tables[looker]?.[owner];
    if (table === undefined) throw new RangeError(`there is no machine ${looker} or ${owner}`);
    return table;
  }
}
