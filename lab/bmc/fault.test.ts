import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import fc from "fast-check";
import { DuetError, exit } from "../../src/base/problem.ts";
import { clearFaults, type Fault, faultKinds, parseFault, readFaults, writeFault } from "./fault.ts";

const folder = await mkdtemp(join(tmpdir(), "duet-fault-"));
after(() => rm(folder, { recursive: true }));

const kinds = Object.keys(faultKinds);
const fault: fc.Arbitrary<Fault> = fc
  .constantFrom(...kinds)
  .map((kind) => (kind === "slow" ? parseFault(kind, "3") : parseFault(kind)));

test("what is set is read back, a kind once, and clearing leaves no file", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fault, { maxLength: 6 }), async (faults) => {
      await clearFaults(folder);
      for (const one of faults) await writeFault(folder, one);
      const active = readFaults(folder);
      assert.deepEqual(new Set(active.map(({ kind }) => kind)), new Set(faults.map(({ kind }) => kind)));
      assert.equal(active.length, new Set(active.map(({ kind }) => kind)).size);
      await clearFaults(folder);
      assert.deepEqual(readFaults(folder), []);
      assert.deepEqual(await readdir(folder), []);
    }),
    { numRuns: 30 },
  );
});

test("one kind can end while others stay, and a kind set again takes the new value", async () => {
  await writeFault(folder, parseFault("lies"));
  await writeFault(folder, parseFault("slow", "1"));
  await writeFault(folder, parseFault("slow", "2.5"));
  assert.deepEqual(readFaults(folder), [{ kind: "lies" }, { kind: "slow", seconds: 2.5 }]);
  await clearFaults(folder, "lies");
  assert.deepEqual(readFaults(folder), [{ kind: "slow", seconds: 2.5 }]);
  await clearFaults(folder);
});

test("bad input is refused as such and names the way out", () => {
  const refused: readonly [string, string?][] = [
    ["no-such-fault"],
    ["toString"],
    ["lies", "5"],
    ["slow"],
    ["slow", "0"],
    ["slow", "-1"],
    ["slow", "x"],
    ["slow", "99999"],
  ];
  for (const [kind, argument] of refused) {
    assert.throws(
      () => parseFault(kind, argument),
      (error) =>
        error instanceof DuetError && error.status === exit.badInput && error.problems[0]?.fix !== "",
      `${kind} ${argument ?? ""}`,
    );
  }
});

test("a file that nobody of the lab wrote is an error, not «no fault»", async () => {
  await writeFile(join(folder, "fault.json"), '{"faults":[{"kind":"no-such"}]}');
  assert.throws(() => readFaults(folder));
  await rm(join(folder, "fault.json"));
});

test("each kind says in one sentence what it does", () => {
  for (const { what } of Object.values(faultKinds)) assert.match(what, /^[A-Z].*\.$/);
});

test("the page for users says of each fault what the code says", async () => {
  const page = await readFile(join(import.meta.dirname, "../../docs/bmc.md"), "utf8");
  for (const [kind, { what }] of Object.entries(faultKinds))
    assert.ok(page.includes(`| \`${kind}${kind === "slow" ? " N" : ""}\` | ${what}`), kind);
});

test("a damaged file of faults is told with the way out", async () => {
  for (const text of ["", "{", '{"faults": 1}', '{"faults": [{"kind": "none"}]}']) {
    await writeFile(join(folder, "fault.json"), text);
    assert.throws(
      () => readFaults(folder),
      (error) => error instanceof DuetError && error.problems[0]?.code === "DUET-E-BMC-STATE",
      text,
    );
  }
  await clearFaults(folder);
  assert.deepEqual(readFaults(folder), []);
});
