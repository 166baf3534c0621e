import assert from "node:assert/strict";
import { test } from "node:test";
import { type LossCase, losses } from "./cases.ts";
import { otherEnd, otherLeader, otherStart, rolesOf, survivorsTold } from "./survivor.ts";

const named = (name: string): LossCase => {
  const found = losses.find((each) => each.name === name);
  assert.ok(found !== undefined, name);
  return found;
};

test("who survives and who leads is what the case is named after", () => {
  const roles = losses.map((loss) => {
    const { survives, leads } = rolesOf(loss, "node2");
    return [loss.name, survives, leads];
  });
  assert.deepEqual(roles, [
    ["leader, cut", "node1", "node2"],
    ["follower, cut", "node2", "node2"],
    ["leader, hang, survivor first", "node2", "node1"],
    ["leader, hang, survivor second", "node1", "node2"],
    ["follower, hang, survivor first", "node2", "node2"],
    ["follower, hang, survivor second", "node1", "node1"],
    ["wire cut", "node2", "node2"],
  ]);
});

test("before a loss another leader is another case, and another turn where the lost machine reads On", () => {
  for (const loss of losses) {
    const roles = rolesOf(loss, "node1");
    const turn = loss.survivor === "first" ? 0 : 1;
    assert.equal(otherStart(loss, roles, roles.leads, turn), undefined, loss.name);
    const other = roles.leads === "node1" ? "node2" : "node1";
    assert.match(
      otherStart(loss, roles, other, turn) ?? "",
      new RegExp(`^${other} led .*not ${roles.leads}`),
    );
    for (const wrong of [turn === 0 ? 1 : 0, undefined]) {
      const told = otherStart(loss, roles, roles.leads, wrong);
      assert.equal(told !== undefined, loss.way === "hang", `${loss.name}, ${wrong}`);
    }
  }
  const second = named("leader, hang, survivor second");
  assert.equal(otherStart(second, rolesOf(second, "node1"), "node1", 2), undefined);
  assert.equal(
    otherStart(second, rolesOf(second, "node1"), "node1", 0),
    "node2, which is to survive as the second in the race, held turn 0 right before the loss",
  );
});

test("before a planned reboot another leader is another case", () => {
  assert.equal(otherLeader("node1", "node1", "reboot"), undefined);
  assert.equal(otherLeader("node2", "node1", "reboot"), "node2 led right before the reboot, and not node1");
  assert.equal(otherLeader(undefined, "node1", "loss"), "nobody led right before the loss, and not node1");
});

test("another survivor is another case, but of a wire both are right", () => {
  for (const loss of losses) {
    const roles = rolesOf(loss, "node1");
    assert.equal(otherEnd(loss, roles, roles.survives), undefined);
    const told = otherEnd(loss, roles, roles.survives === "node1" ? "node2" : "node1");
    assert.equal(told !== undefined, loss.way !== "wire", loss.name);
  }
  const leader = named("leader, cut");
  assert.equal(otherEnd(leader, rolesOf(leader, "node1"), "node1"), "node1 survived, and not node2");
});

test("survivors are counted", () => {
  assert.equal(survivorsTold(["node2", "node1", "node2"]), "node1 once, node2 2 times");
});
