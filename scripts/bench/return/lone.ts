import { recordOf } from "../../../lab/records.ts";
import { runIn } from "../../../lab/run.ts";
import { switchPower } from "../../../lab/power-commands.ts";
import { DuetError, fail } from "../../../src/base/problem.ts";
import { now_ms, sleep } from "../../../src/machine/clock.ts";
import { machine_names, otherThan } from "../../../src/scenario/slots.ts";
import { type Place, preferred, untilWhole } from "../failover/place.ts";
import { type LoneParts, loneParts } from "./parts.ts";

/** The whole site is dark for so long. */
const dark_ms = 5_000;
const serves_ms_max = 150_000;
const again_ms = 50;
/** What a machine records it has written by then. */
const record_ms = 2_000;
/** Pacemaker's part is read from its journal when nothing else is left to do, at the next monitor at the latest. */
const journal_ms_max = 20_000;

/** Whose turn is first in the race to fence commands Off at once; the other waits until that turn has passed. */
export type Which = "first" | "second";

/** Both lose their power, and one gets it back: until a write through it is acknowledged. */
export async function returnAlone(
  { lab, etcds }: Place,
  which: Which,
  say: (detail: string) => void,
): Promise<LoneParts> {
  await untilWhole(etcds);
  const first = preferred(lab);
  const lone = which === "first" ? first : otherThan(first);
  await Promise.all(machine_names.map((name) => switchPower(lab.name, name, "cut")));
  await sleep(dark_ms);
  const on_ms = Date.now();
  await switchPower(lab.name, lone, "on");
  const end_ms = now_ms() + serves_ms_max;
  while (!(await etcds.serves(lone))) {
    if (now_ms() >= end_ms)
      fail(
        "DUET-E-WAIT-DEADLINE",
        lone,
        `stayed inert: it does not serve ${serves_ms_max / 1000} s after its power came back. ${await saysOf(lab, lone)}`,
        "see `journalctl -u duet-guard` there",
      );
    await sleep(again_ms);
  }
  const write_ms = Date.now();
  say(`${((write_ms - on_ms) / 1000).toFixed(1)} s`);
  await sleep(record_ms);
  const parts = await partsOf(lab, lone, on_ms, write_ms);
  await switchPower(lab.name, otherThan(lone), "on");
  await untilWhole(etcds);
  return parts;
}

/** A part that is not told by then is not known. */
async function partsOf(
  lab: Place["lab"],
  machine: string,
  on_ms: number,
  write_ms: number,
): Promise<LoneParts> {
  const end_ms = now_ms() + journal_ms_max;
  for (;;) {
    const parts = loneParts(await recordOf(lab, machine), on_ms, write_ms);
    if (parts.order_ms !== undefined || now_ms() >= end_ms) return parts;
    await sleep(record_ms);
  }
}

/** The last line of the guard's. */
async function saysOf(lab: Place["lab"], machine: string): Promise<string> {
  try {
    const { stdout } = await runIn(
      lab,
      machine,
      ["journalctl", "--boot", "--no-pager", "--output=cat", "--lines=1", "--unit=duet-guard.service"],
      { accept: "any" },
    );
    return stdout.trim() === "" ? "Its guard says nothing." : `Its guard says: ${stdout.trim()}`;
  } catch (error) {
    if (!(error instanceof DuetError)) throw error;
    return "It can't be asked.";
  }
}
