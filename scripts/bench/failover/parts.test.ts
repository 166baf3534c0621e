import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import type { Told } from "../../../src/record/entry.ts";
import { failovers } from "../../../src/record/failover.ts";
import { parseRecord } from "../../../src/record/read.ts";
import { checkout } from "../../tree.ts";
import { momentsOf, partsOf } from "./parts.ts";
import { rejoinTimes } from "./rejoin.ts";

const recorded = async (what: string, machine: string): Promise<readonly Told[]> => {
  const file = join(checkout, "lab", "recordings", what, `${machine}.jsonl`);
  return parseRecord(await readFile(file, "utf8"), file).entries;
};

test("a recorded hang has its four parts, and they are the clients' whole gap", async () => {
  const entries = [...(await recorded("hang", "node1")), ...(await recorded("hang", "node2"))];
  const [failover] = failovers(entries, 1);
  assert.ok(failover !== undefined);
  const moments = momentsOf(failover, entries);
  const { detected_ms, commanded_ms, confirmed_ms } = moments;
  assert.ok(detected_ms !== undefined && commanded_ms !== undefined && confirmed_ms !== undefined);
  assert.ok(detected_ms < commanded_ms && commanded_ms < confirmed_ms);
  const parts = partsOf({ begin_ms: detected_ms - 2_000, end_ms: confirmed_ms + 1_500 }, moments);
  const { detect_ms = 0, turn_ms = 0, off_ms = 0, takeover_ms = 0, whole_ms } = parts;
  assert.deepEqual([detect_ms, takeover_ms], [2_000, 1_500]);
  assert.ok(Math.abs(detect_ms + turn_ms + off_ms + takeover_ms - whole_ms) < 1e-6);
});

test("a part that nobody recorded is not made up: its time is in the next", () => {
  const gap = { begin_ms: 1_000, end_ms: 9_000 };
  const at = { detected_ms: 3_000, commanded_ms: undefined, confirmed_ms: 7_000 };
  assert.deepEqual(partsOf(gap, at), {
    whole_ms: 8_000,
    detect_ms: 2_000,
    turn_ms: undefined,
    off_ms: 4_000,
    takeover_ms: 2_000,
  });
  assert.equal(partsOf(gap, { ...at, confirmed_ms: undefined }).takeover_ms, undefined);
});

test("a rejoin is told from the record of who came back", async () => {
  const entries = await recorded("hang", "node2");
  const times = rejoinTimes(entries, 0);
  assert.ok(times?.caught_up_ms !== undefined);
  assert.ok(times.caught_up_ms > 0 && times.caught_up_ms < times.full_ms);
  const last_ms = Math.max(...entries.map(({ at }) => Date.parse(at)));
  assert.equal(rejoinTimes(entries, last_ms + 1), undefined, "what was before the loss is another rejoin");
});
