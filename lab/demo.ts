import { seconds, type Progress } from "../src/machine/progress.ts";
import { cacheFolder } from "./cache.ts";
import { removeLab } from "./down.ts";
import type { Lab } from "./folder.ts";
import { imageCached } from "./image.ts";
import { metalOf } from "./metal/power.ts";
import { type Seen, watchPeer } from "./observe.ts";
import { labUp } from "./up.ts";

/** What the demo measured, each time counted from the moment the power was cut or came on. */
export interface DemoResult {
  readonly up_ms: number;
  readonly phases: readonly { readonly what: string; readonly after_ms: number }[];
}

export const demoLab = "demo";

export async function announce(progress: Progress): Promise<void> {
  progress.say(
    "duet: a control plane on two machines. This shows two machines, one lost, one noticing, both again.\n",
  );
  progress.say(
    (await imageCached())
      ? "The machines' image is cached: this takes about half a minute."
      : `The first time takes about 2 minutes and 1 GB of disk in ${cacheFolder()}; later about half a minute.`,
  );
}

/** The two machines; an earlier demo's that was kept is in the way, and is not touched. */
export async function demoUp(progress: Progress): Promise<Lab> {
  return await labUp({ name: demoLab, disk_mb: 4096, off_ms: 1000, on_ms: 1000, wait: true }, progress);
}

/** One machine lost by `cut`, the peer noticing and proving it off, the machine back. */
export async function demo(lab: Lab, progress: Progress): Promise<DemoResult["phases"]> {
  // The preferred machine is node1: losing the other shows a fence without the delay that settles a race.
  const [survivor, lost] = ["node1", "node2"];
  const phases: { what: string; after_ms: number }[] = [];
  const note = (what: string, seen: Seen, since_ms: number) => {
    phases.push({ what, after_ms: seen.at_ms - since_ms });
  };
  const watch = await watchPeer(lab, survivor, lost);
  try {
    const cut_ms = Date.now();
    await progress.step(`${lost} loses its power (cut: no goodbye)`, () => metalOf(lab, lost).cut());
    await progress.step(`${survivor} notices, and has ${lost} proven off by its BMC`, async () => {
      note(`${survivor} sees ${lost} lost`, await watch.wait("lost", cut_ms, 60_000), cut_ms);
      note("fencing asked for", await watch.wait("fence asked", cut_ms, 60_000), cut_ms);
      note("Off confirmed by its BMC", await watch.wait("off confirmed", cut_ms, 120_000), cut_ms);
    });
    const on_ms = Date.now();
    await progress.step(`${lost} gets power again, boots and joins`, async () => {
      await metalOf(lab, lost).on();
      note(`${lost} in the membership again`, await watch.wait("member", on_ms, 120_000), on_ms);
      note(`${lost} online in the cluster`, await watch.wait("online", on_ms, 120_000), on_ms);
    });
  } finally {
    watch.stop();
  }
  return phases;
}

export function summary(result: DemoResult): string {
  const row = (what: string, ms: number, indent: number) =>
    `${" ".repeat(indent)}${what.padEnd(38 - indent)} ${seconds(ms).padStart(7)}`;
  const [lost, back] = [result.phases.slice(0, 3), result.phases.slice(3)];
  return [
    "\nSummary",
    row("two machines, one cluster", result.up_ms, 2),
    "  after the power was cut",
    ...lost.map((p) => row(p.what, p.after_ms, 4)),
    "  after the power came back",
    ...back.map((p) => row(p.what, p.after_ms, 4)),
    "",
  ].join("\n");
}

export async function endDemo(lab: Lab): Promise<void> {
  await removeLab(lab.folder);
}
