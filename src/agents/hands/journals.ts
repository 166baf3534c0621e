import { join } from "node:path";
import { paths } from "../../base/paths.ts";
import { newWords } from "../../machine/cluster-journal.ts";
import type { Recorder } from "../../record/recorder.ts";
import type { Saying } from "./attributes.ts";
import { failureOf } from "./outcome.ts";

const journal_ms = 5_000;

/** Writes down what Corosync and Pacemaker have told their journals since the last time. It can't fail for who asks. */
export async function tellJournals(
  { recorder, saying }: { readonly recorder: Pick<Recorder, "clusterWords">; readonly saying: Saying },
  folder: string = paths.run,
): Promise<void> {
  const { resource, peerId, peerName } = saying;
  try {
    const words = await newWords(join(folder, "journal-cursor"), resource, journal_ms);
    recorder.clusterWords(words, { id: peerId, name: peerName });
  } catch (error) {
    failureOf(error);
  }
}
