import assert from "node:assert/strict";
import { test } from "node:test";
import { costsOf } from "./cost.ts";
import { readStat, usedSince_ms } from "./processes.ts";

test("a process is read by its name, whatever is in that, and its two times", () => {
  const rest = "S 1 2 3 4 5 6 7 8 9 10 150 50 99 99";
  assert.deepEqual(readStat(`12 (a) b (c)) ${rest}`), { name: "a) b (c)", used_ms: 2_000 });
  assert.equal(readStat(""), undefined);
});

const process = (pid: number, name: string, used_ms: number) => ({ pid, name, used_ms });

test("one that began meanwhile has all of its time in between, also under a number that was another's", () => {
  const before = [process(1, "etcd", 100), process(2, "duet", 500)];
  const now = [process(1, "etcd", 150), process(2, "crun", 20)];
  assert.equal(usedSince_ms(before, now), 70);
});

test("parts add up to the machine: what ended meanwhile is in its last part", () => {
  const costs = costsOf({
    machine: "node1",
    before: { used_ms: 10_000, processes: [process(1, "systemd", 0), process(2, "etcd", 1_000)] },
    after: { used_ms: 11_000, processes: [process(1, "systemd", 100), process(2, "etcd", 1_400)] },
    memory: new Map([
      ["systemd", 10],
      ["etcd", 40],
    ]),
    window_ms: 10_000,
  });
  const [whole, ...parts] = costs;
  assert.deepEqual([whole?.pss_mib, whole?.cpu_percent], [50, 10]);
  assert.equal(parts.find(({ name }) => name === "etcd")?.cpu_percent, 4);
  assert.deepEqual([parts.at(-1)?.pss_mib, parts.at(-1)?.cpu_percent], [10, 6]);
  assert.equal(
    parts.reduce((sum, each) => sum + each.pss_mib, 0),
    50,
  );
});
