import type { Problem } from "../base/problem.ts";
import type { DeedKind } from "./phrases.ts";
import type { Step } from "./scenario.ts";
import { isRole, type MachineName, otherThan, type Role, type Who } from "./slots.ts";

/** Who is `the survivor`, and who `the peer`: by what the steps before did. */

/** Takes one machine away, or lets it go. Its other one is then the survivor. */
const takesOne: readonly DeedKind[] = [
  "cut-power",
  "hang",
  "break",
  "cut-feed",
  "reboot",
  "shut-down",
  "standby",
  "unplug-address",
  "kill-unit",
  "freeze-unit",
  "corrupt-log",
  "wipe-data",
  "fill-disk",
  "break-disk",
];
/** May take one of them away; which one is seen only when the race is over. */
const takesEither: readonly DeedKind[] = ["cut-wire", "cut-one-way", "flap-wire"];

/** Takes both of them away. */
const takesBoth: readonly DeedKind[] = ["cut-both", "cut-both-feeds", "flicker", "shut-down-both"];

export const takesAway = (kind: string): boolean => takesOne.some((each) => each === kind);
export const takesSomebody = (kind: string): boolean => takesEither.some((each) => each === kind);

/** Whatever was seen of a loss before it was of another one. */
export const isLoss = (kind: string): boolean =>
  takesAway(kind) || takesSomebody(kind) || takesBoth.some((each) => each === kind);

/** `the survivor` where nobody could have been lost yet is a mistake of the writer's. */
export function roleProblems(file: string, steps: readonly Step[]): readonly Problem[] {
  const problems: Problem[] = [];
  let someLost = false;
  for (const { ask, line, column } of steps) {
    const who = "machine" in ask ? ask.machine : undefined;
    if (!someLost && (who === "the survivor" || who === "the peer"))
      problems.push({
        code: "DUET-E-SCENARIO-ROLE",
        where: `${file}:${line}:${column}`,
        what: `nobody was lost before this step, so nobody is ${who}`,
        fix: "write `node1` or `node2`, or take a machine away first",
      });
    someLost ||= takesAway(ask.kind) || takesSomebody(ask.kind);
  }
  return problems;
}

export type Casting =
  | { readonly ok: true; readonly name: MachineName }
  | { readonly ok: false; readonly why: string };

/** Finds the machine behind a role. Remembers whom a step took away. */
export class Cast {
  #lost: MachineName | undefined;
  readonly #ask: (role: Role) => Promise<MachineName | undefined>;

  /** `ask` is for what only the world knows: who leads, and who is left after a race. */
  constructor(ask: (role: Role) => Promise<MachineName | undefined>) {
    this.#ask = ask;
  }

  async find(who: Who): Promise<Casting> {
    if (!isRole(who)) return { ok: true, name: who };
    if (who === "the survivor" || who === "the peer") return await this.#afterLoss(who);
    const found = await this.#ask(who);
    return found === undefined ? { ok: false, why: `nobody is ${who} now` } : { ok: true, name: found };
  }

  async #afterLoss(who: "the survivor" | "the peer"): Promise<Casting> {
    if (this.#lost === undefined) {
      const survivor = await this.#ask("the survivor");
      if (survivor === undefined)
        return { ok: false, why: `it is not settled which machine is left, so nobody is ${who}` };
      this.#lost = otherThan(survivor);
    }
    return { ok: true, name: who === "the peer" ? this.#lost : otherThan(this.#lost) };
  }

  /** A step is done: who is lost may have changed. */
  note(kind: string, machine: MachineName | undefined): void {
    if (takesAway(kind) && machine !== undefined) this.#lost = machine;
    if (takesSomebody(kind)) this.#lost = undefined;
  }
}
