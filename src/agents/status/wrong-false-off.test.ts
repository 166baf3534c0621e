import assert from "node:assert/strict";
import { test } from "node:test";
import { judge } from "./judge.ts";
import { known, unknown } from "./report.ts";
import { exitOf } from "./status.ts";
import { fromMachine, fromSeat, now_ms, wholeReport } from "./testing.ts";

const told = wholeReport("node1", { falseOff_ms: now_ms - 480_000 });

test("a machine that ran on while it was read Off is the first that is wrong, at 1+1 too, from wherever it can be known", () => {
  for (const views of [
    fromMachine(told),
    fromSeat(known(told), known(wholeReport("node2"))),
    fromSeat(known(told), unknown("no answer")),
  ]) {
    const status = judge(views);
    const [first] = status.wrong;
    assert.equal(first?.code, "DUET-E-STATUS-FALSE-OFF");
    assert.equal(first.where, "node2");
    assert.match(
      first.what,
      /^ran on while its BMC or outlet said Off to node1, which heard it again 2026-11-15 17:52:00\sUTC \(8\smin\sago\): both may have served/,
    );
    assert.match(first.fix, /`duet fence-test node2 --disruptive` on node1$/);
    assert.equal(first.page, "docs/errors/DUET-E-STATUS-FALSE-OFF.md");
    assert.equal(exitOf(status), 1);
  }
});

test("nothing is said of a machine whose Off was true, nor by an older duet", () => {
  for (const report of [wholeReport("node1", { falseOff_ms: null }), wholeReport("node1")])
    assert.deepEqual(judge(fromMachine(report)).wrong, []);
});
