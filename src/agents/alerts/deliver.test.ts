import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { testTls } from "../../../lab/bmc/testing.ts";
import { until } from "../../machine/clock.ts";
import { readSite } from "../../site/read.ts";
import { minimal } from "../../site/samples.ts";
import type { Site } from "../../site/site.ts";
import { deliver, type Delivery } from "./machine.ts";
import { raise } from "./raise.ts";
import { alertSight } from "./sight.ts";
import { receiver, type Receiver } from "./testing.ts";
import { openWays } from "./ways.ts";

const tls = await testTls();
let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "duet-deliver-"));
  for (const name of ["drop", "new", "queue"]) await mkdir(join(folder, name));
  await writeFile(join(folder, "ca.pem"), tls.cert);
});
afterEach(() => rm(folder, { recursive: true }));

function siteAt(port: number): Site {
  const { site } = readSite(minimal, "site.yaml");
  assert.ok(site !== undefined);
  const url = `https://127.0.0.1:${port}/duet`;
  return { ...site, alerts: [{ by: "webhook", url, trust: { by: "ca", file: "ca.pem" } }] };
}

async function delivery(port: number, more: Partial<Delivery> = {}): Promise<void> {
  const site = siteAt(port);
  await deliver({
    site,
    me: "node1",
    ways: await openWays(site, folder, 2_000),
    folder,
    places: { drop: join(folder, "drop"), raised: join(folder, "new") },
    peerLeft: () => Promise.resolve(false),
    ring: () => Promise.resolve("1.2a"),
    said: { all: () => ({}) },
    ...more,
  });
}

async function drop(name: string, text: string): Promise<void> {
  await writeFile(join(folder, `.${name}`), text);
  await rename(join(folder, `.${name}`), join(folder, "drop", `${name}.event`));
}

interface Body {
  readonly [field: string]: unknown;
}
const bodies = ({ got }: Receiver): readonly Body[] => got.map(({ body }): Body => JSON.parse(body));
const kindsOf = (server: Receiver) => bodies(server).map(({ kind }) => kind);

test("what Pacemaker dropped and what duet raised arrive, and then the work is over", async () => {
  await using server = await receiver(tls);
  await drop("1", "kind=node\nnode=node2\ndesc=lost\n");
  raise({ kind: "takeover", about: "node1", epoch: 4 }, join(folder, "new"));
  raise({ kind: "whole" }, join(folder, "new"));
  await delivery(server.port);
  assert.deepEqual(kindsOf(server), ["machine-lost", "takeover", "whole"]);
  const [lost, , whole] = bodies(server);
  assert.equal(lost?.["happening"], lost?.["id"]);
  assert.equal(whole?.["happening"], "shop-0042/whole/1.2a");
  assert.equal(new Set(bodies(server).map(({ id }) => id)).size, 3);
  for (const name of ["drop", "new", "queue"]) assert.deepEqual(await readdir(join(folder, name)), [], name);
  await delivery(server.port);
  assert.equal(server.got.length, 3, "none twice");
});

test("a webhook that is down when it happens gets it when it is back; so does what comes meanwhile", async () => {
  const first = await receiver(tls);
  const { port } = first;
  await first[Symbol.asyncDispose]();
  await drop("1", "kind=node\nnode=node2\ndesc=lost\n");
  const working = delivery(port);
  const failed = async () => (await alertSight(siteAt(port), folder))?.ways[0]?.failed?.again === true;
  await until("a try that failed", failed, { deadline_ms: 10_000 });
  const seen = (await alertSight(siteAt(port), folder))?.ways[0];
  assert.match(seen?.failed?.why ?? "", /ECONNREFUSED/);
  assert.equal(seen?.waiting, 1);
  await using server = await receiver(tls, port);
  raise({ kind: "takeover", about: "node1" }, join(folder, "new"));
  await working;
  assert.deepEqual(kindsOf(server), ["machine-lost", "takeover"]);
  const after = (await alertSight(siteAt(port), folder))?.ways[0];
  assert.ok(after?.failed?.again === false && after.waiting === 0 && after.sent_ms !== null);
});

test("what is no event is thrown away, whatever another user put there", async () => {
  await using server = await receiver(tls);
  await writeFile(join(folder, "secret"), "kind=node\nnode=node2\ndesc=lost\n");
  await symlink(join(folder, "secret"), join(folder, "drop", "link.event"));
  await mkdir(join(folder, "drop", "folder.event"));
  await drop("empty", "");
  await drop("long", `kind=node\nnode=node2\ndesc=${"x".repeat(100_000)}\n`);
  await writeFile(join(folder, "new", "half.json"), '{"kind":"whole"');
  await delivery(server.port);
  assert.deepEqual(server.got, []);
  for (const name of ["drop", "new"]) assert.deepEqual(await readdir(join(folder, name)), []);
  assert.ok((await readdir(folder)).includes("secret"), "what a link points to is not touched");
});

test("a fence that a rule refuses is told in the rule's words", async () => {
  await using server = await receiver(tls);
  const failing =
    "kind=fencing\nnode=node2\ntask=off\nrc=-61\ndesc=Operation off of node2 by node1 for x@node1: no\n";
  await drop("1", failing);
  const fence = {
    rule: "R-NOT-FULL",
    do: "refuse-fence",
    sentence: "node1 does not hold everything",
    at_ms: Date.now(),
  };
  await delivery(server.port, { said: { all: () => ({ fence }) } });
  await drop("2", failing);
  await delivery(server.port, { said: { all: () => ({ fence: { ...fence, at_ms: 0 } }) } });
  assert.deepEqual(
    bodies(server).map(({ code, page }) => [code, page]),
    [
      ["R-NOT-FULL", "docs/errors/R-NOT-FULL.md"],
      ["DUET-A-FENCE-FAILED", "docs/alerts.md#fence-failed"],
    ],
  );
  assert.match(String(bodies(server)[0]?.["sentence"]), /could not switch node2 off: node1 does not hold/);
});

test("a fence of duet's own that Pacemaker counts as its own a moment later is told once; the next loss has its own", async () => {
  await using server = await receiver(tls);
  const done =
    "kind=fencing\nnode=node2\ntask=off\nrc=0\ndesc=Operation off of node2 by node1 for x@node1: OK\n";
  const own = { kind: "fence-done", about: "node2", by: "node1", ring: "1.2a" } as const;
  raise(own, join(folder, "new"));
  await delivery(server.port);
  await drop("1", done);
  await delivery(server.port);
  assert.deepEqual(kindsOf(server), ["fence-done"]);
  // By a human's word alone: that is another thing to know.
  await drop("2", done.replace("by node1", "by a human"));
  await delivery(server.port);
  assert.match(String(bodies(server)[1]?.["sentence"]), /nothing has proven it$/);
  await drop("3", done);
  await delivery(server.port, { ring: () => Promise.resolve("1.2e") });
  raise({ ...own, ring: "1.2e" }, join(folder, "new"));
  await delivery(server.port);
  assert.equal(server.got.length, 3);
});

test("a machine that went in order is not told as lost", async () => {
  await using server = await receiver(tls);
  await drop("1", "kind=node\nnode=node2\ndesc=lost\n");
  await delivery(server.port, { peerLeft: () => Promise.resolve(true) });
  assert.deepEqual(kindsOf(server), ["machine-left"]);
});

test("where the site tells nobody nothing is kept, and raising does nothing and fails nobody", async () => {
  raise({ kind: "whole" }, join(folder, "new"));
  await delivery(1, { ways: [] });
  assert.deepEqual(await readdir(join(folder, "new")), []);
  raise({ kind: "whole" }, join(folder, "missing"));
});

test("without anybody who delivers no more than a few hundred wait", async () => {
  for (let count = 0; count < 200; count += 1) await writeFile(join(folder, "new", `${count}.json`), "");
  raise({ kind: "whole" }, join(folder, "new"));
  assert.equal((await readdir(join(folder, "new"))).length, 200);
});
