import assert from "node:assert/strict";
import { test } from "node:test";
import { parseMembers, parseStatus } from "./etcdctl.ts";

const status = `"ClusterID" : 6259501738247337617
"MemberID" : 13543625221916585313
"Revision" : 133
"RaftTerm" : 18
"Version" : "3.5.16"
"DBSize" : 36864
"Leader" : 13543625221916585313
"IsLearner" : false
"RaftIndex" : 221
"RaftTerm" : 18
"RaftAppliedIndex" : 221
"Errors" : []
"Endpoint" : "https://127.0.0.1:2379"

`;

test("a status has its ids to the last digit", () => {
  const id = "13543625221916585313";
  assert.deepEqual(parseStatus(status), { id, leader: id, isLearner: false, term: 18 });
  assert.equal(parseStatus(status.replace(/"Leader" : .*/, '"Leader" : 0'))?.leader, "0");
  assert.equal(parseStatus("Error: context deadline exceeded\n"), undefined);
});

/** What 3.6 tells more, and the one term. */
const status36 = `"ClusterID" : 6259501738247337617
"MemberID" : 13543625221916585313
"Revision" : 133
"RaftTerm" : 18
"Version" : "3.6.16"
"StorageVersion" : "3.6.0"
"DBSize" : 36864
"DBSizeInUse" : 24576
"DBSizeQuota" : 8589934592
"Leader" : 10276657743932975437
"IsLearner" : false
"RaftIndex" : 221
"RaftAppliedIndex" : 221
"Errors" : []
"Endpoint" : "https://127.0.0.1:2379"
"DowngradeTargetVersion" : ""
"DowngradeEnabled" : false

`;

test("the etcdctl of 3.6 is understood as that of 3.5 is", () => {
  const [id, leader] = ["13543625221916585313", "10276657743932975437"];
  assert.deepEqual(parseStatus(status36), { id, leader, isLearner: false, term: 18 });
});

test("a member may have several addresses, and no name yet", () => {
  const urls = "https://192.0.2.12:2380,https://198.51.100.12:2380";
  const text = `2c6e5f7bc57bd98, started, node2, ${urls}, ${urls}, false\n88b8875952cbac7e, unstarted, , ${urls}, , true\n`;
  assert.deepEqual(parseMembers(text), [
    { id: "2c6e5f7bc57bd98", name: "node2", isLearner: false },
    { id: "88b8875952cbac7e", name: "", isLearner: true },
  ]);
  assert.deepEqual(parseMembers(""), []);
});
