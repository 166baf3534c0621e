import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { DuetError } from "../../base/problem.ts";
import { readSite } from "../../site/read.ts";
import { minimal } from "../../site/samples.ts";
import { noteDone, noteFailed, readSetupReport } from "../setup/report.ts";
import { judgeFencing } from "./fencing.ts";
import { judgeSetup } from "./setup.ts";

const { site } = readSite(minimal, "site.yaml");
assert.ok(site !== undefined);
const at = "2026-01-02T00:00:00.000Z";
const calls = { bmc: "https://203.0.113.11", calls: 15, call_ms_median: 20, call_ms_worst: 80, read_at: at };
const judge = (worst_ms: number | undefined, turns_ms: readonly number[], days = 3) =>
  judgeFencing(
    site,
    turns_ms.map((turn_ms, index) => ({
      name: `node${index + 1}`,
      fencing: {
        turn_ms,
        times: {
          node1: calls,
          ...(worst_ms === undefined ? {} : { node2: { ...calls, off: { worst_ms, at } } }),
        },
      },
    })),
    Date.parse(at) + days * 86_400_000,
  );
const marks = (...given: Parameters<typeof judge>) =>
  judge(...given).map(({ subject, mark }) => `${subject} ${mark}`);

test("a machine that was never switched off for real is told as such, with what the race counts with", () => {
  assert.deepEqual(marks(undefined, [120_000, 120_000]), ["node1 note", "node2 note"]);
  const [node1, node2] = judge(undefined, [120_000]);
  assert.match(
    node1?.detail ?? "",
    /at most 80 ms \(15 calls\); .* never .*timeouts\.fence \(60\.0 s\) and leaves 110\.0 s/,
  );
  assert.match(node2?.detail ?? "", /nothing was measured/);
  assert.match(node2?.fix ?? "", /fence-test node2 --disruptive/);
});

test("the margin is shown, and one that is thin or gone is a warning or a failure", () => {
  const [, ok] = judge(1_200, [10_000]);
  assert.match(
    ok?.detail ?? "",
    /Off took 1\.2 s .*2026-01-02, 3 days ago.* leaves 5\.0 s: a margin of 3\.8 s/,
  );
  assert.deepEqual([ok?.ms, ok?.margin_ms], [1_200, 3_800]);
  assert.deepEqual(marks(1_200, [10_000]).at(-1), "node2 ok");
  assert.deepEqual(marks(4_500, [10_000]).at(-1), "node2 warn");
  assert.deepEqual(marks(61_000, [240_000]).at(-1), "node2 fail");
});

test("a measurement that is more than a year old is a warning, and one that is gone wrong stays what it is", () => {
  assert.equal(judge(1_200, [10_000], 365)[1]?.mark, "ok");
  const [, old] = judge(1_200, [10_000], 366);
  assert.equal(old?.mark, "warn");
  assert.match(old?.fix ?? "", /fence-test node2 --disruptive/);
  assert.equal(judge(61_000, [240_000], 366)[1]?.mark, "fail");
});

test("machines that count differently are a failure; of a site whose machines can't be asked nothing is said", () => {
  assert.equal(marks(1_200, [10_000, 20_000])[0], "site fail");
  assert.deepEqual(judgeFencing(site, [{ name: "node1" }, { name: "node2" }]), []);
});

test("how a setup ended is kept, and told with its step, code and way out", async () => {
  const folder = await mkdtemp(join(tmpdir(), "duet-setup-report-"));
  const where = { setupDone: join(folder, "done"), setupFailed: join(folder, "failed") };
  const told = async () => judgeSetup("node1", await readSetupReport(where));
  const problem = {
    code: "DUET-E-SETUP-PEER-AWAY",
    where: "node2",
    what: "not online",
    fix: "see its power",
  };
  try {
    assert.equal((await told())[0]?.mark, "warn");
    await noteFailed(new DuetError([problem]), "wait for node2", new Date(at), where);
    const [failed] = await told();
    assert.equal(failed?.mark, "fail");
    assert.equal(failed.code, problem.code);
    assert.equal(failed.fix, problem.fix);
    assert.match(failed.detail, /at "wait for node2": node2: not online/);
    await writeFile(where.setupDone, "before\n");
    assert.equal((await told())[0]?.mark, "fail", "an earlier success does not hide it");
    await noteDone(new Date(at), where);
    assert.deepEqual(await told(), [{ subject: "node1", check: "setup", mark: "ok", detail: `done ${at}` }]);
    await noteFailed(new Error("oh"), "x", new Date(at), where);
    assert.equal((await told())[0]?.code, "DUET-E-BUG");
  } finally {
    await rm(folder, { recursive: true });
  }
  assert.deepEqual(judgeSetup("node1", undefined), []);
});
