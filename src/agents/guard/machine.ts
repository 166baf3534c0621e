import { loadHands } from "../etcd/machine.ts";
import { sayWhyInert } from "./say.ts";

/** What systemd starts at boot. */
export async function runGuard(): Promise<void> {
  const { effects, notes } = await loadHands("guard");
  await sayWhyInert({
    effects,
    isStarted: () => notes.has("started"),
    say: (line) => process.stderr.write(`${line}\n`),
  });
}
