import { DuetError, fail } from "../../base/problem.ts";
import type { Facts } from "../../decide/facts.ts";
import type { Answer } from "../../record/admin.ts";
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
  /** Maintenance is on; false where Pacemaker does not tell. */
  readonly isMaintained: () => Promise<boolean>;
  /** etcd here answers a linearizable read, and no takeover is owed. */
  readonly serves: () => Promise<boolean>;
  readonly wait_ms: number;
  readonly pause?: (ms: number) => Promise<void>;
}

export const isServing = ({ etcd, self, peer }: Facts): boolean =>
  etcd.running && etcd.leader && self.soleVoter && peer.seen !== "now";

/**
 * Who speaks on a machine without its peer wants that machine to serve, and the peer is switched off for that. On standby and in maintenance
 * Pacemaker starts nothing: both would be down then. What was started before goes on. Where Pacemaker does not tell, nobody is held up.
 */
export async function mustBeStarted(
  { isMaintained }: Desk,
  { me, peerName, started, stopping }: Facts,
): Promise<void> {
  if (started) return;
  const rests = [
    ...((await isMaintained()) ? [{ is: "in maintenance", end: "`duet maintenance off`" }] : []),
    ...(stopping === "standby" ? [{ is: "on standby", end: `\`duet unstandby ${me}\`` }] : []),
  ];
  if (rests.length === 0) return;
  fail(
    "DUET-E-ADMIN-AT-REST",
    me,
    `it is ${rests.map(({ is }) => is).join(" and ")}: Pacemaker starts nothing here, so nobody would serve; nothing was said, and ${peerName} was not switched off`,
    `first ${rests.map(({ end }) => end).join(", then ")}, on this machine, and end the wait for 1+1 with Ctrl-C; then look at \`duet status\`, and say it again if it still asks for it`,
  );
}

/** What is known now, for who must decide. */
export const shownNow = async ({ dates, logEnds }: Desk, facts: Facts, loss: string): Promise<Shown> =>
  shownOf(facts, await dates(), logEnds(), loss);

/** A word, and what becomes of it. */
export const noteWord = ({ hands, who }: Desk, said: string, shown: Shown, answer: Answer): void =>
  hands.recorder.admin(who, said, shownText(shown, Date.now()), answer);

/** Of a word that is refused it is kept by what. */
export async function judged<T>(
  desk: Desk,
  said: string,
  shown: Shown,
  judge: () => T | Promise<T>,
): Promise<T> {
  try {
    return await judge();
  } catch (error) {
    noteWord(desk, said, shown, { outcome: "refused", ...whyOf(error) });
    throw error;
  }
}

/** Kept before anything is done, so that nobody asks later why it was; and once more where it is not done then. */
export async function accepted<T>(
  desk: Desk,
  said: string,
  shown: Shown,
  work: () => Promise<T>,
): Promise<T> {
  noteWord(desk, said, shown, { outcome: "accepted" });
  try {
    return await work();
  } catch (error) {
    desk.hands.recorder.admin(desk.who, said, "", { outcome: "not done", ...whyOf(error) });
    throw error;
  }
}

function whyOf(error: unknown): Pick<Answer, "code" | "why"> {
  const [problem] = error instanceof DuetError ? error.problems : [];
  if (problem === undefined) return { why: String(error) };
  const { code, where, what } = problem;
  return { code, why: `${where}: ${what}` };
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
