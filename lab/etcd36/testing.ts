import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Configuration, type MemberFacts, readMember } from "../../src/facts/facts.ts";
import { until } from "../../src/machine/clock.ts";
import { run } from "../../src/machine/process.ts";
import { Progress } from "../../src/machine/progress.ts";
import { ensureEtcd36 } from "../etcd36.ts";
import { ensureImage, imageCached } from "../image.ts";
import { askOracle, type OracleAnswer } from "./oracle.ts";
import { type Etcd, EtcdProcess } from "./process.ts";

/** For tests of the facts against etcd itself. */

const progress = new Progress();

/** 3.6, and 3.5 as Debian has it where the machines' image is there (`npm test` as root makes it). */
export async function versions(): Promise<readonly [Etcd, ...Etcd[]]> {
  const built: Etcd = { version: "3.6", folder: await ensureEtcd36(progress) };
  if (!(await imageCached())) return [built];
  return [built, { version: "3.5", folder: join(await ensureImage(progress), "usr", "bin") }];
}

/** A scratch folder, gone at the end. */
export async function scratch(): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await mkdtemp(join(tmpdir(), "duet-etcd-"));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

export async function copyFolder(from: string, to: string): Promise<void> {
  await run(["cp", "-a", "--sparse=always", from, to], { deadline_ms: 60_000 });
}

/** The facts of a stopped member, after making sure that etcd's own packages read the same. */
export async function factsAsEtcd(programs: string, folder: string): Promise<MemberFacts> {
  const reading = readMember(folder);
  assert.ok(reading !== undefined);
  sameAsOracle(reading.facts, await oracleOf(programs, folder));
  return reading.facts;
}

/** What etcd's own packages read in a stopped member's folder. */
export async function oracleOf(programs: string, folder: string): Promise<OracleAnswer> {
  // The oracle opens the database for writing.
  const copy = `${folder}.oracle`;
  await copyFolder(folder, copy);
  const [answer] = await askOracle(programs, [copy]);
  await rm(copy, { recursive: true });
  assert.ok(answer !== undefined);
  return answer;
}

export function sameAsOracle(facts: MemberFacts, answer: OracleAnswer): void {
  assert.equal(answer.error, undefined);
  const { hardState, snapshot, first, last } = facts;
  assert.deepEqual(
    {
      clusterId: facts.clusterId.toString(16),
      memberId: facts.memberId.toString(16),
      term: hardState.term,
      vote: hardState.vote.toString(16),
      commit: hardState.commit,
      snapshot: snapshot === undefined ? null : { index: snapshot.index, term: snapshot.term },
      entries: first === undefined ? 0 : last.index - first.index + 1,
      last,
    },
    {
      clusterId: answer.clusterId,
      memberId: answer.memberId,
      term: answer.term,
      vote: answer.vote,
      commit: answer.commit,
      snapshot: answer.snapshot,
      entries: answer.entries,
      last: answer.last,
    },
  );
  assert.equal(facts.applied ?? 0, answer.consistentIndex);
  sameConfiguration(facts.configuration, answer.whole);
  sameConfiguration(facts.configurationCommitted, answer.committed);
}

/** What etcd voids and we must not judge: all but a request that was repeated and that raft too finds to change nothing. */
export const doubtful = (voids: string): readonly string[] =>
  voids
    .split("; ")
    .filter(
      (each) =>
        each !== "" &&
        !/: ConfChangeRemoveNode: membership: ID (removed|not found) \(idle\)$/.test(each) &&
        !each.endsWith(": ConfChangeAddNode: membership: can only promote a learner member (idle)"),
    );

function sameConfiguration(ours: Configuration, theirs: OracleAnswer["whole"]): void {
  assert.ok(theirs !== null);
  if (doubtful(theirs.void).length > 0) return assert.notEqual(ours.unknown, undefined, theirs.void);
  const hex = (ids: readonly bigint[]) => ids.map((id) => id.toString(16)).toSorted();
  assert.deepEqual(
    {
      voters: hex(ours.voters),
      learners: hex(ours.learners),
      removed: hex(ours.removed),
      unknown: ours.unknown,
    },
    { voters: theirs.voters, learners: theirs.learners, removed: theirs.removed, unknown: undefined },
  );
}

/** Two members; the second joins as a learner and becomes a voter when it is asked to. */
export class Pair {
  readonly a: EtcdProcess;
  b: EtcdProcess;
  readonly flags: readonly string[];

  private constructor(a: EtcdProcess, b: EtcdProcess, flags: readonly string[]) {
    this.a = a;
    this.b = b;
    this.flags = flags;
  }

  static async create(etcd: Etcd, folder: string, flags: readonly string[]): Promise<Pair> {
    const a = await EtcdProcess.create(etcd, "a", folder);
    return new Pair(a, await EtcdProcess.create(etcd, "b", folder), flags);
  }

  async startFirst(): Promise<void> {
    this.a.start([...this.flags, "--initial-cluster", `a=${this.a.peer}`]);
    await this.a.ready();
  }

  /** `through` is in the cluster and `who` is not: add it as a learner, with empty data. */
  async join(who: EtcdProcess, through: EtcdProcess): Promise<void> {
    await rm(who.folder, { recursive: true, force: true });
    // Refused for a moment after a start ("unhealthy cluster").
    await until(
      "the learner is added",
      () => isDone(through, ["add", who.name, "--learner", `--peer-urls=${who.peer}`], /already exists/),
      { deadline_ms: 60_000 },
    );
    who.start([
      ...this.flags,
      "--initial-cluster-state=existing",
      `--initial-cluster=${through.name}=${through.peer},${who.name}=${who.peer}`,
    ]);
  }

  async promote(who: EtcdProcess, through: EtcdProcess): Promise<void> {
    const id = await memberId(who, through);
    await until(
      "the learner becomes a voter",
      () => isDone(through, ["promote", id], /can only promote a learner member(?! which)/),
      { deadline_ms: 60_000 },
    );
    await who.ready();
  }

  /** As duet does it by plan: leadership goes over, then the membership, then the process. */
  async leave(who: EtcdProcess, through: EtcdProcess): Promise<void> {
    await who.ctl(["move-leader", await memberId(through, through)], "any");
    const id = await memberId(who, through);
    await until("the member is removed", () => isDone(through, ["remove", id], /member not found/i), {
      deadline_ms: 60_000,
    });
    await who.kill();
  }

  async kill(): Promise<void> {
    await Promise.all([this.a.kill(), this.b.kill()]);
  }

  async restart(): Promise<void> {
    this.a.start(this.flags);
    this.b.start(this.flags);
    await Promise.all([this.a.ready(), this.b.ready()]);
  }
}

/** Also where an earlier try went through and its answer was too late: then it is refused because it is done. */
async function isDone(through: EtcdProcess, change: readonly string[], done: RegExp): Promise<boolean> {
  const { status, stderr } = await through.ctl(["member", ...change], "any");
  return status === 0 || done.test(stderr);
}

/** By its address, which is the only thing a test knows of it. */
export async function memberId(who: EtcdProcess, through: EtcdProcess): Promise<string> {
  const { stdout } = await through.ctl(["member", "list"]);
  const line = stdout.split("\n").find((each) => each.includes(who.peer));
  assert.ok(line !== undefined, stdout);
  return line.split(",")[0] ?? "";
}
