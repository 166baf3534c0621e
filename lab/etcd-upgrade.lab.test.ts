import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import * as v from "valibot";
import { run } from "../src/machine/process.ts";
import { Progress } from "../src/machine/progress.ts";
import { Crowd } from "./clients/crowd.ts";
import { operatorsSeat } from "./clients/seat.ts";
import { ensureEtcd35 } from "./etcd35.ts";
import { ensureEtcd36 } from "./etcd36.ts";
import { machineOf, openLab } from "./folder.ts";
import { leaderPid } from "./metal/power.ts";
import { duet, duetOk, on, ownLabsFolder, statusJson, untilSeen } from "./testing.ts";

/** One lab, with clients that write all the time: etcd 3.5 to 3.6, one machine after the other, and what does not go back. */
ownLabsFolder();
const name = "upgrade";
const per_s = 200;
const progress = new Progress();
const etcd35 = await ensureEtcd35(progress);
const etcd36 = await ensureEtcd36(progress);
let clients: Crowd | undefined;

const shape = v.object({
  whole: v.string(),
  serves: v.array(v.string()),
  lineage: v.nullable(v.object({ epoch: v.number() })),
  machines: v.array(
    v.object({
      name: v.string(),
      etcd: v.object({
        known: v.boolean(),
        value: v.optional(
          v.object({
            role: v.string(),
            version: v.nullable(v.string()),
            cluster: v.nullable(v.string()),
            installed: v.nullable(v.string()),
          }),
        ),
      }),
    }),
  ),
  wrong: v.array(v.object({ code: v.string(), where: v.string(), what: v.string(), page: v.string() })),
});
type Seen = v.InferOutput<typeof shape>;

const at = (place: string, ...words: readonly string[]) =>
  duet(["lab", "run", place, "--name", name, "--", "duet", ...words]);
const status = async (): Promise<Seen> =>
  v.parse(v.pipe(v.string(), v.parseJson(), shape), await statusJson(name, "seat"));
const etcdOn = (seen: Seen, machine: string) =>
  seen.machines.find((each) => each.name === machine)?.etcd.value;
const refusedFor = (seen: Seen, rule: string, machine: string) =>
  seen.wrong.find(({ code, where }) => code === rule && where === machine);

/** node1 serves alone, and node2 says by this rule why it is not let in. */
const isRefused = (seen: Seen, rule: string): boolean =>
  seen.whole === "1+0" && seen.serves.length === 1 && refusedFor(seen, rule, "node2") !== undefined;

const seenSo = (what: string, isSo: (seen: Seen) => boolean): Promise<Seen> =>
  untilSeen(
    what,
    async () => {
      const seen = await status();
      return isSo(seen) && seen;
    },
    { deadline_ms: 120_000, every_ms: 500 },
  );
const whole = (): Promise<Seen> => seenSo("1+1", (seen) => seen.whole === "1+1");

/** As a package does it: the new file is whole before it takes the old one's place. */
async function install(machine: string, from: string): Promise<void> {
  const lab = await openLab(name);
  const leader = await leaderPid(lab, machineOf(lab, machine));
  assert.ok(leader !== undefined, `${machine} has no power`);
  for (const program of ["etcd", "etcdctl", "etcdutl"]) {
    const place = join("/usr/bin", program);
    await run(["install", "-m", "755", join(from, program), `/proc/${leader}/root${place}.new`]);
    await on(name, machine, "mv", `${place}.new`, place);
  }
}

async function byPlan(machine: string, from: string): Promise<void> {
  const put = await at("seat", "standby", machine);
  assert.equal(put.status, 0, put.stderr);
  await install(machine, from);
  const taken = await at("seat", "unstandby", machine);
  assert.equal(taken.status, 0, taken.stderr);
}

/** Of all that etcd has on its disk. */
const sumsOn = (machine: string): Promise<string> =>
  on(name, machine, "sh", "-c", "cd /var/lib/duet/etcd && find . -type f | sort | xargs sha256sum");

async function nobodyWasFenced(): Promise<void> {
  for (const machine of ["node1", "node2"])
    assert.doesNotMatch(
      await on(name, machine, "journalctl", "--unit=pacemaker", "--no-pager", "--output=cat"),
      /Requesting fencing/,
      `${machine} asked for a fence`,
    );
}

before(async () => {
  await duetOk("lab", "up", "--name", name);
  await whole();
  clients = await Crowd.begin(await operatorsSeat(await openLab(name), "node1", progress), per_s);
});
after(async () => {
  clients?.kill();
  await duetOk("lab", "down", "--name", name);
});

test("3.6 does not join beside an early 3.5, says why, and the last 3.5 in its place joins by itself", async () => {
  const put = await at("seat", "standby", "node2");
  assert.equal(put.status, 0, put.stderr);
  await install("node2", etcd36);
  // It is waited for what never comes: so not for long.
  const late = await at("seat", "unstandby", "node2", "--within", "3s");
  assert.equal(late.status, 1, late.stdout);
  const seen = await seenSo("node2 says why it does not join", (now) => isRefused(now, "R-NEW-ETCD-JOIN"));
  assert.deepEqual([seen.whole, seen.serves], ["1+0", ["node1"]]);
  const told = refusedFor(seen, "R-NEW-ETCD-JOIN", "node2");
  assert.match(told?.what ?? "", /node1 serves with 3\.5\.16/);
  await untilSeen(
    "it stands at node2's console",
    async () => (await on(name, "node2", "cat", "/run/issue.d/50-duet.issue")).includes("R-NEW-ETCD-JOIN"),
    { deadline_ms: 60_000, every_ms: 500 },
  );
  await install("node2", etcd35);
  await whole();
  await byPlan("node1", etcd35);
  await nobodyWasFenced();
});

test("3.6 on one machine after the other, under clients: 1+1 in between, and the cluster follows when both have it", async () => {
  const { lineage } = await whole();
  await byPlan("node2", etcd36);
  const between = await whole();
  assert.match(etcdOn(between, "node1")?.version ?? "", /^3\.5\./);
  assert.match(etcdOn(between, "node2")?.version ?? "", /^3\.6\./);
  assert.equal(etcdOn(between, "node2")?.cluster, "3.5.0");
  assert.match(
    (await at("node1", "status", "--no-power")).stdout,
    /node1 runs 3\.5\.\d+; node2 runs 3\.6\.\d+; the cluster\s+works by 3\.5/,
  );
  await byPlan("node1", etcd36);
  const done = await seenSo(
    "both work by 3.6",
    (seen) =>
      seen.whole === "1+1" &&
      ["node1", "node2"].every((each) => etcdOn(seen, each)?.cluster?.startsWith("3.6") === true),
  );
  assert.equal(done.lineage?.epoch, lineage?.epoch, "nobody took over");
  await nobodyWasFenced();
});

test("3.5 on a machine that left is not let in again, and nothing of its data is touched", async () => {
  const put = await at("seat", "standby", "node2");
  assert.equal(put.status, 0, put.stderr);
  await install("node2", etcd35);
  const sums = await sumsOn("node2");
  assert.equal((await at("seat", "unstandby", "node2", "--within", "3s")).status, 1);
  const seen = await seenSo(
    "node2 says why it does not join, and which etcd it has",
    (now) => isRefused(now, "R-OLD-ETCD-JOIN") && typeof etcdOn(now, "node2")?.installed === "string",
  );
  assert.deepEqual([seen.whole, seen.serves], ["1+0", ["node1"]]);
  const told = refusedFor(seen, "R-OLD-ETCD-JOIN", "node2");
  assert.match(told?.what ?? "", /cluster of etcd 3\.6, .* is 3\.5\.\d+/);
  assert.equal(await sumsOn("node2"), sums);
  assert.match(etcdOn(seen, "node2")?.installed ?? "", /^3\.5\./);
  await install("node2", etcd36);
  await whole();
  await nobodyWasFenced();
});

test("3.5 under an etcd that ends: it is never started, nothing is touched, the other serves, and nobody is fenced", async () => {
  const was = await whole();
  await install("node2", etcd35);
  const since = (await on(name, "node2", "date", "+%s")).trim();
  await on(name, "node2", "systemctl", "kill", "--signal=SIGKILL", "duet-etcd.service");
  // It is killed beside us: until it is gone it may still write.
  await untilSeen(
    "no process of etcd's on node2",
    async () => (await on(name, "node2", "systemctl", "show", "-P", "MainPID", "duet-etcd")).trim() === "0",
    { deadline_ms: 60_000 },
  );
  const sums = await sumsOn("node2");
  const seen = await seenSo(
    "node1 has taken over, and node2 says why it does not join",
    (now) => isRefused(now, "R-OLD-ETCD-JOIN") && (now.lineage?.epoch ?? 0) > (was.lineage?.epoch ?? 0),
  );
  assert.deepEqual([seen.whole, seen.serves], ["1+0", ["node1"]]);
  assert.equal(seen.lineage?.epoch, (was.lineage?.epoch ?? 0) + 1, "node1 took over, with node2 alive");
  assert.equal(await sumsOn("node2"), sums);
  const journal = ["journalctl", "--unit=duet-etcd", "--no-pager", "--output=cat", `--since=@${since}`];
  assert.doesNotMatch(await on(name, "node2", ...journal), /starting an etcd server/);
  const rules = await on(name, "node2", "sh", "-c", "cat /var/lib/duet/record/*");
  assert.match(rules, /"R-OLD-ETCD-GIVE-UP"/);
  await nobodyWasFenced();
  await install("node2", etcd36);
  await whole();
});

test("the clients have lost nothing", async () => {
  assert.ok(clients !== undefined);
  const { acknowledged, failed } = await clients.stop();
  assert.ok(acknowledged > 0);
  const [found, verdict] = [await clients.verify(), await clients.check()];
  assert.deepEqual([...found.problems, ...verdict.problems], []);
  process.stderr.write(
    `  ${acknowledged} writes, ${failed} failed, longest gap ${(clients.status.gap_us / 1e6).toFixed(2)} s\n`,
  );
});
