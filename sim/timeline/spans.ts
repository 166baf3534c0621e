import { nameOf } from "../agents/names.ts";
import type { Note } from "../kernel/trace.ts";
import { linkName, type Members } from "./names.ts";

/** How something stood from one time to another; rows are drawn in the order of `rows`. */
export interface Span {
  readonly row: Row;
  readonly state: string;
  readonly from_us: number;
  readonly to_us: number;
  readonly text: string;
}
export const rows = [
  "machine0",
  "duet0",
  "etcd0",
  "link0",
  "link1",
  "management",
  "bmc0",
  "bmc1",
  "etcd1",
  "duet1",
  "machine1",
] as const;
export type Row = (typeof rows)[number];

const one = (machine: number): 0 | 1 => (machine === 0 ? 0 : 1);

interface Change {
  readonly row: Row;
  /** Nothing: as it should be, and not drawn. */
  readonly state: string | undefined;
  readonly text: string;
}

const machineStates: Readonly<Record<string, string>> = {
  "has power": "boots",
  "is up": "up",
  "goes on": "up",
  hangs: "hangs",
  "shuts down": "stops",
};

function changeOf(note: Note, members: Members): Change | undefined {
  const { kind, cells } = note;
  const [a, b] = cells;
  switch (kind) {
    case "machine":
      return {
        row: `machine${one(Number(a))}`,
        state: machineStates[String(b)],
        text: `${nameOf(Number(a))} ${b}`,
      };
    case "bmc.fault":
      return { row: `bmc${one(Number(a))}`, state: b === "no fault" ? undefined : "faulty", text: String(b) };
    case "wire.cut":
    case "wire.heal": {
      const row = rows.find((each) => each === a);
      if (row === undefined) return undefined;
      return { row, state: kind === "wire.cut" ? "cut" : undefined, text: `${linkName(row)} is cut` };
    }
    default:
      return etcdChange(note, members);
  }
}

function etcdChange({ kind, cells: [id, role, term] }: Note, members: Members): Change | undefined {
  const machine = members.get(Number(id));
  if (machine === undefined) return undefined;
  const row: Row = `etcd${one(machine)}`;
  const whose = `etcd on ${nameOf(machine)}, member ${id}`;
  if (kind === "etcd.exit") return { row, state: undefined, text: "" };
  if (kind === "etcd.start") return { row, state: "follows", text: `${whose}, runs` };
  if (kind !== "etcd.role") return undefined;
  const state = role === "leader" ? "leads" : role === "follower" ? "follows" : "asks";
  return { row, state, text: `${whose}: ${role}, term ${term}` };
}

export function spansOf(notes: readonly Note[], members: Members, end_us: number): readonly Span[] {
  const open = new Map<Row, { state: string; from_us: number; text: string }>();
  const spans: Span[] = [];
  const close = (row: Row, to_us: number) => {
    const was = open.get(row);
    if (was !== undefined && to_us > was.from_us) spans.push({ row, ...was, to_us });
    open.delete(row);
  };
  for (const note of notes) {
    const change = changeOf(note, members);
    if (change === undefined) continue;
    const { row, state, text } = change;
    if (state !== undefined && open.get(row)?.state === state) continue;
    close(row, note.at_us);
    if (state !== undefined) open.set(row, { state, from_us: note.at_us, text });
  }
  for (const row of rows) close(row, end_us);
  return spans;
}
