import assert from "node:assert/strict";
import { test } from "node:test";
import { judge } from "./judge.ts";
import { known } from "./report.ts";
import { fromSeat, wholeReport } from "./testing.ts";

const pacemaker = ["stonith-enabled is false, and duet sets true"];
const corosync = ["Corosync runs without WaitForAll"];
const told = (one: object, other: object) =>
  judge(fromSeat(known(wholeReport("node1", one)), known(wholeReport("node2", other)))).wrong.map(
    ({ code, where, what }) => [code, where, what],
  );

test("a pair at 1+1 whose settings somebody changed is not well: the site's told once, a machine's own by machine", () => {
  assert.deepEqual(told({ drift: { pacemaker: [], corosync: [] } }, { drift: null }), []);
  assert.deepEqual(told({ drift: { pacemaker, corosync: [] } }, { drift: { pacemaker, corosync } }), [
    ["DUET-E-STATUS-DRIFT", "shop", pacemaker[0]],
    ["DUET-E-STATUS-DRIFT", "node2", corosync[0]],
  ]);
});
