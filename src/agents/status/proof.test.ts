import assert from "node:assert/strict";
import { test } from "node:test";
import type { Proof, WayProof } from "../proof/kept.ts";
import { judge } from "./judge.ts";
import { known } from "./report.ts";
import { exitOf } from "./status.ts";
import { fromMachine, fromSeat, now_ms, wholeReport } from "./testing.ts";
import { statusText } from "./text.ts";

const hour_ms = 3_600_000;
const well = (way: WayProof["way"]): WayProof => ({ way, ok: true, why: "", fix: "", code: null });
const refused: WayProof = {
  way: "BMC",
  ok: false,
  why: "BMC login: it refuses the credentials (status 401)",
  fix: "check user name and password",
  code: "DUET-E-REDFISH-LOGIN",
};
const proofOf = (ways: readonly WayProof[], change: Partial<Proof> = {}): Proof => ({
  by: "node1",
  target: "node2",
  at_ms: now_ms - hour_ms,
  ways: [...ways],
  good_ms: now_ms - 25 * hour_ms,
  failing_ms: now_ms - hour_ms,
  ...change,
});
const statusOf = (proof: Proof, up_s = 7200) =>
  judge(fromMachine(wholeReport("node1", { proof: known(proof), up_s })));
const plain = (_: string, text: string) => text;

test("a test that failed is shown with its time, its page and what to do, and is no 0", () => {
  const status = statusOf(proofOf([refused, well("Pacemaker")]));
  assert.equal(exitOf(status), 1);
  const [wrong] = status.wrong;
  assert.equal(status.wrong.length, 1);
  assert.equal(wrong?.page, "docs/errors/DUET-E-REDFISH-LOGIN.md");
  assert.match(wrong.what, /switch node2 off \(BMC\), since .*60.min.*ago.*: BMC login: it refuses/);
  assert.match(wrong.fix, /`duet fence-test node2` on node1$/);
  assert.match(
    statusText(status, 200, plain),
    /its last test FAILED 2026-11-15 17:00:00 UTC \(60 min ago\), well last 2026-11-14/,
  );
});

test("one way of two that failed says that the other is left", () => {
  const { wrong } = statusOf(proofOf([refused, well("outlet"), well("Pacemaker")]));
  assert.match(wrong[0]?.what ?? "", /; the outlet would do it$/);
});

test("one that nobody has made for days is told, unless the machine was not up for so long", () => {
  const old = proofOf([well("BMC")], { at_ms: now_ms - 80 * hour_ms, failing_ms: null });
  assert.deepEqual(
    statusOf(old, 90 * 3600).wrong.map(({ code }) => code),
    ["DUET-E-FENCE-PROOF-OLD"],
  );
  assert.deepEqual(statusOf(old).wrong, []);
});

test("from elsewhere both machines' tests are shown; on a machine its own", () => {
  const seat = judge(fromSeat(known(wholeReport("node1")), known(wholeReport("node2"))));
  assert.equal(statusText(seat, 400, plain).match(/; tested 2026/g)?.length, 2);
  const own = judge(fromMachine(wholeReport("node2", { proof: known(null) })));
  assert.match(statusText(own, 400, plain), /node2 -> node1: .*; never tested \(`duet fence-test`\)/);
});

test("a peer without the new credentials is told, and new ones that a BMC does not take after a while", () => {
  const later = judge(
    fromMachine(wholeReport("node1", { rotations: { node2: { waiting_ms: null, handOver: true } } })),
  );
  assert.match(later.wrong[0]?.what ?? "", /^is not known to have the new credentials of node2's BMC/);
  assert.equal(later.wrong[0]?.where, "node2");
  const waits = (ago_ms: number) =>
    judge(
      fromMachine(
        wholeReport("node1", { rotations: { node2: { waiting_ms: now_ms - ago_ms, handOver: false } } }),
      ),
    ).wrong.map(({ where, code }) => `${where} ${code}`);
  assert.deepEqual(waits(1_000), []);
  assert.deepEqual(waits(hour_ms), ["node1 DUET-E-STATUS-CREDENTIALS"]);
});
