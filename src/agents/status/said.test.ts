import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import type { Verdict } from "../../decide/decide.ts";
import { DuetError } from "../../base/problem.ts";
import { tellConsole } from "./console.ts";
import { lastOff, lastTogether } from "./last-off.ts";
import { tellSaying } from "./publish.ts";
import type { Saying } from "./report.ts";
import { mainSaying, Said } from "./said.ts";

const folder = await mkdtemp(join(tmpdir(), "duet-said-"));
after(() => rm(folder, { recursive: true }));

const verdict = (
  rule: string,
  deed: "wait" | "serve-as-is" | "needs-human",
  sentence = "it is so",
): Verdict => ({
  rule,
  path: [rule],
  decision: { do: deed },
  sentence,
});

test("the last decision on each question is kept for this boot, and nothing of another one", async () => {
  const boot = join(folder, "boot");
  await writeFile(boot, "one\n");
  const run = join(folder, "run");
  const said = new Said(run, boot);
  assert.deepEqual(said.all(), {});
  said.note("start", verdict("R-NO-PROOF", "wait"));
  said.note("start", verdict("R-RUNNING", "serve-as-is"));
  said.note("etcd", verdict("R-ETCD-ALONE", "needs-human"));
  assert.equal(said.all().start?.rule, "R-RUNNING");
  assert.equal(said.all().etcd?.do, "needs-human");
  await writeFile(join(run, "said-etcd"), "{ torn");
  assert.deepEqual(Object.keys(said.all()), ["start"]);
  await writeFile(boot, "two\n");
  assert.deepEqual(new Said(run, boot).all(), {});
});

test("one that can't be kept troubles nobody", () => {
  new Said("/dev/null/nowhere").note("start", verdict("R-RUNNING", "serve-as-is"));
  tellConsole(verdict("R-TIE", "needs-human"), { issue: "/dev/null/no/issue", reload: "/dev/null/reload" });
});

test("a machine goes by how it starts, unless something graver was said since", () => {
  const saying = (rule: string, deed: string, at_ms: number): Saying => ({
    rule,
    do: deed,
    sentence: "",
    at_ms,
  });
  const start = saying("R-BOTH-VOTERS", "start-plain", 10);
  assert.equal(mainSaying({ start })?.rule, "R-BOTH-VOTERS");
  assert.equal(
    mainSaying({ start, etcd: saying("R-ETCD-RESTART", "restart-in-place", 11) })?.rule,
    "R-BOTH-VOTERS",
  );
  assert.equal(mainSaying({ start, etcd: saying("R-ETCD-ALONE", "needs-human", 11) })?.rule, "R-ETCD-ALONE");
  assert.equal(mainSaying({ start, etcd: saying("R-ETCD-ALONE", "needs-human", 9) })?.rule, "R-BOTH-VOTERS");
  assert.equal(
    mainSaying({ start, tags: saying("R-TAGS-CLAIM", "stop-and-alarm", 12) })?.rule,
    "R-TAGS-CLAIM",
  );
  assert.equal(mainSaying({}), undefined);
});

test("the login prompt shows what a machine waits for, names how to see its page, and is clean again when it is over", async () => {
  const files = { issue: join(folder, "issue.d", "50-duet.issue"), reload: join(folder, "reload") };
  tellConsole(verdict("R-RUNNING", "serve-as-is"), files);
  assert.ok(
    !existsSync(files.issue) && !existsSync(files.reload),
    "nothing was there and nothing is to be told",
  );
  tellConsole(verdict("R-PEER-ON", "wait", "node1 can't be reached\\n\u001b[31m"), files);
  const shown = await readFile(files.issue, "utf8");
  assert.match(
    shown,
    /^duet: node1 can't be reached n \[31m \(R-PEER-ON; `duet page R-PEER-ON`, `duet status`\)\n/,
  );
  assert.ok(existsSync(files.reload), "prompts that wait draw it");
  tellConsole(verdict("R-RUNNING", "serve-as-is"), files);
  assert.ok(!existsSync(files.issue));
});

test("the peer is told once, again when it is news, and a Pacemaker that is down troubles nobody", async () => {
  const run = join(folder, "told");
  const told: string[] = [];
  const publish = ({ rule }: Saying) => Promise.resolve(void told.push(rule));
  await tellSaying(run, publish);
  new Said(run).note("start", verdict("R-NO-DATA", "wait"));
  await tellSaying(run, publish);
  await tellSaying(run, publish);
  new Said(run).note("start", verdict("R-JOIN", "wait"));
  await tellSaying(run, () =>
    Promise.reject(new DuetError([{ code: "DUET-E-PROCESS-FAILED", where: "", what: "", fix: "" }])),
  );
  await tellSaying(run, publish);
  assert.deepEqual(told, ["R-NO-DATA", "R-JOIN"]);
});

test("the last Off is found from the record's end, over a damaged line", async () => {
  const record = join(folder, "record");
  assert.equal(await lastOff(record, "node2"), undefined);
  const { mkdir } = await import("node:fs/promises");
  await mkdir(record);
  const line = (at: string, event: string) =>
    `${JSON.stringify({ at, mono_ms: 1, boot: "b", machine: "node1", duet: "0.1.0", by: "fence", pid: 1, kind: "event", event, detail: { ring: "1.d" } })}\n`;
  await writeFile(join(record, "00000001.jsonl"), line("2026-11-15T17:00:00.000Z", "off confirmed"));
  await writeFile(join(record, "00000002.jsonl"), line("2026-11-15T17:30:00.000Z", "full"));
  const first = await lastOff(record, "node2");
  assert.deepEqual([first?.by, first?.target, first?.at_ms], ["node1", "node2", Date.UTC(2026, 10, 15, 17)]);
  const torn = line("2026-11-15T17:50:00.000Z", "off confirmed").slice(4);
  await writeFile(
    join(record, "00000002.jsonl"),
    `${line("2026-11-15T17:40:00.000Z", "off confirmed")}${torn}`,
  );
  assert.equal((await lastOff(record, "node2"))?.at_ms, Date.UTC(2026, 10, 15, 17, 40));
  assert.equal(await lastTogether(record), undefined);
  const lost = line("2026-11-15T17:20:00.000Z", "peer lost").replace(
    '"ring":"1.d"',
    '"ring":"1.d","ago_ms":2000',
  );
  await writeFile(
    join(record, "00000001.jsonl"),
    `${line("2026-11-15T17:10:00.000Z", "1+1")}${lost}${line("2026-11-15T17:21:00.000Z", "full")}`,
  );
  assert.equal(await lastTogether(record), Date.UTC(2026, 10, 15, 17, 19, 58));
});
