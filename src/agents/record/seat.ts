import { exit, fail } from "../../base/problem.ts";
import { parseRecord, type Recording } from "../../record/read.ts";
import type { Machine, Site } from "../../site/site.ts";
import { callBySsh, judgeSsh } from "../check/ssh.ts";
import { export_bytes_max } from "./export.ts";

const connect_ms = 2_000;
const ssh_ms = 60_000;

export interface Seat {
  readonly site: Site;
  readonly ssh_config?: string;
}

export interface Fetched extends Recording {
  /** Why a machine's record is not in it, by the machine's name. */
  readonly silent: ReadonlyMap<string, string>;
}

/** Both machines' records, over ssh as `duet check` does. One that is away, or has none, is told; without any there is nothing. */
export async function recordsFromSeat({ site, ssh_config }: Seat, ask = askOne): Promise<Fetched> {
  const asked = await Promise.all(site.machines.map((machine) => ask(machine, ssh_config)));
  const silent = new Map<string, string>();
  const found: Recording[] = [];
  for (const [index, { name }] of site.machines.entries()) {
    const answer = asked[index];
    if (answer === undefined) continue;
    if (answer.ok) found.push({ ...parseRecord(answer.text, name), files: [name] });
    else silent.set(name, answer.why);
  }
  if (found.length === 0)
    return fail(
      "DUET-E-RECORD-NONE",
      site.name,
      `no machine tells its record: ${[...silent].map(([name, why]) => `${name}: ${why}`).join("; ")}`,
      "try `duet check`, or name copies of the machines' record folders",
      exit.notHere,
    );
  return {
    entries: found.flatMap(({ entries }) => entries),
    files: found.flatMap(({ files }) => files),
    cut: found.flatMap(({ cut }) => cut),
    damage: found.flatMap(({ damage }) => damage),
    silent,
  };
}

export type Answer =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly why: string };

async function askOne(machine: Machine, config: string | undefined): Promise<Answer> {
  const answer = await callBySsh(machine, {
    config,
    words: ["record"],
    connect_ms,
    deadline_ms: ssh_ms,
    output_bytes_max: 2 * export_bytes_max,
  });
  if (!answer.ok) return answer;
  const { address, status, stdout, stderr } = answer;
  return status === 0
    ? { ok: true, text: stdout }
    : { ok: false, why: judgeSsh(machine.name, address, status, stderr).detail };
}
