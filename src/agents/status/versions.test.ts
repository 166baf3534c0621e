import assert from "node:assert/strict";
import { test } from "node:test";
import { judge } from "./judge.ts";
import { known, type Report } from "./report.ts";
import { fromMachine, fromSeat, sight, wholeReport } from "./testing.ts";
import { statusText } from "./text.ts";
import { versionsText } from "./versions.ts";

const unit = (installed: string | null, active = "active"): Report["unit"] =>
  known({ active, masked: false, failedStarts: 0, installed });
const plain = (_: string, text: string): string => text;

test("while both run the same and the cluster works by it, nothing is said of versions", () => {
  const report = wholeReport("node1", { unit: unit("3.5.16") });
  assert.equal(versionsText(judge(fromMachine(report))), undefined);
});

test("in the middle of an upgrade both versions and the cluster's are told", () => {
  const etcd = { node1: sight("node1", { version: "3.5.33" }), node2: sight("node2", { version: "3.6.16" }) };
  const status = judge(fromMachine(wholeReport("node1", { etcd, unit: unit("3.5.33") })));
  assert.equal(
    versionsText(status),
    "node1 runs 3.5.33; node2 runs 3.6.16; the cluster works by 3.5; docs/upgrade-etcd.md",
  );
  assert.match(statusText(status, 100, plain), /^etcd +node1 runs 3\.5\.33; node2 runs 3\.6\.16;/m);
});

test("an upgrade whose last step is open is told: all run the newer, and the cluster does not know yet", () => {
  const version = "3.6.16";
  const etcd = { node1: sight("node1", { version }), node2: sight("node2", { version }) };
  assert.match(versionsText(judge(fromMachine(wholeReport("node1", { etcd })))) ?? "", /works by 3\.5/);
});

test("what is installed and does not run yet is told, be it newer or older", () => {
  const status = judge(fromMachine(wholeReport("node1", { unit: unit("3.6.16") })));
  assert.match(versionsText(status) ?? "", /; the next start on node1 runs 3\.6\.16; /);
});

test("of an etcd that is refused the screen shows which is installed, and the rule with its page", () => {
  const version = "3.6.16";
  const etcd = {
    node1: sight("node1", {
      version,
      cluster: "3.6.0",
      members: [{ id: "a1", name: "node1", learner: false }],
    }),
    node2: { known: false, why: "nothing listens on etcd's port" } as const,
  };
  const refused = {
    rule: "R-OLD-ETCD-JOIN",
    do: "needs-human",
    sentence: "node1 serves a cluster of etcd 3.6, and the etcd that is installed on node2 is 3.5.33",
    at_ms: wholeReport("node2").at_ms,
  };
  const two = wholeReport("node2", { etcd, unit: unit("3.5.33", "inactive"), said: { start: refused } });
  const status = judge(fromSeat(known(wholeReport("node1", { etcd, unit: unit(version) })), known(two)));
  assert.equal(
    versionsText(status),
    "node1 runs 3.6.16; node2 has 3.5.33; the cluster works by 3.6; docs/upgrade-etcd.md",
  );
  assert.match(statusText(status, 100, plain), /^etcd .*down, 3\.5\.33 installed/m);
  const told = status.wrong.find(({ code }) => code === "R-OLD-ETCD-JOIN");
  assert.deepEqual([told?.where, told?.page], ["node2", "docs/errors/R-OLD-ETCD-JOIN.md"]);
});
