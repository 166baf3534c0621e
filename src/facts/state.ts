import { createHash } from "node:crypto";
import * as v from "valibot";
import { fail } from "../base/problem.ts";
import { readIfThere, replaceSynced } from "../machine/files.ts";

/** Epoch and owner of the cluster whose data a machine holds. */
export interface Lineage {
  readonly epoch: number;
  /** The machine that made this epoch by its takeover, or that set the cluster up. */
  readonly owner: string;
}

/** What duet itself keeps beside etcd's data. etcd knows nothing of it, so etcd's files can't tell it. */
export interface State {
  /** Undefined: there is no data of any cluster here. */
  readonly lineage: Lineage | undefined;
  /** Known to hold everything that was ever acknowledged. */
  readonly full: boolean;
  /** How far this machine's own last takeover came; `abandoned`: that epoch never served and never will. */
  readonly takeover: { readonly step: "intent" | "served" | "abandoned"; readonly epoch: number } | undefined;
  /** It left by plan. */
  readonly left: boolean;
  /** It gave its data up for a cluster of this epoch or a later one. */
  readonly surrendered: number | undefined;
  /** Epochs up to which this machine's own tags, and the peer's, are known never to have served. 0: none. */
  readonly settled: { readonly mine: number; readonly theirs: number };
  /** In the race to fence; undefined: it has none yet, and fences nobody. */
  readonly turn: 0 | 1 | 2 | undefined;
  /** etcd's revisions are to be raised before anybody is served, or could not be, after an accepted loss. */
  readonly bump: "owed" | "missed" | undefined;
}

/** Of a machine that has never held data. Write it down before relying on it: an absent file is another answer. */
export const state_empty: State = {
  lineage: undefined,
  full: false,
  takeover: undefined,
  left: false,
  surrendered: undefined,
  settled: { mine: 0, theirs: 0 },
  turn: undefined,
  bump: undefined,
};

const title = "duet-state";
const version = 1;

const epoch = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const name = v.pipe(v.string(), v.minLength(1), v.maxLength(253));
const shape = v.strictObject({
  lineage: v.nullable(v.strictObject({ epoch, owner: name })),
  full: v.boolean(),
  takeover: v.nullable(v.strictObject({ step: v.picklist(["intent", "served", "abandoned"]), epoch })),
  left: v.boolean(),
  surrendered: v.nullable(epoch),
  settled: v.strictObject({ mine: epoch, theirs: epoch }),
  turn: v.nullable(v.picklist([0, 1, 2])),
  bump: v.optional(v.picklist(["owed", "missed"])),
});

/** One line that says what this is, one with the hash of the rest, then JSON that a person can read. */
export function encodeState(state: State): string {
  const { lineage, full, takeover, left, surrendered, settled, turn, bump } = state;
  const body = `${JSON.stringify(
    {
      lineage: lineage === undefined ? null : { epoch: lineage.epoch, owner: lineage.owner },
      full,
      takeover: takeover === undefined ? null : { step: takeover.step, epoch: takeover.epoch },
      left,
      surrendered: surrendered ?? null,
      settled: { mine: settled.mine, theirs: settled.theirs },
      turn: turn ?? null,
      // Only where there is one: a file of before there was this is a file of today.
      ...(bump === undefined ? {} : { bump }),
    },
    null,
    2,
  )}\n`;
  return `${title} ${version}\nsha256 ${sha256(body)}\n${body}`;
}

/** The state, or an error: a wrong `full` or a forgotten takeover loses data, so nothing here is ever assumed. */
export function decodeState(text: string, path: string): State {
  const [first = "", second = ""] = text.split("\n", 2);
  const [word, number] = first.split(" ");
  if (word !== title) return unsound(path, "this is no state file of duet's");
  if (number !== String(version))
    return unsound(path, `the file has format ${number}, and this duet knows format ${version}`);
  const body = text.slice(first.length + second.length + 2);
  if (second !== `sha256 ${sha256(body)}`) return unsound(path, "the file is torn or was changed by hand");
  const parsed = v.safeParse(shape, parseJson(body));
  if (!parsed.success)
    return unsound(path, `the content is not that of a state: ${parsed.issues[0].message}`);
  const { lineage, takeover, surrendered, turn, bump, ...rest } = parsed.output;
  const state: State = {
    ...rest,
    lineage: lineage ?? undefined,
    takeover: takeover ?? undefined,
    surrendered: surrendered ?? undefined,
    turn: turn ?? undefined,
    bump,
  };
  // Only what we would write ourselves is right: no other order, spaces or fields.
  return encodeState(state) === text
    ? state
    : unsound(path, "the content is not in the form that duet writes");
}

/** The state; undefined where there is no file. */
export async function readState(path: string): Promise<State | undefined> {
  const text = await readIfThere(path);
  return text === undefined ? undefined : decodeState(text, path);
}

/** On disk, file and folder, when this returns. */
export async function writeState(path: string, state: State): Promise<void> {
  const text = encodeState(state);
  // What we can't read back must not replace what is there.
  decodeState(text, path);
  await replaceSynced(path, text, 0o600);
}

/** Undefined for what is no JSON: the shape refuses that too. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

function unsound(path: string, what: string): never {
  fail(
    "DUET-E-STATE-FILE",
    path,
    what,
    "this machine stays inert; let it join again with empty data, or ask for help",
  );
}
