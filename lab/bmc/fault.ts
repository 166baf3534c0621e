import { readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import * as v from "valibot";
import { exit, fail } from "../../src/base/problem.ts";
import { isMissing, replaceSynced } from "../../src/machine/files.ts";

export interface FaultKind {
  /** Who makes the fault happen: the BMC's own service, or the lab on the management wire. */
  readonly by: "service" | "wire";
  readonly what: string;
}

/** Everything that a BMC of the lab can do wrong on demand. Each is something that a shipped BMC really did. */
export const faultKinds = {
  unreachable: { by: "wire", what: "No packet reaches the BMC, and none comes back." },
  "hang-after-connect": { by: "service", what: "TLS is set up, then no request is ever answered." },
  "hang-in-tls": { by: "service", what: "The TCP connection is accepted, then nothing more is said." },
  drip: { by: "service", what: "Answers come one byte a second." },
  unauthorized: { by: "service", what: "All credentials are refused with 401." },
  "server-error": { by: "service", what: "Every request is answered with 500." },
  "session-limit": { by: "service", what: "No session can be created (503); basic login still works." },
  lies: { by: "service", what: "Changes and power actions are answered with success and not done." },
  "graceful-off": {
    by: "service",
    what: "ForceOff only presses the power button: a hung machine stays on.",
  },
  "refuses-done": { by: "service", what: "ForceOff is refused with 409 where the machine is off." },
  "stale-power-state": {
    by: "service",
    what: "PowerState stays what it was when the fault was set, whatever the machine does.",
  },
  "no-power-state": {
    by: "service",
    what: "It can't see its machine: PowerState is missing, and power actions are refused with 503.",
  },
  "accepted-no-effect": {
    by: "service",
    what: "Changes and power actions are answered with 202 and a Task that completes, and not done.",
  },
  slow: { by: "service", what: "Each request is worked on and answered only after N seconds." },
  "forgets-tag": {
    by: "service",
    what: "AssetTag is empty after the BMC lost its power or was reset.",
  },
  "older-tag": {
    by: "service",
    what: "AssetTag is the one before the last after the BMC lost its power or was reset.",
  },
} as const satisfies Record<string, FaultKind>;

type PlainKind = Exclude<keyof typeof faultKinds, "slow">;
export type Fault = { readonly kind: PlainKind } | { readonly kind: "slow"; readonly seconds: number };

const slow_s_max = 3600;
const isPlain = (kind: string): kind is PlainKind => Object.hasOwn(faultKinds, kind) && kind !== "slow";

const faultSchema = v.union([
  v.strictObject({ kind: v.custom<PlainKind>((kind) => typeof kind === "string" && isPlain(kind)) }),
  v.strictObject({
    kind: v.literal("slow"),
    seconds: v.pipe(v.number(), v.gtValue(0), v.maxValue(slow_s_max)),
  }),
]);
const fileSchema = v.strictObject({ faults: v.array(faultSchema) });

/** A fault as a user names it: the kind, and for `slow` the seconds. */
export function parseFault(kind: string, argument?: string): Fault {
  if (isPlain(kind)) {
    if (argument !== undefined)
      fail("DUET-E-FAULT", kind, "this fault takes no argument", `write \`${kind}\` alone`, exit.badInput);
    return { kind };
  }
  if (kind !== "slow")
    fail(
      "DUET-E-FAULT",
      kind,
      "there is no such fault",
      `write one of: ${Object.keys(faultKinds).join(", ")}`,
      exit.badInput,
    );
  const seconds = Number(argument);
  if (argument === undefined || !(seconds > 0 && seconds <= slow_s_max))
    fail(
      "DUET-E-FAULT",
      "slow",
      `needs a number of seconds above 0 and up to ${slow_s_max}`,
      "write `slow 5`",
      exit.badInput,
    );
  return { kind: "slow", seconds };
}

const file = (folder: string): string => join(folder, "fault.json");

/** Active faults, from the one place that says so. Read at every connection and request, hence without promises. */
export function readFaults(folder: string): readonly Fault[] {
  let text: string;
  try {
    text = readFileSync(file(folder), "utf8");
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), fileSchema), text);
  if (!parsed.success)
    fail(
      "DUET-E-BMC-STATE",
      file(folder),
      `this is no list of faults: ${v.summarize(parsed.issues).replaceAll(/\s+/g, " ")}`,
      "remove the file: the BMC then has no fault",
    );
  return parsed.output.faults;
}

/** Adds a fault; one of the same kind is replaced. */
export async function writeFault(folder: string, fault: Fault): Promise<void> {
  await save(folder, [...readFaults(folder).filter((f) => f.kind !== fault.kind), fault]);
}

/** Ends all faults, or the one of this kind. */
export async function clearFaults(folder: string, kind?: Fault["kind"]): Promise<void> {
  const left = kind === undefined ? [] : readFaults(folder).filter((f) => f.kind !== kind);
  if (left.length === 0) await rm(file(folder), { force: true });
  else await save(folder, left);
}

async function save(folder: string, faults: readonly Fault[]): Promise<void> {
  await replaceSynced(file(folder), `${JSON.stringify({ faults }, null, 2)}\n`);
}

export const has = (faults: readonly Fault[], kind: Fault["kind"]): boolean =>
  faults.some((f) => f.kind === kind);
