import * as v from "valibot";
import type { Decision } from "../decide/decision.ts";
import { isAccepted } from "../decide/accepted.ts";
import type { Accepted, Facts, Holding } from "../decide/facts.ts";
import { tableNames } from "../decide/rules.ts";
import { type Entry, event_names, format } from "./entry.ts";

/** In a file undefined is null: what is not there at all is damage. */
const orNot = <T extends v.GenericSchema>(schema: T) =>
  v.pipe(
    v.nullable(schema),
    v.transform((value) => value ?? undefined),
  );

const epoch = v.pipe(v.number(), v.safeInteger());
const lineage = v.strictObject({ epoch, owner: v.string() });
const settled = v.strictObject({ mine: epoch, theirs: epoch });

const holding: v.GenericSchema<unknown, Holding> = v.strictObject({
  data: v.boolean(),
  standing: v.picklist(["voter", "learner", "removed", "none", "unknown"]),
  soleVoter: v.boolean(),
  removalInLog: v.boolean(),
  tailLost: v.boolean(),
  lineage: orNot(lineage),
  full: v.boolean(),
  takeover: orNot(v.strictObject({ step: v.picklist(["intent", "served", "abandoned"]), epoch })),
  left: v.boolean(),
  surrendered: orNot(epoch),
  settled,
  others: v.string(),
  echo: v.string(),
});

const offer = v.strictObject({ lineage: orNot(lineage), surrendered: orNot(epoch) });
const nothing_shown = { lineage: undefined, surrendered: undefined };
const choice = v.union([
  v.strictObject({
    of: v.picklist(["self", "peer"]),
    mine: offer,
    theirs: offer,
    // In records of before it was kept any tag was accepted, so those of that moment are (below).
    tags: v.optional(v.array(lineage)),
  }),
  // In records of before a choice was bound to what it was made between.
  v.pipe(
    v.picklist(["self", "peer"]),
    v.transform((of) => ({ of, mine: nothing_shown, theirs: nothing_shown, tags: [] })),
  ),
]);

const peer = v.variant("seen", [
  v.strictObject({ seen: v.literal("never") }),
  v.strictObject({ seen: v.literal("before"), facts: orNot(holding) }),
  v.strictObject({
    seen: v.literal("now"),
    facts: orNot(holding),
    serving: v.boolean(),
    // Not in records of before this was told: what was decided then took it for granted.
    running: v.optional(v.boolean(), true),
    stuck: v.boolean(),
    leaving: v.boolean(),
  }),
]);

const tag = v.variant("kind", [
  v.strictObject({ kind: v.picklist(["unreadable", "foreign", "blank"]) }),
  v.strictObject({ kind: v.literal("lineage"), epoch, owner: v.string() }),
]);

const plainFacts = v.strictObject({
  me: v.string(),
  peerName: v.string(),
  self: holding,
  peer,
  peerPower: v.picklist(["on", "off", "fed", "unreadable"]),
  proof: v.picklist(["none", "off", "void"]),
  fencePending: v.boolean(),
  word: v.strictObject({
    peerDown: v.boolean(),
    accept: orNot(v.union([epoch, v.custom<Accepted>(isAccepted)])),
    choose: orNot(choice),
  }),
  tags: v.strictObject({ mine: tag, theirs: tag, gone: v.exactOptional(v.array(lineage)) }),
  witness: v.picklist(["on", "off", "unproven"]),
  firstStart: v.boolean(),
  etcd: v.strictObject({
    running: v.boolean(),
    leader: v.boolean(),
    failedStarts: epoch,
    versions: v.exactOptional(
      v.strictObject({
        program: orNot(v.string()),
        data: orNot(v.string()),
        peer: orNot(v.string()),
        cluster: orNot(v.string()),
      }),
    ),
  }),
  started: v.boolean(),
  stopping: v.picklist(["shutdown", "standby", "restart", "unknown"]),
});
const facts: v.GenericSchema<unknown, Facts> = v.pipe(
  plainFacts,
  v.transform(({ word: { choose, ...word }, ...rest }) => {
    const shown = [rest.tags.mine, rest.tags.theirs].flatMap((each) =>
      each.kind === "lineage" ? [{ epoch: each.epoch, owner: each.owner }] : [],
    );
    return {
      ...rest,
      word: { ...word, choose: choose === undefined ? choose : { ...choose, tags: choose.tags ?? shown } },
    };
  }),
);

const plainDeeds = [
  "serve-as-is",
  "start-plain",
  "join-as-learner",
  "follow-as-learner",
  "prove-off",
  "wait",
  "needs-human",
  "may-fence",
  "refuse-fence",
  "leave",
  "stop",
  "keep-tags",
  "stop-and-alarm",
  "restart-in-place",
] as const;
const epochDeeds = ["new-cluster", "take-over", "resume-takeover", "surrender", "abandon"] as const;

const decision: v.GenericSchema<unknown, Decision> = v.variant("do", [
  v.strictObject({ do: v.picklist(plainDeeds) }),
  v.strictObject({ do: v.picklist(epochDeeds), epoch }),
  v.strictObject({ do: v.literal("settle"), settled }),
  v.strictObject({ do: v.literal("write-tags"), bmcs: v.array(v.picklist(["mine", "theirs"])) }),
]);

const stamp = {
  at: v.pipe(
    v.string(),
    v.check((text) => !Number.isNaN(Date.parse(text)), "this is no time"),
  ),
  mono_ms: v.pipe(v.number(), v.finite()),
  boot: v.string(),
  machine: v.string(),
  duet: v.string(),
  by: v.string(),
  pid: v.number(),
};
const question = v.picklist(tableNames);
const count = v.pipe(v.number(), v.integer(), v.minValue(1));

const entry: v.GenericSchema<unknown, Entry> = v.variant("kind", [
  v.strictObject({
    ...stamp,
    kind: v.literal("decision"),
    question,
    rule: v.string(),
    path: v.array(v.string()),
    decision,
    sentence: v.string(),
    facts,
  }),
  v.strictObject({
    ...stamp,
    kind: v.literal("again"),
    question,
    rule: v.string(),
    count,
    for_ms: v.number(),
  }),
  v.variant("edge", [
    v.strictObject({ ...stamp, kind: v.literal("step"), step: v.string(), edge: v.literal("begin") }),
    v.strictObject({
      ...stamp,
      kind: v.literal("step"),
      step: v.string(),
      edge: v.literal("end"),
      took_ms: v.number(),
      outcome: v.string(),
    }),
  ]),
  v.strictObject({
    ...stamp,
    kind: v.literal("event"),
    event: v.picklist(event_names),
    detail: v.record(v.string(), v.union([v.string(), v.number(), v.boolean()])),
  }),
]);

export type Line =
  | { readonly ok: true; readonly entry: Entry }
  /** `cut`: it is no whole JSON, as a write that never ended leaves it. */
  | { readonly ok: false; readonly cut: boolean; readonly why: string };

export function decode(text: string): Line {
  const value = parseJson(text);
  if (value === undefined) return { ok: false, cut: true, why: "this is no whole line of a record" };
  const parsed = v.safeParse(entry, value);
  if (parsed.success) return { ok: true, entry: parsed.output };
  const [issue] = parsed.issues;
  const path = v.getDotPath(issue);
  return { ok: false, cut: false, why: `${path === null ? "" : `${path}: `}${issue.message}` };
}

const first = v.looseObject({ record: v.literal("duet"), format: v.number() });

/** Undefined: this is the first line of a record that can be read. Otherwise why not. */
export function wrongFirstLine(text: string): string | undefined {
  const parsed = v.safeParse(first, parseJson(text));
  if (!parsed.success) return "its first line is not that of a record of duet's";
  const found = parsed.output.format;
  return found === format ? undefined : `it has format ${found}, and this duet knows format ${format}`;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
