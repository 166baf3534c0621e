import { mkdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { DuetError } from "../src/base/problem.ts";
import { paths } from "../src/base/paths.ts";
import { type MemberFacts, readMemberFacts } from "../src/facts/facts.ts";
import { decodeState, type State } from "../src/facts/state.ts";
import { type Lab, type LabMachine, machineOf } from "./folder.ts";
import { withRoot } from "./metal/disk.ts";
import { leaderPid } from "./metal/power.ts";

/** What a machine has on its disk, read as duet on it would. */
export interface OnDisk {
  readonly facts: MemberFacts | undefined;
  readonly state: State | undefined;
}

const tries_max = 5;

/** Of a machine that runs, as it is just now; of one without power, what has outlived the cut. */
export async function heldBy(lab: Lab, name: string): Promise<OnDisk> {
  const m = machineOf(lab, name);
  const pid = await leaderPid(lab, m);
  if (pid === undefined) return await fromCopy(lab, m);
  // An etcd that runs may write in the middle of a look.
  for (let tries = 1; ; tries += 1)
    try {
      return await read(`/proc/${pid}/root`);
    } catch (error) {
      if (tries === tries_max || !(error instanceof DuetError)) throw error;
    }
}

async function fromCopy(lab: Lab, m: LabMachine): Promise<OnDisk> {
  const copy = join(m.folder, "held");
  try {
    await mkdir(copy, { recursive: true });
    const root = join(m.folder, "root");
    const kept = [paths.etcdData, paths.state].map((path) => `.${path}`);
    const script =
      'cd "$1" && shift && into=$1 && shift && cp --archive --sparse=always --parents "$@" "$into"';
    await withRoot(lab, m, ["sh", "-c", script, "sh", root, copy, ...kept]);
    return await read(copy);
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
}

async function read(root: string): Promise<OnDisk> {
  return {
    facts: readMemberFacts(join(root, paths.etcdData)),
    state: decodeState(await readFile(join(root, paths.state), "utf8"), paths.state),
  };
}
