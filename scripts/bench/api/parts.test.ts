import assert from "node:assert/strict";
import { test } from "node:test";
import { firstUp_ms } from "./journal.ts";
import { apiParts } from "./parts.ts";

const moments = {
  detected_ms: 2_000,
  commanded_ms: 3_200,
  confirmed_ms: 4_000,
  served_ms: 7_000,
  address_ms: 4_300,
};

test("detection, turn, Off, etcd and API server are the whole gap; the address is beside them", () => {
  const parts = apiParts({ begin_ms: 100, end_ms: 9_100 }, moments);
  assert.deepEqual(parts, {
    whole_ms: 9_000,
    detect_ms: 1_900,
    turn_ms: 1_200,
    off_ms: 800,
    etcd_ms: 3_000,
    api_ms: 2_100,
    address_ms: 300,
  });
});

test("a moment that nobody recorded leaves its parts unknown, and the whole known", () => {
  const parts = apiParts({ begin_ms: 0, end_ms: 9_000 }, { ...moments, served_ms: undefined });
  assert.deepEqual([parts.whole_ms, parts.etcd_ms, parts.api_ms], [9_000, undefined, undefined]);
  const blind = apiParts({ begin_ms: 0, end_ms: 9_000 }, { ...moments, commanded_ms: undefined });
  assert.deepEqual([blind.turn_ms, blind.off_ms, blind.etcd_ms], [undefined, undefined, 3_000]);
});

test("the address is up when Pacemaker says so, after the loss", () => {
  const says = (at: string, node: string) =>
    `${at} ${node} pacemaker-controld[181]:  notice: Result of start operation for duet-api on ${node}: OK`;
  const journal = [says("10.5", "node2"), "12.0 node2 kernel: x", says("13.25", "node2")].join("\n");
  assert.equal(firstUp_ms(journal, 11_000), 13_250);
  assert.equal(firstUp_ms(journal, 14_000), undefined);
});
