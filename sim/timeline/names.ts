import { nameOf } from "../agents/names.ts";
import type { Note } from "../kernel/trace.ts";

/** Which machine an etcd member lives on. Ids are never used twice, so one look at the whole trace is enough. */
export type Members = ReadonlyMap<number, number>;

export function membersOf(notes: readonly Note[]): Members {
  const found = new Map<number, number>();
  for (const { kind, cells } of notes)
    if (kind === "etcd.start") found.set(Number(cells[0]), Number(cells[1]));
  return found;
}

/** "1 and 3" as the machines that they are: "a and b". An id that never ran has no machine. */
export const memberNames = (members: Members, text: string): string =>
  text.replaceAll(/\d+/g, (id) => {
    const machine = members.get(Number(id));
    return machine === undefined ? `member ${id}` : nameOf(machine);
  });

/** A sentence of a check speaks of members and machines by number: the reader knows them as a and b. */
export const named = (members: Members, text: string): string =>
  text
    .replaceAll(/\bmember (\d+) on machine (\d)\b/g, (_, id: string, machine: string) => {
      return `member ${id} on ${nameOf(Number(machine))}`;
    })
    .replaceAll(/\bmembers (\d+) and (\d+)\b/g, (_, one: string, other: string) => {
      return `member ${withMachine(members, one)} and member ${withMachine(members, other)}`;
    })
    .replaceAll(/\bmember (\d+)(?! on | \()/g, (_, id: string) => `member ${withMachine(members, id)}`)
    .replaceAll(/\bmachine (\d)\b/g, (_, machine: string) => nameOf(Number(machine)));

function withMachine(members: Members, id: string): string {
  const machine = members.get(Number(id));
  return machine === undefined ? id : `${id} (${nameOf(machine)})`;
}

/** The ends of the management wire, as the world numbers them. */
export const endName = (end: number): string =>
  end < 2 ? nameOf(end) : end < 4 ? `${nameOf(end - 2)}'s BMC` : "the PDU";

export const linkName = (wire: string): string =>
  wire.startsWith("link") ? `link ${wire.slice(4)}` : `the ${wire} wire`;
