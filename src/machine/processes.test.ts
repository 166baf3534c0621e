import assert from "node:assert/strict";
import { test } from "node:test";
import { parseStat, processesIn } from "./processes.ts";

test("a name may have brackets and blanks in it, and what is no such line is nothing", () => {
  assert.deepEqual(parseStat("42 (conmon) S 7 42 42 0 -1"), { pid: 42, parent: 7, name: "conmon" });
  assert.deepEqual(parseStat("42 (a) S 1 (b) R 7 42 42"), { pid: 42, parent: 7, name: "a) S 1 (b" });
  assert.equal(parseStat(""), undefined);
});

test("this very process is found, with its parent", async () => {
  const own = (await processesIn(() => true)).find(({ pid }) => pid === process.pid);
  assert.equal(own?.parent, process.ppid);
  assert.deepEqual(await processesIn(() => false), []);
});
