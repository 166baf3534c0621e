import assert from "node:assert/strict";
import { test } from "node:test";
import { judgeDrift } from "./drift.ts";

test("each setting that somebody changed is a failed check; a machine that tells nothing is judged by nobody", () => {
  assert.deepEqual(judgeDrift("node1", undefined), []);
  assert.deepEqual(
    judgeDrift("node1", { pacemaker: [], corosync: [] }).map(({ mark }) => mark),
    ["ok"],
  );
  const pacemaker = ["stonith-enabled is false, and duet sets true"];
  const found = judgeDrift("node1", { pacemaker, corosync: ["Corosync runs without WaitForAll"] });
  assert.deepEqual(
    found.map(({ mark, code, detail }) => [mark, code, detail]),
    [
      ["fail", "DUET-E-STATUS-DRIFT", pacemaker[0]],
      ["fail", "DUET-E-STATUS-DRIFT", "Corosync runs without WaitForAll"],
    ],
  );
});
