import assert from "node:assert/strict";
import { test } from "node:test";
import { judge } from "../src/agents/status/judge.ts";
import { known, unknown, valueOf } from "../src/agents/status/report.ts";
import { now_ms, wholeReport } from "../src/agents/status/testing.ts";
import { saidBy, shownIn, toldIn } from "./scenario-says.ts";

const sentence =
  "nobody can tell whether node2 is off: its BMC does not answer; see that it is off, then `duet confirm-peer-down`";
const saying = { rule: "R-POWER-UNREAD", do: "needs-human", sentence, at_ms: now_ms };
const alone = judge({
  site: "shop",
  machines: ["node1", "node2"],
  noOutlet: [],
  from: "node1",
  at_ms: now_ms,
  reports: {
    node1: known(wholeReport("node1", { said: { start: saying } })),
    node2: unknown("it does not answer"),
  },
  power: {},
});
// As the command prints it.
const status: unknown = JSON.parse(JSON.stringify(alone));

test("a machine says what it goes by, and what is wrong with it", () => {
  assert.ok(saidBy(status, "node1").includes(sentence));
  assert.ok(saidBy({ machines: [], wrong: [{ where: "node1", what: "w" }] }, "node1").includes("w"));
});

test("on standby it says what a person is shown, and not what it went by before", () => {
  const report = wholeReport("node1", { said: { start: saying } });
  const cluster = valueOf(report.pacemaker);
  assert.ok(cluster !== undefined);
  const standby = judge({
    site: "shop",
    machines: ["node1", "node2"],
    noOutlet: [],
    from: "node1",
    at_ms: now_ms,
    reports: {
      node1: known({
        ...report,
        pacemaker: known({ ...cluster, nodes: { node1: "standby", node2: "unclean" } }),
        etcd: { node1: unknown("it does not answer"), node2: unknown("it does not answer") },
      }),
      node2: unknown("it does not answer"),
    },
    power: {},
  });
  const status: unknown = JSON.parse(JSON.stringify(standby));
  const said = saidBy(status, "node1").join("; ");
  assert.match(said, /is on standby: Pacemaker runs nothing here, and node2 is not seen to serve/);
  assert.doesNotMatch(said, /nobody can tell/);
  assert.doesNotMatch(shownIn(status).join("; "), /nobody can tell/);
  assert.match(shownIn(status).join("; "), /`duet unstandby node1`/);
});

test("what is advised, and what is said of the other machine, is no word of its own", () => {
  const [wrong] = alone.wrong;
  assert.ok(wrong !== undefined);
  assert.ok(!saidBy(status, "node1").some((each) => each.includes(wrong.fix)));
  assert.ok(!saidBy(status, "node2").some((each) => each.includes("nobody can tell")));
  assert.deepEqual(saidBy(undefined, "node1"), []);
});

test("of a status every word that is shown is found, and what it tells is on one line", () => {
  assert.ok(shownIn(status).some((each) => each === sentence));
  assert.ok(shownIn(status).some((each) => each === alone.wrong[0]?.fix));
  assert.deepEqual(shownIn(undefined), []);
  assert.equal(toldIn(undefined), "there is no status");
  assert.ok(toldIn(status).startsWith(`${alone.sentence}; node1: `));
});
