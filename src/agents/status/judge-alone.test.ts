import assert from "node:assert/strict";
import { test } from "node:test";
import { judge } from "./judge.ts";
import { refused } from "./machine.ts";
import { known, type Report, unknown } from "./report.ts";
import type { Views } from "./status.ts";
import { fromMachine, fromSeat, sight, wholeReport } from "./testing.ts";

/** What is said where one machine is the only voter, and holds data of this epoch; undefined: it does not tell. */
function sentence(name: "node1" | "node2", epoch: number | undefined): string {
  const held = { full: true, takeover: null, left: false, surrendered: null };
  const holding: Report["holding"] =
    epoch === undefined
      ? unknown("its file can't be read")
      : known({ ...held, lineage: { epoch, owner: name } });
  const only = { members: [{ id: name, name, learner: false }] };
  const etcd = {
    node1: name === "node1" ? sight(name, only) : unknown("silent"),
    node2: name === "node2" ? sight(name, only) : unknown("silent"),
  };
  const { whole, sentence: said } = judge(fromMachine(wholeReport(name, { holding, etcd })));
  assert.equal(whole, "1+0");
  return said;
}

test("a lone machine has lost nothing, unless its data is from after a loss that was accepted", () => {
  const whole = "node1 serves alone: nothing is lost, and no further machine may be";
  assert.equal(sentence("node1", 3), whole);
  assert.equal(sentence("node1", 999_999), whole);
  const after = (name: string, loser: string) =>
    `${name} serves alone, with data from after an accepted loss: what ${loser} had acknowledged alone may be lost, nothing since is, and no further machine may be`;
  // Accepted on node1: --accept-data-loss, or choose-data.
  assert.equal(sentence("node1", 1_000_000), after("node1", "node2"));
  // An ordinary takeover of that data, by node2: what was lost is what it had acknowledged before.
  assert.equal(sentence("node2", 1_000_001), after("node2", "node2"));
  assert.equal(sentence("node2", 2_000_000), after("node2", "node1"));
});

test("of data whose lineage nobody tells it is not said that nothing is lost", () => {
  assert.equal(sentence("node1", undefined), "node1 serves alone: no further machine may be lost");
});

/** At the operator's seat: node1 is off, or gone with its feed, and node2, if it is there, waits. */
test("that nobody serves is said where both are seen not to: by their power, or by the one that waits", () => {
  const nobody = "nobody serves: no etcd answers a read that needs its quorum";
  const open = (names: string) => `it can't be told from here whether ${names} serves`;
  const silent = unknown("no route to host");
  const waiting = known(
    wholeReport("node2", {
      corosync: known({ quorate: false, members: ["node2"], waits: true }),
      unit: known({ active: "inactive", masked: false, failedStarts: 0 }),
      etcd: { node1: silent, node2: unknown(refused) },
    }),
  );
  const off = known("Off");
  const dark = (node2: typeof waiting | typeof silent, power: Views["power"]) =>
    judge(fromSeat(silent, node2, power)).sentence;
  assert.equal(dark(silent, { node1: off, node2: off }), nobody);
  assert.equal(dark(silent, { node1: silent, node2: silent }), open("node1 or node2"));
  // Nobody has asked the BMCs.
  assert.equal(dark(silent, {}), open("node1 or node2"));
  assert.equal(dark(waiting, { node1: off, node2: known("On") }), nobody);
  // Its own BMC is dead: what it says itself is enough.
  assert.equal(dark(waiting, { node1: off, node2: silent }), nobody);
  assert.equal(dark(waiting, { node1: silent, node2: known("On") }), open("node1"));
});
