import { DuetError, exit } from "../../base/problem.ts";
import type { Status } from "../status/status.ts";
import { type Deed, errandOf } from "./deed.ts";
import { refusal } from "./may.ts";
import { type Errand, lookAgain, type Pass } from "./pass.ts";

/** Replaced by tests. */
export interface Doors {
  readonly pass: (errand: Errand) => Promise<Pass>;
  readonly look: () => Promise<Status>;
  readonly act: () => Promise<void>;
  /** The machine goes only while somebody here asks for it: it takes the pass itself when it does. */
  readonly asksOn: boolean;
}

/**
 * Does it with the pass in hand. Once it is asked for, the pass is kept until the machine has left, also if no answer came: it may
 * go all the same. What is returned is to be renewed as long as somebody asks on.
 */
export async function inTurn(
  deed: Deed,
  { pass, look, act, asksOn }: Doors,
): Promise<Pick<Pass, "renew" | "giveBack"> | undefined> {
  const errand = errandOf(deed);
  if (errand === undefined) {
    await act();
    return undefined;
  }
  const held = await pass(errand);
  if (deed.do !== "reboot" && deed.do !== "standby") {
    await act();
    await held.giveBack();
    return undefined;
  }
  const { do: word, machine, force } = deed;
  const mayGo = async () => {
    const problem = refusal(await look(), machine, word, force);
    if (problem !== undefined) throw new DuetError([problem], exit.notHere);
  };
  await lookAgain(held, mayGo, asksOn);
  await act();
  return asksOn ? held : undefined;
}
