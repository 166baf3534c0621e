import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { measuredTimes } from "./measured.ts";
import { twoMachines } from "./testing-site.ts";
import { turnLength_ms } from "../../render/fence-times.ts";
import { siteTimes } from "./times.ts";

const urls = { node1: "https://203.0.113.1", node2: "https://203.0.113.2" };
const site = twoMachines(urls);
const at = "2026-01-01T00:00:00.000Z";
const told = (worst_ms: number) =>
  new Map(
    Object.entries(urls).map(([name, bmc]) => {
      const calls = { bmc, calls: 15, call_ms_median: 5, call_ms_worst: 9, read_at: at };
      return [
        name,
        new Map([["duet-fence-times", JSON.stringify({ ...calls, off: { worst_ms, at } })]]),
      ] as const;
    }),
  );

test("a machine that Pacemaker tells nothing counts with what it was told last, and so as its peer does", async () => {
  const folder = await mkdtemp(join(tmpdir(), "duet-measured-"));
  const turn_ms = async (asked: Parameters<typeof measuredTimes>[1]) =>
    siteTimes(site, await measuredTimes(site, asked, folder)).turn_ms;
  try {
    assert.equal(
      await turn_ms(Promise.resolve(undefined)),
      turnLength_ms(site.timeouts, [undefined, undefined]),
      "nobody ever told",
    );
    assert.equal(await turn_ms(Promise.resolve(told(1_600))), 10_000);
    assert.equal(await turn_ms(Promise.resolve(undefined)), 10_000);
    assert.equal(await turn_ms(Promise.reject(new Error("no answer"))), 10_000);
    assert.equal(await turn_ms(Promise.resolve(told(4_000))), 16_000);
    assert.equal(await turn_ms(Promise.resolve(undefined)), 16_000);
    assert.equal(
      await turn_ms(Promise.resolve(new Map())),
      turnLength_ms(site.timeouts, [undefined, undefined]),
      "nothing is measured any more",
    );
  } finally {
    await rm(folder, { recursive: true });
  }
});
