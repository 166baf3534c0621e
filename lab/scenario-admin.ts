import { join } from "node:path";
import * as v from "valibot";
import { type MachineName, machine_names, otherThan } from "../src/scenario/slots.ts";
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
const refusals: ReadonlySet<string> = new Set([
  "DUET-E-CONFIRM-REFUSED",
  "DUET-E-CONFIRM-STILL-ON",
  "DUET-E-CONFIRM-PEER-HERE",
  "DUET-E-CHOOSE-REFUSED",
  "DUET-E-ADMIN-CHANGED",
  "DUET-E-ADMIN-NOT-YET",
]);

/** What an admin types at a machine: duet's own commands, and those that go past duet. `losing`: before data is given away. */
export function adminWords(stage: Stage, losing: () => Promise<void>): Doing {
  const confirm = (machine: MachineName, epoch?: number | "unknown"): Promise<Seen> =>
    say(stage, otherThan(machine), [
      "confirm-peer-down",
      ...(epoch === undefined ? [] : ["--accept-data-loss", lossOf(stage, epoch)]),
    ]);
  return {
    "admin-down": ({ machine }) => confirm(machine),
    "admin-down-loss": async ({ machine, epoch }) => {
      await losing();
      return await confirm(machine, epoch);
    },
    "admin-both-down": async () => {
      const [one, other] = await Promise.all(machine_names.map((name) => confirm(name)));
      const ok = one?.ok === true && other?.ok === true;
      return { ok, seen: `on node2: ${one?.seen ?? ""}; on node1: ${other?.seen ?? ""}` };
    },
    "admin-chooses": async ({ machine }) => {
      await losing();
      return await choose(stage, machine);
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

const lossOf = ({ epochs_before }: Stage, epoch: number | "unknown"): string =>
  epoch === "unknown" ? epoch : String(epochs_before + epoch);

/** The statuses with which duet itself ends. */
const told: ReadonlySet<number> = new Set([0, 1, 2, 3]);

const tags = { none: "", "other-site": "duet:0123456789ab:7:1", foreign: "rack 12" } as const;

async function raw(stage: Stage, machine: MachineName, argv: readonly string[]): Promise<void> {
  await runIn(await stage.lab(), machine, argv, { deadline_ms: raw_ms });
}

/** On the machine whose data is chosen; where that has no power, on the other. Said of a peer that is off it takes that word too. */
async function choose(stage: Stage, machine: MachineName): Promise<Seen> {
  const lab = await stage.lab();
  const runs = async (name: MachineName) =>
    (await isOn(lab, machineOf(lab, name))) && !(await isHung(lab, machineOf(lab, name)));
  const at = (await runs(machine)) ? machine : otherThan(machine);
  return await say(stage, at, ["choose-data", machine]);
}

/** One command of duet's. A machine that is switched off while it runs there says no more. */
async function say(stage: Stage, machine: MachineName, words: readonly string[]): Promise<Seen> {
  let seen: Seen = { ok: true, seen: `${machine} was switched off meanwhile` };
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
        seen = { ok: false, seen: `status ${status}: ${stderr.trim().split("\n").at(-1) ?? ""}` };
      return true;
    }
    if ("outcome" in parsed.output) seen = { ok: true, seen: parsed.output.outcome };
    else {
      const [problem] = parsed.output.problems;
      const ok = problem !== undefined && refusals.has(problem.code);
      seen = { ok, seen: `${problem?.code ?? ""}: ${problem?.what ?? ""}` };
    }
    return true;
  });
  return seen;
}
