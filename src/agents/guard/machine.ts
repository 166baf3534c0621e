import { raise } from "../alerts/raise.ts";
import { loadHands } from "../etcd/machine.ts";
import { UnfinishedNote } from "../status/unfinished.ts";
import { guard } from "./guard.ts";

/** What systemd starts at boot. */
export async function runGuard(): Promise<void> {
  const hands = await loadHands("guard");
  const { notes, saying } = hands;
  const unfinished = new UnfinishedNote();
  await guard({
    hands,
    me: saying.me,
    peerName: saying.peerName,
    isStarted: () => notes.has("started"),
    say: (line) => process.stderr.write(`${line}\n`),
    pause: async (ms) => {
      await notes.until(() => notes.has("look") || notes.has("started"), ms);
      notes.drop("look");
    },
    told: (end) => unfinished.note(end),
    fenceFailed: hands.fenceFailed,
    // Rules that need a human have called already, when they were decided.
    call: ({ rule, decision, sentence }) => {
      if (decision.do === "wait" || decision.do === "prove-off")
        raise({ kind: "human-needed", about: saying.me, why: sentence, rule, question: "start" });
    },
  });
}
