import assert from "node:assert/strict";
import { cp, readFile, rename, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import * as v from "valibot";
import { readMemberFacts } from "../../src/facts/facts.ts";
import { until } from "../../src/machine/clock.ts";
import { run } from "../../src/machine/process.ts";
import { Progress } from "../../src/machine/progress.ts";
import { scratch, versions } from "../etcd36/testing.ts";
import { type Certificates, makeCertificates, TlsEtcd } from "../etcd36/testing-tls.ts";
import { Crowd } from "./crowd.ts";
import { demands } from "./demands.ts";
import { ensureClients } from "./program.ts";
import type { Seat } from "./seat.ts";
import { readFound, type Status } from "./status.ts";

/** The clients against a real etcd: one that only crashes, and one that also forgets what it has acknowledged. */
const [etcd] = await versions();

async function seatBeside(folder: string, member: TlsEtcd, files: Certificates): Promise<Seat> {
  const { ca, cert, key } = files;
  const address = new URL(member.endpoint.url).host;
  return {
    program: await ensureClients(new Progress()),
    enter: async (argv) => [...argv],
    connection: ["-endpoint", `a=${address}`, "-ca", ca, "-cert", cert, "-key", key],
    folder,
  };
}

/** A line of a history; the last one has none of it. */
const operation = v.object({ kind: v.optional(v.string()), endpoint: v.optional(v.string()) });

/** From now on: what was said last may be a fifth of a second old, which is hundreds of writes, of an etcd that has been killed since. */
async function moreWrites(crowd: Crowd, count: number): Promise<void> {
  const wanted = (await crowd.fresh()).acknowledged + count;
  await until("more writes are acknowledged", async () => crowd.status.acknowledged >= wanted, {
    deadline_ms: 60_000,
    every_ms: 50,
  });
}

async function crash(member: TlsEtcd, between: () => Promise<unknown>): Promise<void> {
  await member.process.kill("SIGKILL");
  await between();
  member.start();
}

test("128 writes in flight through crashes: all that was acknowledged is there, and the history is linearizable", async () => {
  await using folder = await scratch();
  const files = await makeCertificates(folder.path);
  const member = await TlsEtcd.create(etcd, "a", folder.path, files);
  member.startFirst();
  const crowd = await Crowd.begin(await seatBeside(folder.path, member, files));
  try {
    for (let crashes = 0; crashes < 2; crashes += 1) {
      await moreWrites(crowd, 500);
      // duet looks at the log of a running etcd every few seconds: one that grows meanwhile is no damaged one.
      for (let looks = 0; looks < 15; looks += 1)
        assert.equal(readMemberFacts(member.process.folder)?.standing, "voter");
      await crash(member, async () => undefined);
    }
    await moreWrites(crowd, 500);
    const status = await crowd.stop();
    assert.ok(status.failed + status.open > 0, "the crashes were noticed");
    assert.ok((status.endpoints["a"]?.linearizable ?? 0) > 0);
    assert.ok((status.endpoints["a"]?.serializable ?? 0) > 0);
    const [found, verdict] = [await crowd.verify(), await crowd.check()];
    assert.deepEqual([found.problems, verdict.problems], [[], []]);
    assert.ok(found.acknowledged >= 500 && verdict.operations === status.operations);
    assert.ok((verdict.flight?.held_us ?? 0) > 0, "there were 128 writes in flight");
  } finally {
    crowd.kill();
    await member.process.kill();
  }
});

for (const each of await versions())
  test(`etcd ${each.version} that has lost its peer ends each write with an error, in bounded time, and goes on with serializable reads`, async () => {
    await using folder = await scratch();
    const files = await makeCertificates(folder.path);
    const both = [
      await TlsEtcd.create(each, "a", folder.path, files),
      await TlsEtcd.create(each, "b", folder.path, files),
    ] as const;
    const [a, b] = both;
    for (const member of both)
      member.start([`--initial-cluster=${both.map(({ name, peerUrl }) => `${name}=${peerUrl}`).join(",")}`]);
    const crowd = await Crowd.begin(await seatBeside(folder.path, a, files));
    const read = (status: Status) => status.endpoints["a"];
    try {
      await moreWrites(crowd, 200);
      await b.process.kill("SIGKILL");
      const { now_us, endpoints } = await crowd.fresh();
      const before = endpoints["a"]?.errors ?? 0;
      // All that were in flight, and the next ones, which find no leader from the beginning.
      await until("errors", async () => (read(crowd.status)?.errors ?? 0) > before + 200, {
        deadline_ms: 60_000,
        every_ms: 100,
      });
      const status = await crowd.fresh();
      assert.ok(status.longest_us < 10_000_000, `${status.longest_us} µs`);
      assert.ok((read(status)?.longest_error_us ?? 0) > 1_000_000);
      assert.equal(status.hung, 0);
      assert.ok((read(status)?.last_serializable_us ?? 0) > now_us + 5_000_000);
      assert.ok((read(status)?.serializable_gap_us ?? 0) < 5_000_000);
    } finally {
      crowd.kill();
      for (const member of both) await member.process.kill();
    }
  });

test("in peace 128 writes are in flight, and paced clients owe no number", async () => {
  await using folder = await scratch();
  const files = await makeCertificates(folder.path);
  const member = await TlsEtcd.create(etcd, "a", folder.path, files);
  member.startFirst();
  const seat = await seatBeside(folder.path, member, files);
  try {
    for (const per_s of [undefined, 200]) {
      const crowd = await Crowd.begin(seat, per_s);
      try {
        await moreWrites(crowd, per_s ?? 5_000);
        assert.deepEqual(await crowd.unread(["a"]), []);
        await crowd.stop();
        const [found, verdict] = [await crowd.verify(), await crowd.check()];
        assert.deepEqual(demands(found, verdict), [], JSON.stringify(verdict.flight));
        assert.equal(verdict.flight?.wanted, per_s === undefined ? 128 : undefined);
        assert.equal(found.machines[0]?.linearizable, crowd.status.endpoints["a"]?.linearizable);
      } finally {
        crowd.kill();
      }
    }
  } finally {
    await member.process.kill();
  }
});

test("a machine that nobody has read linearizably is found out, and one that is silent owes nothing", async () => {
  await using folder = await scratch();
  const files = await makeCertificates(folder.path);
  const member = await TlsEtcd.create(etcd, "a", folder.path, files);
  member.startFirst();
  const seat = await seatBeside(folder.path, member, files);
  const also = (...more: readonly string[]): Seat => ({
    ...seat,
    connection: [...seat.connection, ...more.flatMap((endpoint) => ["-endpoint", endpoint])],
  });
  // Clients that know of no other: who looks later finds one more machine that answers, or one that does not.
  const crowd = await Crowd.begin(also("gone=127.0.0.1:1"));
  try {
    await moreWrites(crowd, 500);
    assert.deepEqual(await crowd.unread(["a", "gone"], 300), ["gone"]);
    await crowd.stop();
    const verdict = await crowd.check();
    assert.deepEqual(demands(await crowd.verify(), verdict), []);
    const again = `unread=${new URL(member.endpoint.url).host}`;
    const look = ["verify", ...also(again).connection, "-history", crowd.history, "-prefix", "clients/"];
    const found = readFound((await run([seat.program, ...look])).stdout);
    assert.deepEqual(demands(found, verdict), [
      "unread has a vote, and no client has read linearizably there",
    ]);
  } finally {
    crowd.kill();
    await member.process.kill();
  }
});

test("a machine that is only being connected to holds up no write that the other one takes", async () => {
  await using folder = await scratch();
  const files = await makeCertificates(folder.path);
  const member = await TlsEtcd.create(etcd, "a", folder.path, files);
  member.startFirst();
  // Takes the connection and says nothing, as one does for three seconds that has lost its power.
  const mute = createServer();
  await new Promise<void>((resolve) => mute.listen(0, "127.0.0.1", resolve));
  const seat = await seatBeside(folder.path, member, files);
  const address = mute.address();
  assert.ok(address !== null && typeof address === "object");
  const crowd = await Crowd.begin({
    ...seat,
    connection: [...seat.connection, "-endpoint", `mute=127.0.0.1:${address.port}`],
  });
  try {
    await moreWrites(crowd, 500);
    await crowd.stop();
    const history = (await readFile(crowd.history, "utf8")).split("\n").filter((line) => line !== "");
    const sent = history.map((line) => v.parse(operation, JSON.parse(line)));
    assert.ok(sent.some(({ kind, endpoint }) => kind === "read" && endpoint === "mute"));
    const held = sent.filter(({ kind, endpoint }) => kind === "put" && endpoint === "mute");
    assert.deepEqual(held, []);
  } finally {
    crowd.kill();
    mute.close();
    await member.process.kill();
  }
});

test("a machine that hangs with its connections open draws nobody away from the other one", async () => {
  await using folder = await scratch();
  const files = await makeCertificates(folder.path);
  // Each of a cluster of its own: nobody looks at the history.
  const [hangs, restarts] = [
    await TlsEtcd.create(etcd, "a", folder.path, files),
    await TlsEtcd.create(etcd, "b", folder.path, files),
  ];
  hangs.startFirst();
  restarts.startFirst();
  const seat = await seatBeside(folder.path, hangs, files);
  const also = `b=${new URL(restarts.endpoint.url).host}`;
  const crowd = await Crowd.begin({ ...seat, connection: [...seat.connection, "-endpoint", also] });
  const wait = (what: string, isSo: (status: Status) => boolean) =>
    until(what, async () => isSo(await crowd.fresh()), { deadline_ms: 60_000, every_ms: 50 });
  try {
    await moreWrites(crowd, 500);
    hangs.process.freeze();
    await wait("its silence", ({ now_us, endpoints }) => {
      return now_us - (endpoints["a"]?.last_serializable_us ?? now_us) > 2_000_000;
    });
    const { failed } = await crowd.fresh();
    await crash(restarts, () => wait("refusals", (status) => status.failed > failed + 160));
    const { open } = await crowd.fresh();
    await moreWrites(crowd, 100);
    // Who went to the one that hangs gives up after 12 s, and comes back then.
    assert.equal(crowd.status.open, open);
  } finally {
    crowd.kill();
    for (const member of [hangs, restarts]) await member.process.kill();
  }
});

test("an etcd that comes back with older data is found out, by its data and by the history", async () => {
  await using folder = await scratch();
  const files = await makeCertificates(folder.path);
  const member = await TlsEtcd.create(etcd, "a", folder.path, files);
  member.startFirst();
  const crowd = await Crowd.begin(await seatBeside(folder.path, member, files));
  try {
    const older = join(folder.path, "older");
    await moreWrites(crowd, 200);
    await crash(member, () => cp(member.process.folder, older, { recursive: true }));
    await moreWrites(crowd, 200);
    await crash(member, async () => {
      await rm(member.process.folder, { recursive: true });
      await cp(older, member.process.folder, { recursive: true });
    });
    await moreWrites(crowd, 400);
    await crowd.stop();
    const [found, verdict] = [await crowd.verify(), await crowd.check()];
    assert.match(found.problems.join("\n"), /missing at a: .* acknowledged by a as revision/);
    assert.ok((found.machines[0]?.missing ?? 0) > 0);
    assert.match(verdict.problems.join("\n"), /two datasets: revision/);
    assert.match(verdict.problems.join("\n"), /revisions went back/);
    const revisions = await crowd.revisions(0);
    assert.equal(revisions.ok, false);
    assert.match(revisions.problems.join("\n"), /revisions went back/);
  } finally {
    crowd.kill();
    await member.process.kill();
  }
});

/** As duet does it after an accepted loss: with nothing lost, and with older data. */
for (const lossy of [false, true])
  test(`raised revisions ${lossy ? "hide no lost write, and do not go back" : "lose nothing, whatever they compact"}`, async () => {
    await using folder = await scratch();
    const files = await makeCertificates(folder.path);
    const member = await TlsEtcd.create(etcd, "a", folder.path, files);
    member.startFirst();
    const crowd = await Crowd.begin(await seatBeside(folder.path, member, files));
    const data = member.process.folder;
    const older = join(folder.path, "older");
    try {
      await moreWrites(crowd, 300);
      await member.process.kill("SIGTERM");
      await cp(data, older, { recursive: true });
      member.start();
      await moreWrites(crowd, 300);
      await member.process.kill("SIGTERM");
      const db = join(lossy ? older : data, "member", "snap", "db");
      const raised = join(folder.path, "raised");
      const token = [
        "--initial-cluster",
        `a=${member.peerUrl}`,
        "--initial-advertise-peer-urls",
        member.peerUrl,
      ];
      const bump = ["--bump-revision=1000000000", "--mark-compacted", "--skip-hash-check", "--name=a"];
      const to = ["--data-dir", raised, ...token, ...bump];
      await run([join(etcd.folder, "etcdutl"), "snapshot", "restore", db, ...to]);
      await rm(data, { recursive: true });
      await rename(raised, data);
      member.start();
      await moreWrites(crowd, 300);
      await crowd.stop();
      const [found, verdict] = [await crowd.verify(), await crowd.check()];
      assert.doesNotMatch(verdict.problems.join("\n"), /revisions went back|two datasets/);
      const revisions = await crowd.revisions(0);
      assert.deepEqual(revisions.problems, []);
      assert.ok(revisions.now >= revisions.seen && revisions.seen > 1_000_000_000);
      // To clients who had seen more before all of these, even the raised ones are a step back.
      assert.match((await crowd.revisions(revisions.now + 1)).problems.join("\n"), /revisions went back/);
      if (lossy) assert.match(found.problems.join("\n"), /missing at a: .* acknowledged by a as revision/);
      else assert.deepEqual([found.problems, verdict.problems], [[], []]);
    } finally {
      crowd.kill();
      await member.process.kill();
    }
  });
