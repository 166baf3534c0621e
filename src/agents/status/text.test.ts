import assert from "node:assert/strict";
import { test } from "node:test";
import { judge } from "./judge.ts";
import { moment, span, table, wrap } from "./layout.ts";
import { type AlertSight, known, unknown } from "./report.ts";
import { readSite } from "../../site/read.ts";
import { minimal } from "../../site/samples.ts";
import { withoutOutlet } from "./seat.ts";
import { fromMachine, fromSeat, now_ms, sight, wholeReport } from "./testing.ts";
import { statusText } from "./text.ts";

const plain = (_: string, text: string) => text;
const power = { node1: known("On"), node2: known("On") };

test("one screen that reads without colour", () => {
  assert.equal(
    statusText(judge(fromMachine(wholeReport("node1"), power)), 80, plain),
    `site shop  1+1  seen from node1, 18:00:00 UTC
both machines hold everything: either may be lost.

            node1 (here)                      node2
power       On                                On
cluster     online                            online
etcd        leader, full, 3.5.16              voter, full, 3.5.16
data        epoch 3 of node1                  epoch 3 of node1

serves      node1 and node2, each write is on both; node1 leads
lineage     epoch 3 of node1
last fence  none, as far as the records go
fencing     node2 -> node1: proven by login and a look at the power each 60 s,
            for 10 min now
            node1 -> node2: proven by login and a look at the power each 60 s,
            for 10 min now; tested 2026-11-15 17:00:00 UTC (60 min ago); for
            real never, by its record
node1       etcd runs on node1, has a leader, and nothing is left to do: it goes
            on (R-RUNNING, 3 s ago)
node2       etcd runs on node2, has a leader, and nothing is left to do: it goes
            on (R-RUNNING, its last word here)

Nothing is wrong.
`,
  );
});

test("that starting alone needs a human is one line, and nothing wrong", () => {
  const alone = "starting alone needs a human: the BMC of node2 forgets its tag when it is reset";
  const status = judge(fromMachine(wholeReport("node1", { alone }), power));
  assert.match(
    statusText(status, 120, plain),
    /\nalone {7}starting alone needs a human: the BMC of node2 forgets/,
  );
  assert.deepEqual(status.wrong, []);
  const fine = judge(fromMachine(wholeReport("node1", { alone: null }), power));
  assert.doesNotMatch(statusText(fine, 120, plain), /alone {7}/);
});

test("a learner that has no log yet shows how much of the database has come", () => {
  const list = [
    { id: "a1", name: "node1", learner: false },
    { id: "b2", name: "", learner: true },
  ];
  const voter = sight("node1", { members: list, db_bytes: 2_000_000_000 });
  const etcd = { node1: voter, node2: unknown("its port is closed") };
  const line = (receiving_bytes: number | null) => {
    const of = fromSeat(
      known(wholeReport("node1", { etcd })),
      known(wholeReport("node2", { etcd, receiving_bytes })),
    );
    return /^learner +(.*)$/m.exec(statusText(judge(of), 120, plain))?.[1];
  };
  assert.equal(line(340_000_000), "node2 receives a copy: 340.0 MB of 2000.0 MB (17 %)");
  assert.equal(
    line(null),
    "node2 joins; its etcd does not tell yet how far it is; it needs a copy of 2000.0 MB",
  );
});

test("no line is wider than the terminal, and colour adds nothing but colour", () => {
  const inert = wholeReport("node2", {
    corosync: known({ quorate: false, members: ["node2"], waits: true }),
    pacemaker: unknown("Pacemaker did not answer within 2300 ms"),
    etcd: {
      node1: unknown("no connection to its etcd: EHOSTUNREACH"),
      node2: unknown("nothing listens on etcd's port"),
    },
    peerSays: unknown("Pacemaker does not tell its attributes"),
  });
  const status = judge(fromSeat(unknown("no ssh on 192.0.2.11 or 198.51.100.11"), known(inert)));
  for (const width of [60, 80, 120]) {
    const text = statusText(status, width, plain);
    for (const line of text.split("\n")) assert.ok(line.length <= width, `${width}: ${line}`);
    const painted = statusText(status, width, (style, each) => `<${style}>${each}</>`);
    assert.equal(painted.replaceAll(/<\w*\/?>|<\/>/g, ""), text);
    assert.match(text, /unknown/);
    assert.match(text, /no ssh on 192\.0\.2\.11/);
    assert.match(text, /^ {5}duet page DUET-E-STATUS-INERT$/m);
  }
});

test("words are wrapped, columns aligned, times as exact as a person needs them", () => {
  assert.deepEqual(wrap("a bb ccc", 4), ["a bb", "ccc"]);
  assert.deepEqual(wrap("", 4), [""]);
  assert.deepEqual(table([["x", "one two", "three"]], 2, 12), ["x one  three", "  two"]);
  assert.deepEqual(
    [0, 99_000, 100_000, 3_600_000, 7_200_000, 200 * 3_600_000].map((ms) => span(ms).replace("\u00a0", " ")),
    ["0 s", "99 s", "2 min", "60 min", "2 h", "8 days"],
  );
  assert.equal(moment(now_ms, now_ms + 5_000).replaceAll("\u00a0", " "), "2026-11-15 18:00:00 UTC (5 s ago)");
});

test("that a lost power feed needs a person is said while all is well, of each machine without an outlet", () => {
  const views = fromMachine(wholeReport("node1"));
  const text = (noOutlet: readonly string[]) =>
    statusText(judge({ ...views, noOutlet }), 200, plain)
      .split("\n")
      .filter((line) => line.startsWith("power feed"));
  assert.deepEqual(text([]), []);
  assert.match(
    text(["node2"])[0] ?? "",
    /node2 can't be fenced by a PDU outlet: .* nobody can prove Off, and a person is needed$/,
  );
  const { site } = readSite(minimal, "site.yaml");
  assert.ok(site !== undefined);
  assert.deepEqual(withoutOutlet(site), ["node1", "node2"]);
  assert.match(text(withoutOutlet(site))[0] ?? "", /node1 and node2 can't be fenced by a PDU outlet/);
});

test("how telling people went is shown, and a way that fails is among what is wrong", () => {
  const told = (ways: NonNullable<AlertSight["ways"]>) =>
    judge(fromMachine(wholeReport("node1", { alerts: known({ ways }) })));
  const base = {
    name: "webhook alerts.example",
    sent_ms: now_ms - 60_000,
    failed: null,
    waiting: 0,
    given_up: 0,
  };
  const well = told([base]);
  assert.deepEqual(well.wrong, []);
  assert.match(statusText(well, 200, plain), /^alerts +node1 by webhook alerts\.example: last sent/m);
  const why = "it can't be reached (ECONNREFUSED)";
  const over = told([{ ...base, failed: { at_ms: now_ms - 90_000, why, again: false }, given_up: 2 }]);
  assert.deepEqual(over.wrong, []);
  assert.match(statusText(over, 300, plain), /last failed .*ECONNREFUSED\); 2 never delivered/);
  const failing = told([{ ...base, failed: { at_ms: now_ms, why, again: true }, waiting: 3 }]);
  assert.deepEqual(
    failing.wrong.map(({ code, what }) => [code, what]),
    [["DUET-E-ALERT-DELIVERY", `can't tell anybody by webhook alerts.example: ${why}; 3 waiting`]],
  );
  // A site that tells nobody, and a machine with an older duet, show nothing.
  for (const report of [wholeReport("node1", { alerts: known(null) }), wholeReport("node1")])
    assert.doesNotMatch(statusText(judge(fromMachine(report)), 200, plain), /^alerts/m);
});
