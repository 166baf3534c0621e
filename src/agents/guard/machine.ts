import { loadHands } from "../etcd/machine.ts";
import { guard } from "./guard.ts";

/** What systemd starts at boot. */
export async function runGuard(): Promise<void> {
  const hands = await loadHands("guard");
  const { notes, saying } = hands;
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
  });
}
