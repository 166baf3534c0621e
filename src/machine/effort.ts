import { readIfThere } from "./files.ts";

/** What a process has done since it began. */
export interface Effort {
  readonly cpu_ms: number;
  /** From disks, by page faults too. */
  readonly read_bytes: number;
}

export const no_effort: Effort = { cpu_ms: 0, read_bytes: 0 };

/** Linux counts in hundredths of a second for whoever asks by /proc, on every architecture that etcd runs on. */
const tick_ms = 10;

export async function effortOf(pid: number): Promise<Effort> {
  const [stat, io] = await Promise.all([readIfThere(`/proc/${pid}/stat`), readIfThere(`/proc/${pid}/io`)]);
  return parseEffort(stat ?? "", io ?? "");
}

/** See proc(5). The name in `stat` may hold spaces and parentheses: fields are counted from behind it. */
export function parseEffort(stat: string, io: string): Effort {
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [user = 0, system = 0] = fields.slice(11, 13).map(Number);
  return {
    cpu_ms: (user + system) * tick_ms,
    read_bytes: Number(/^read_bytes: (\d+)$/m.exec(io)?.[1] ?? 0),
  };
}

/** Well above what one does that only waits: its timers take a hundredth of a core, and it reads nothing. */
const core_share = 0.1;
const read_bytes_a_ms = 500;

export const isAtWork = (before: Effort, after: Effort, span_ms: number): boolean =>
  after.cpu_ms - before.cpu_ms >= core_share * span_ms ||
  after.read_bytes - before.read_bytes >= read_bytes_a_ms * span_ms;
