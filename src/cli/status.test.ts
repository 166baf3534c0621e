import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { run } from "../machine/process.ts";
import { minimal } from "../site/samples.ts";
import { judge } from "../agents/status/judge.ts";
import { reportIn } from "../agents/status/seat.ts";
import { known, unknown, valueOf } from "../agents/status/report.ts";
import { fromMachine, now_ms, sight, wholeReport } from "../agents/status/testing.ts";
import { essence, looks } from "./status-watch.ts";

const folder = await mkdtemp(join(tmpdir(), "duet-status-cli-"));
after(() => rm(folder, { recursive: true }));

const duet = (...args: readonly string[]) =>
  run(
    [
      process.execPath,
      "--disable-warning=ExperimentalWarning",
      join(import.meta.dirname, "main.ts"),
      "status",
      ...args,
    ],
    {
      accept: "any",
      cwd: folder,
      env: { NO_COLOR: "1" },
    },
  );

test("status 3 where there is neither a machine nor a site file, and 2 for a wrong call", async () => {
  const [nowhere, here, typo, missing] = await Promise.all([
    duet(),
    duet("--here"),
    duet("--wach"),
    duet("missing.yaml"),
  ]);
  assert.equal(nowhere.status, 3);
  assert.match(nowhere.stderr, /no site\.yaml here[^]*\[DUET-E-STATUS-NOT-HERE\]/);
  assert.deepEqual([here.status, typo.status, missing.status], [3, 2, 2]);
});

test("from elsewhere, with nobody who answers: unknown with reasons, and status 3", async () => {
  // Addresses that nobody has (RFC 5737).
  await writeFile(join(folder, "site.yaml"), minimal);
  const [seen, json] = await Promise.all([duet("--no-power"), duet("--no-power", "--json")]);
  assert.equal(seen.status, 3, seen.stderr);
  assert.match(seen.stdout, /^site \S+ {2}unknown {2}seen over ssh/);
  assert.match(seen.stdout, /no machine could be asked/);
  assert.equal(json.status, 3);
  const parsed: unknown = JSON.parse(json.stdout);
  assert.ok(typeof parsed === "object" && parsed !== null && "whole" in parsed && parsed.whole === "unknown");
});

test("a machine's own report is taken as it is, and another's, or another form, is not", () => {
  const report = wholeReport("node2");
  const text = JSON.stringify(report);
  assert.deepEqual(reportIn("node2", "192.0.2.12", 0, text, ""), { known: true, value: report });
  const why = (...given: Parameters<typeof reportIn>) => {
    const found = reportIn(...given);
    return found.known ? "" : found.why;
  };
  assert.match(why("node1", "192.0.2.11", 0, text, ""), /calls itself node2/);
  assert.match(why("node2", "192.0.2.12", 0, "{}", ""), /another version/);
  assert.match(why("node2", "192.0.2.12", 2, "", "unknown option"), /another version/);
  assert.match(why("node2", "192.0.2.12", 127, "", "duet: not found"), /no duet yet/);
  assert.match(why("node2", "192.0.2.12", 255, "", "Permission denied (publickey)."), /refuses the login/);
});

test("what only the clock changes is no change", () => {
  const seen = judge(fromMachine(wholeReport("node1")));
  const later = judge({
    ...fromMachine(wholeReport("node1", { at_ms: now_ms + 5_000 })),
    at_ms: now_ms + 5_000,
  });
  assert.equal(essence(seen), essence(later));
  const other = judge(fromMachine(wholeReport("node1", { said: {} })));
  assert.notEqual(essence(seen), essence(other));
});

test("what the BMCs said holds for the looks that do not ask them", async () => {
  const lost = wholeReport("node1", {
    corosync: known({ quorate: true, members: ["node1"], waits: false }),
    etcd: {
      node1: sight("node1", { members: [{ id: "a1", name: "node1", learner: false }] }),
      node2: unknown("no answer within 700 ms"),
    },
  });
  const asked: boolean[] = [];
  let said = "Off";
  const look = looks((power) => {
    asked.push(power);
    return Promise.resolve(fromMachine(lost, power ? { node1: known("On"), node2: known(said) } : {}));
  }, true);
  const first = await look(0);
  assert.equal(valueOf(first.machines[1]?.etcd)?.role, "down");
  assert.deepEqual(await look(1_000), first);
  // What is read anew counts from then on.
  said = "On";
  assert.deepEqual(await look(14_999), first);
  const later = await look(15_000);
  assert.equal(valueOf(later.machines[1]?.power), "On");
  assert.deepEqual(await look(16_000), later);
  assert.deepEqual(asked, [true, false, false, true, false]);
});
