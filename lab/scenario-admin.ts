import { join } from "node:path";
import * as v from "valibot";
import { judgeRefused } from "../src/scenario/refused.ts";
import { type Loss, type MachineName, machine_names, otherThan, refusals } from "../src/scenario/slots.ts";
import type { Doing, Seen } from "../src/scenario/world.ts";
import { machineOf } from "./folder.ts";
import { isHung, isOn } from "./metal/power.ts";
import { passing, runIn, seatName } from "./run.ts";
import type { Stage } from "./scenario-stage.ts";

const done: Seen = { ok: true, seen: "" };

/** It fences, and waits until the machine serves. */
const command_ms = 400_000;
const raw_ms = 30_000;

const answer = v.union([
  v.object({ outcome: v.string() }),
  v.object({ problems: v.array(v.object({ code: v.string(), what: v.string() })) }),
]);

/** A word that is refused was said all the same: what must be so afterwards is the scenario's to say. */
const spoken: ReadonlySet<string> = new Set([...refusals, "DUET-E-ADMIN-NOT-YET"]);

interface Word extends Seen {
  /** By which it was refused. */
  readonly code: string | undefined;
}

/** What an admin types at a machine: duet's own commands, and those that go past duet. `losing`: before data is given away. */
export function adminWords(stage: Stage, losing: () => Promise<void>): Doing {
  let last: readonly Word[] = [];
  const typed = async (...words: readonly Promise<Word>[]): Promise<readonly Seen[]> => {
    last = await Promise.all(words);
    return last.map(({ ok, seen }) => ({ ok, seen }));
  };
  const only = async (word: Promise<Word>): Promise<Seen> => {
    const [seen] = await typed(word);
    return seen ?? done;
  };
  const confirm = (machine: MachineName, epoch?: Loss): Promise<Word> =>
    say(stage, otherThan(machine), [
      "confirm-peer-down",
      ...(epoch === undefined ? [] : ["--accept-data-loss", lossOf(stage, epoch)]),
    ]);
  return {
    "admin-down": ({ machine }) => only(confirm(machine)),
    "admin-down-loss": async ({ machine, epoch }) => {
      await losing();
      return await only(confirm(machine, epoch));
    },
    "admin-both-down": async () => {
      const [one, other] = await typed(...machine_names.map((name) => confirm(name)));
      const ok = one?.ok === true && other?.ok === true;
      return { ok, seen: `on node2: ${one?.seen ?? ""}; on node1: ${other?.seen ?? ""}` };
    },
    "admin-chooses": async ({ machine }) => {
      await losing();
      return await only(choose(stage, machine));
    },
    "admin-chooses-loss": async ({ machine, epoch }) => {
      await losing();
      return await only(choose(stage, machine, epoch));
    },
    "expect-admin-refused": async ({ code }) => {
      const codes = last.map((word) => word.code);
      return judgeRefused(code, codes);
    },
    "admin-unblocks": async ({ machine }) => {
      // As `pcs quorum unblock` does it.
      await raw(stage, machine, ["corosync-cmapctl", "-s", "quorum.cancel_wait_for_all", "u8", "1"]);
      return done;
    },
    "admin-confirms": async ({ machine }) => {
      await raw(stage, otherThan(machine), ["stonith_admin", "--confirm", machine]);
      return done;
    },
    "bmc-tag": async ({ machine, tag }) => {
      const program = join(import.meta.dirname, "tag-main.ts");
      const node = [process.execPath, "--disable-warning=ExperimentalWarning"];
      await runIn(await stage.lab(), seatName, [...node, program, machine, tags[tag]]);
      return done;
    },
  };
}

const lossOf = ({ epochs_before }: Stage, accepted: Loss): string =>
  String(accepted).replace(/^\d+/, (epoch) => String(epochs_before + Number(epoch)));

/** The statuses with which duet itself ends. */
const told: ReadonlySet<number> = new Set([0, 1, 2, 3]);

const tags = { none: "", "other-site": "duet:0123456789ab:7:1", foreign: "rack 12" } as const;

async function raw(stage: Stage, machine: MachineName, argv: readonly string[]): Promise<void> {
  await runIn(await stage.lab(), machine, argv, { deadline_ms: raw_ms });
}

/** On the machine whose data is chosen; where that has no power, on the other. Said of a peer that is off it takes that word too. */
async function choose(stage: Stage, machine: MachineName, epoch?: Loss): Promise<Word> {
  const lab = await stage.lab();
  const runs = async (name: MachineName) =>
    (await isOn(lab, machineOf(lab, name))) && !(await isHung(lab, machineOf(lab, name)));
  const at = (await runs(machine)) ? machine : otherThan(machine);
  const accept = epoch === undefined ? [] : ["--accept-data-loss", lossOf(stage, epoch)];
  return await say(stage, at, ["choose-data", machine, ...accept]);
}

/** One command of duet's. A machine that is switched off while it runs there says no more. */
async function say(stage: Stage, machine: MachineName, words: readonly string[]): Promise<Word> {
  let word: Word = { ok: true, seen: `${machine} was switched off meanwhile`, code: undefined };
  await passing(async () => {
    const argv = ["duet", ...words, "--yes", "--json"];
    const { status, stdout, stderr } = await runIn(await stage.lab(), machine, argv, {
      accept: "any",
      deadline_ms: command_ms,
    });
    const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), answer), stdout);
    if (!parsed.success) {
      const isKilled = stdout === "" && !told.has(status);
      if (!isKilled)
        word = {
          ok: false,
          seen: `status ${status}: ${stderr.trim().split("\n").at(-1) ?? ""}`,
          code: undefined,
        };
      return true;
    }
    if ("outcome" in parsed.output) word = { ok: true, seen: parsed.output.outcome, code: undefined };
    else {
      const [problem] = parsed.output.problems;
      const { code = "", what = "" } = problem ?? {};
      word = { ok: spoken.has(code), seen: `${code}: ${what}`, code };
    }
    return true;
  });
  return word;
}
