import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import * as v from "valibot";
import { until } from "../src/machine/clock.ts";
import { Progress } from "../src/machine/progress.ts";
import { Crowd } from "./clients/crowd.ts";
import { operatorsSeat } from "./clients/seat.ts";
import { openLab } from "./folder.ts";
import { duet, duetOk, on, ownLabsFolder } from "./testing.ts";

/** One lab, with clients that write all the time: both reboot in turn, one reboots the other, standby, maintenance, and what is refused meanwhile. */
ownLabsFolder();
const name = "planned";
const per_s = 200;
/** Each waits for 1+1. */
const in_turn_ms_max = 600_000;
let clients: Crowd | undefined;
let epoch: number | undefined;

const shape = v.object({
  whole: v.string(),
  maintenance: v.boolean(),
  serves: v.array(v.string()),
  lineage: v.nullable(v.object({ epoch: v.number() })),
  wrong: v.array(v.object({ code: v.string(), where: v.string() })),
});
const at = (place: string, ...words: readonly string[]) =>
  duet(["lab", "run", place, "--name", name, "--", "duet", ...words]);
const status = async (place: string) =>
  v.parse(
    v.pipe(v.string(), v.parseJson(), shape),
    (await at(place, "status", "--no-power", "--json")).stdout,
  );
const boot = (machine: string) => on(name, machine, "cat", "/proc/sys/kernel/random/boot_id");

before(async () => {
  await duetOk("lab", "up", "--name", name);
  epoch = (
    await until(
      "1+1",
      async () => {
        const seen = await status("seat");
        return seen.whole === "1+1" && seen;
      },
      { deadline_ms: 120_000, every_ms: 500 },
    )
  ).lineage?.epoch;
  clients = await Crowd.begin(await operatorsSeat(await openLab(name), "node1", new Progress()), per_s);
});
after(async () => {
  clients?.kill();
  await duetOk("lab", "down", "--name", name);
});

/** Both serve the same data as before, and nobody was fenced on the way. */
async function asBefore(): Promise<void> {
  const seen = await status("seat");
  assert.deepEqual([seen.whole, seen.lineage?.epoch], ["1+1", epoch], JSON.stringify(seen));
  for (const machine of ["node1", "node2"])
    assert.doesNotMatch(
      await on(name, machine, "journalctl", "--unit=pacemaker", "--no-pager", "--output=cat"),
      /Requesting fencing/,
      `${machine} asked for a fence`,
    );
}

test("both reboot in turn, as an operator types it: the second only when it is 1+1 again", async () => {
  const was = [await boot("node1"), await boot("node2")];
  const typed = "duet reboot node1 && duet reboot node2";
  const {
    status: ended,
    stdout,
    stderr,
  } = await duet(["lab", "run", "seat", "--name", name, "--", "sh", "-c", typed], {
    deadline_ms: in_turn_ms_max,
  });
  assert.equal(ended, 0, stderr);
  const whole = "has rebooted: both machines hold everything: either may be lost";
  assert.equal(stdout, `node1 ${whole}\nnode2 ${whole}\n`);
  assert.notEqual(await boot("node1"), was[0]);
  assert.notEqual(await boot("node2"), was[1]);
  await asBefore();
  // Told, and no more: a busy host would fail any figure now and then.
  const { gap_us } = (await clients?.fresh()) ?? { gap_us: Number.NaN };
  process.stderr.write(`  both in turn: longest gap ${(gap_us / 1e6).toFixed(2)} s\n`);
});

test("a machine reboots the other by plan, and is told when it is 1+1 again", async () => {
  const was = await boot("node2");
  const { status: ended, stdout, stderr } = await at("node1", "reboot", "node2");
  assert.equal(ended, 0, stderr);
  assert.match(stdout, /^node2 has rebooted: both machines hold everything/);
  assert.notEqual(await boot("node2"), was);
  await asBefore();
});

test("two people at once, each for another machine: one goes, the other is refused and told why", async () => {
  const ends = await Promise.all([at("seat", "reboot", "node1"), at("seat", "reboot", "node2")]);
  const said = ends.map(({ stderr }) => stderr).join("\n");
  assert.deepEqual(new Set(ends.map((each) => each.status)), new Set([0, 3]), said);
  assert.match(said, /\[DUET-E-PLANNED-(ONE-AT-A-TIME|DEGRADED)\]/);
  await asBefore();
});

test("on standby a machine runs nothing, its peer must not go, and nothing is changed by trying", async () => {
  const put = await at("node2", "standby", "node2");
  assert.equal(put.status, 0, put.stderr);
  assert.notEqual((await duet(["lab", "run", "node2", "--name", name, "--", "pidof", "etcd"])).status, 0);
  const was = await boot("node1");
  for (const place of ["node1", "seat"])
    for (const word of ["reboot", "standby"]) {
      const { status: ended, stderr } = await at(place, word, "node1");
      assert.equal(ended, 3, stderr);
      assert.match(
        stderr,
        /etcd on node2 does not run: with --force nobody serves until [^]*\[DUET-E-PLANNED-DEGRADED\]/,
      );
    }
  assert.equal(await boot("node1"), was);
  const seen = await status("seat");
  assert.deepEqual([seen.whole, seen.serves], ["1+0", ["node1"]]);
  assert.deepEqual(seen.wrong, [{ code: "DUET-E-STATUS-STANDBY", where: "node2" }]);
  const taken = await at("seat", "unstandby", "node2");
  assert.equal(taken.status, 0, taken.stderr);
  await asBefore();
});

test("maintenance is said in the status, refuses planned work, and ends", async () => {
  const begun = await at("seat", "maintenance", "on");
  assert.equal(begun.status, 0, begun.stderr);
  const seen = await status("node2");
  assert.deepEqual([seen.whole, seen.maintenance], ["1+1", true]);
  assert.ok(seen.wrong.some(({ code }) => code === "DUET-E-STATUS-MAINTENANCE"));
  const refused = await at("node1", "reboot", "node2", "--force");
  assert.equal(refused.status, 3);
  assert.match(refused.stderr, /DUET-E-PLANNED-MAINTENANCE/);
  const ended = await at("node1", "maintenance", "off");
  assert.equal(ended.status, 0, ended.stderr);
  await asBefore();
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
