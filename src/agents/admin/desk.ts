import { fail } from "../../base/problem.ts";
import type { Facts } from "../../decide/facts.ts";
import type { Hands } from "../hands/effects.ts";
import { type Ending, type Sight, waitForEnd } from "./end.ts";
import { type LogEnds, type Shown, shownOf, shownText, type Times } from "./shown.ts";

/** Where an admin speaks: this machine, and the person before it. */
export interface Desk {
  readonly hands: Pick<Hands, "effects" | "times" | "saying"> & {
    readonly notes: Pick<Hands["notes"], "set" | "forget">;
    readonly recorder: Pick<Hands["recorder"], "step" | "stepsEnd" | "admin">;
    readonly fenceFailed?: Hands["fenceFailed"];
  };
  readonly who: string;
  readonly dates: () => Promise<Times>;
  readonly logEnds: () => LogEnds;
  /** What is known, for who must decide; also where it is refused then. */
  readonly show: (shown: Shown) => void;
  /** Asks for that very word; true: it was given. */
  readonly agreed: (question: string, answer: string) => Promise<boolean>;
  /** What goes on, for who waits. */
  readonly say: (text: string) => void;
  /** What this machine goes by now. */
  readonly saying: () => { readonly rule: string; readonly sentence: string } | undefined;
  /** etcd here answers a linearizable read, and no takeover is owed. */
  readonly serves: () => Promise<boolean>;
  readonly wait_ms: number;
  readonly pause?: (ms: number) => Promise<void>;
}

export const isServing = ({ etcd, self, peer }: Facts): boolean =>
  etcd.running && etcd.leader && self.soleVoter && peer.seen !== "now";

/** What is known now, for who must decide. */
export const shownNow = async ({ dates, logEnds }: Desk, facts: Facts, loss: string): Promise<Shown> =>
  shownOf(facts, await dates(), logEnds(), loss);

/** Kept before anything is done, so that nobody asks later why it was; `said` tells too where nothing came of it. */
export function noteWord({ hands, who }: Desk, said: string, shown: Shown): void {
  hands.recorder.admin(who, said, shownText(shown, Date.now()));
}

export const changedWorld = (peerName: string): never =>
  fail(
    "DUET-E-ADMIN-CHANGED",
    peerName,
    "the membership has changed meanwhile, so what was said is for another one",
    "look again with `duet status`; nothing that was said counts",
  );

/** Wakes whoever acts on it, and waits for the end. */
export async function untilDone(
  desk: Desk,
  ring: () => Promise<string>,
  begun: string,
  done: () => Promise<boolean>,
): Promise<Ending> {
  const { notes } = desk.hands;
  notes.set("look");
  notes.set("wake");
  const look = async (): Promise<Sight> => {
    const saying = desk.saying();
    return {
      done: await done(),
      changed: (await ring()) !== begun,
      says: saying?.sentence ?? "it has said nothing yet",
      rule: saying?.rule ?? "",
    };
  };
  return await waitForEnd(look, desk.wait_ms, desk.say, desk.pause);
}

export const notYet = (machine: string, { rule, says }: Ending): never =>
  fail(
    "DUET-E-ADMIN-NOT-YET",
    machine,
    `it was said, and is not done yet; it goes by ${rule === "" ? "no rule so far" : rule}: ${says}`,
    "`duet status --watch` follows it; `duet page` has a page for its rule",
  );
