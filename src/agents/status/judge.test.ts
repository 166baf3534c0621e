import assert from "node:assert/strict";
import { test } from "node:test";
import { refused } from "./machine.ts";
import { judge } from "./judge.ts";
import { known, type Report, unknown, valueOf } from "./report.ts";
import { exitOf, type Status } from "./status.ts";
import { fromMachine, fromSeat, loneReport, now_ms, sight, wholeReport } from "./testing.ts";

const codes = ({ wrong }: Status) => wrong.map(({ code, where }) => `${where} ${code}`);
const roles = ({ machines }: Status) => machines.map(({ etcd }) => valueOf(etcd)?.role);

/** node1 after its takeover: node2 is lost. */
const fence = { target: "node2", by: "node1", at_ms: now_ms - 30_000, result: "success", why: "" } as const;
const alone = (change: Partial<Report> = {}): Report => loneReport([fence], change);

test("both whole: 1+1, nothing wrong, status 0, from a machine and from elsewhere", () => {
  for (const views of [
    fromMachine(wholeReport("node1")),
    fromMachine(wholeReport("node2")),
    fromSeat(known(wholeReport("node1")), known(wholeReport("node2"))),
  ]) {
    const status = judge(views);
    assert.equal(status.whole, "1+1");
    assert.deepEqual(codes(status), []);
    assert.deepEqual(status.serves, ["node1", "node2"]);
    assert.equal(status.leader, "node1");
    assert.deepEqual(status.lineage, { epoch: 3, owner: "node1" });
    assert.deepEqual(roles(status), ["leader", "voter"]);
    assert.equal(exitOf(status), 0);
  }
});

test("what failed on a machine is told from wherever one looks, and once; a failed stop calls for somebody", () => {
  const stop = { node: "node2", what: "Pacemaker's stop of kubelet failed: refused", again: false };
  const pacemaker = (report: Report) =>
    known({ ...(valueOf(report.pacemaker) ?? assert.fail()), failures: [stop] });
  const [first, second] = (["node1", "node2"] as const).map((name) => {
    const report = wholeReport(name);
    return { ...report, pacemaker: pacemaker(report) };
  });
  assert.ok(first !== undefined && second !== undefined);
  for (const views of [fromMachine(first), fromMachine(second), fromSeat(known(first), known(second))]) {
    const status = judge(views);
    assert.deepEqual(codes(status), ["node2 DUET-E-STATUS-RESOURCE-FAILED"]);
    assert.match(status.wrong[0]?.fix ?? "", /nobody tries that again/);
  }
});

test("revisions that went back are told, at 1+1 too; that they are still to be raised is not", () => {
  const holding = (bump: "owed" | "missed") => {
    const { holding: whole } = wholeReport("node1");
    assert.ok(whole.known);
    return known({ ...whole.value, bump });
  };
  const of = (bump: "owed" | "missed") =>
    codes(judge(fromMachine(wholeReport("node1", { holding: holding(bump) }))));
  assert.deepEqual(of("missed"), ["node1 DUET-E-STATUS-REVISIONS"]);
  assert.deepEqual(of("owed"), []);
});

test("a peer that is off: 1+0, and only that it is away is wrong", () => {
  const status = judge(fromMachine(alone(), { node1: known("On"), node2: known("Off") }));
  assert.equal(status.whole, "1+0");
  assert.deepEqual(codes(status), ["node2 DUET-E-STATUS-PEER-AWAY"]);
  assert.match(status.wrong[0]?.fix ?? "", /node1 powers it on by itself/);
  assert.deepEqual(roles(status), ["leader", "down"]);
  assert.equal(valueOf(status.lastFence)?.result, "success");
  assert.equal(valueOf(status.machines[1]?.lineage), undefined, "nobody told what node2 holds");
  assert.equal(exitOf(status), 1);
});

test("no etcd that has quorum: 0 only where both are known not to serve, unknown otherwise", () => {
  const leaderless = sight("node1", { role: "voter", leader: null, members: null, why: "it has no leader" });
  const dark = judge(
    fromMachine(wholeReport("node1", { etcd: { node1: leaderless, node2: unknown(refused) } })),
  );
  assert.equal(dark.whole, "0");
  assert.deepEqual(codes(dark), ["node1 DUET-E-STATUS-NO-LEADER", "node2 DUET-E-STATUS-ETCD-DOWN"]);
  const unsure = judge(
    fromMachine(wholeReport("node1", { etcd: { node1: leaderless, node2: unknown("no complete answer") } })),
  );
  assert.equal(unsure.whole, "unknown");
  assert.match(unsure.sentence, /whether node2 serves/);
  assert.deepEqual(roles(unsure), ["voter", undefined]);
  const off = judge(
    fromMachine(alone({ etcd: { node1: leaderless, node2: unknown("silent") } }), { node2: known("Off") }),
  );
  assert.equal(off.whole, "0", "a machine without power serves nothing");
});

test("what a machine decided and can't do is told with its reason, while it is tried again", () => {
  const why = "duet's file: read-only file system";
  const told = (tries: number, ago_ms: number) =>
    judge(
      fromMachine(alone({ unfinished: { why, since_ms: now_ms - 90_000, at_ms: now_ms - ago_ms, tries } })),
    ).wrong.find(({ code }) => code === "DUET-E-STATUS-UNFINISHED");
  assert.match(told(3, 5_000)?.what ?? "", /can't be done \(3 tries in 1 min 30 s\): duet's file: read-only/);
  assert.equal(told(2, 5_000), undefined, "that may still be the way of things");
  assert.equal(told(3, 200_000), undefined, "nobody tries it any more");
});

test("a text of somebody else in a BMC's tag is told while both are well, and once", () => {
  const said = {
    tags: { rule: "R-TAGS-FOREIGN", do: "keep-tags", sentence: "a text that is not duet's", at_ms: now_ms },
  };
  const [first, second] = (["node1", "node2"] as const).map((name) => wholeReport(name, { said }));
  assert.ok(first !== undefined && second !== undefined);
  assert.deepEqual(codes(judge(fromSeat(known(first), known(second)))), ["node1 R-TAGS-FOREIGN"]);
});

test("an etcd whose data was given up is not promised to start again by itself: it joins", () => {
  const [down, given] = [false, true].map(
    (masked) =>
      judge(
        fromMachine(
          wholeReport("node2", {
            unit: known({ active: "failed", masked, failedStarts: 3 }),
            etcd: { node1: unknown("silent"), node2: unknown(refused) },
          }),
        ),
      ).wrong.find(({ code }) => code === "DUET-E-STATUS-ETCD-DOWN") ?? assert.fail(),
  );
  assert.match(down?.fix ?? "", /duet starts it again by itself/);
  assert.match(given?.what ?? "", /its data was given up/);
  assert.doesNotMatch(given?.fix ?? "", /starts it again/);
  assert.match(given?.fix ?? "", /it joins node1 by itself once that serves/);
});

test("a setup that failed is told with its step and its reason, also one that was run again", () => {
  const problem = { code: "DUET-E-X", where: "node2", what: "it\ndoes not answer", fix: "see its wires" };
  const failed = { state: "failed", at: "2026-11-15T17:00:00.000Z", step: "wait for node2" } as const;
  const of = (setup: Report["setup"]) =>
    judge(fromMachine(wholeReport("node1", { setup }))).wrong.map(({ code, what, fix }) => ({
      code,
      what,
      fix,
    }));
  const [told, ...more] = of({ ...failed, problems: [problem] });
  assert.deepEqual(more, []);
  assert.equal(told?.code, "DUET-E-STATUS-NOT-SET-UP");
  assert.equal(
    told?.what,
    'its setup failed in the step "wait for node2": DUET-E-X: node2: it does not answer',
  );
  assert.match(told?.fix ?? "", /^see its wires; then `duet setup` on node1/);
  assert.match(of({ state: "begun" })[0]?.what ?? "", /not finished/);
  assert.match(of({ ...failed, problems: [] })[0]?.what ?? "", /not finished/);
});

test("two voters are 1+1 only when both are full, and that must be known", () => {
  const late = wholeReport("node1", {
    peerSays: known({
      lineage: { epoch: 3, owner: "node1" },
      full: false,
      takeover: null,
      left: false,
      surrendered: null,
    }),
  });
  const status = judge(fromMachine(late));
  assert.equal(status.whole, "1+0");
  assert.deepEqual(codes(status), ["node2 DUET-E-STATUS-CATCHING-UP"]);
  const silent = judge(fromMachine(wholeReport("node1", { peerSays: known(null) })));
  assert.equal(silent.whole, "unknown");
  assert.deepEqual(codes(silent), ["shop DUET-E-STATUS-UNSURE"]);
});

test("a learner's progress is its log's end against its peer's", () => {
  const list = [
    { id: "a1", name: "node1", learner: false },
    { id: "b2", name: "", learner: true },
  ];
  const learner = sight("node2", {
    role: "learner",
    index: 400,
    members: null,
    why: "rpc not supported for learner",
  });
  const status = judge(
    fromMachine(wholeReport("node1", { etcd: { node1: sight("node1", { members: list }), node2: learner } })),
  );
  assert.equal(status.whole, "1+0");
  assert.deepEqual(status.learner, {
    machine: "node2",
    index: 400,
    of: 1000,
    bytes: null,
    of_bytes: 20_480,
  });
  assert.deepEqual(codes(status), ["node2 DUET-E-STATUS-CATCHING-UP"]);
  const mute = judge(
    fromMachine(
      wholeReport("node1", { etcd: { node1: sight("node1", { members: list }), node2: unknown(refused) } }),
    ),
  );
  assert.deepEqual(mute.learner, {
    machine: "node2",
    index: null,
    of: 1000,
    bytes: null,
    of_bytes: 20_480,
  });
});

test("an inert machine says so, and by which rule; what it can't see is unknown", () => {
  const inert = wholeReport("node2", {
    corosync: known({ quorate: false, members: ["node2"], waits: true }),
    unit: known({ active: "inactive", masked: false, failedStarts: 0 }),
    etcd: { node1: unknown("no connection to its etcd: no answer within 700 ms"), node2: unknown(refused) },
    peerSays: known(null),
    peerSaying: known(null),
    said: {
      start: {
        rule: "R-PEER-ON",
        do: "wait",
        sentence: "node1 can't be reached, but it is On",
        at_ms: now_ms - 5_000,
      },
    },
  });
  const status = judge(fromMachine(inert, { node1: known("On"), node2: known("On") }));
  assert.equal(status.whole, "unknown");
  assert.deepEqual(codes(status), ["node2 R-PEER-ON", "node2 DUET-E-STATUS-INERT"]);
  assert.ok(status.machines[0]?.corosync.known === false, "node1 may well be in the cluster");
  assert.equal(status.wrong[0]?.page, "docs/errors/R-PEER-ON.md");
  assert.deepEqual(status.serves, []);
  // From elsewhere both halves are seen.
  const both = judge(fromSeat(known(alone()), known(inert), { node1: known("On"), node2: known("On") }));
  assert.equal(both.whole, "1+0");
  assert.deepEqual(codes(both), ["node2 R-PEER-ON", "node2 DUET-E-STATUS-INERT"]);
});

test("fencing that is not proven is wrong at 1+1 too, and the status is 1", () => {
  const report = wholeReport("node1");
  const cluster = valueOf(report.pacemaker);
  assert.ok(cluster !== undefined);
  const failed = { on: "node1", since_ms: null, interval_s: 60, failed: "the BMC of node2: no connection" };
  const devices = { ...cluster.devices, node2: failed };
  const status = judge(fromMachine({ ...report, pacemaker: known({ ...cluster, devices }) }));
  assert.equal(status.whole, "1+1");
  assert.deepEqual(codes(status), ["node1 DUET-E-STATUS-FENCE-UNPROVEN"]);
  assert.match(status.wrong[0]?.what ?? "", /no connection/);
  assert.equal(exitOf(status), 1);
});

test("Pacemaker or Corosync down here is the first thing that is told, and fencing is unknown then", () => {
  const status = judge(fromMachine(wholeReport("node1", { pacemaker: unknown("Pacemaker is not up") })));
  assert.deepEqual(codes(status), ["node1 DUET-E-PACEMAKER-SILENT"]);
  assert.ok(status.fencing.every(({ proven }) => !proven.known));
  assert.equal(exitOf(status), 1);
  const cut = judge(
    fromMachine(wholeReport("node1", { corosync: unknown("it is not up"), pacemaker: unknown("x") })),
  );
  assert.deepEqual(codes(cut), ["node1 DUET-E-COROSYNC-SILENT"]);
});

test("nobody could be asked: status 3, and nothing is claimed", () => {
  const status = judge(fromSeat(unknown("no ssh on 192.0.2.11"), unknown("no ssh on 192.0.2.12")));
  assert.equal(status.whole, "unknown");
  assert.equal(exitOf(status), 3);
  assert.deepEqual(codes(status), ["shop DUET-E-STATUS-UNSURE"]);
  assert.ok(
    status.machines.every(({ etcd, lineage, corosync }) => !etcd.known && !lineage.known && !corosync.known),
  );
});

test("a person is called by the rule's own page; a refused fence is told while it is fresh", () => {
  const tie = { rule: "R-TIE", do: "needs-human", sentence: "both may have served", at_ms: now_ms };
  assert.deepEqual(codes(judge(fromMachine(wholeReport("node1", { said: { start: tie } })))), [
    "node1 R-TIE",
  ]);
  const refuse = (ago_ms: number) => ({
    ...wholeReport("node1").said,
    fence: { rule: "R-FENCE-LOOP", do: "refuse-fence", sentence: "for nothing", at_ms: now_ms - ago_ms },
  });
  assert.deepEqual(codes(judge(fromMachine(wholeReport("node1", { said: refuse(3_000) })))), [
    "node1 R-FENCE-LOOP",
  ]);
  assert.deepEqual(codes(judge(fromMachine(wholeReport("node1", { said: refuse(300_000) })))), []);
});

test("the last fence is the newest that anybody knows, and one under way is the last", () => {
  const mine = { by: "node1", target: "node2", at_ms: now_ms - 60_000, result: "success", why: "" } as const;
  const theirs = {
    by: "node2",
    target: "node1",
    at_ms: now_ms - 5_000,
    result: "failed",
    why: "no",
  } as const;
  const one = known(wholeReport("node1", { lastOff: known(mine) }));
  assert.deepEqual(valueOf(judge(fromSeat(one, known(wholeReport("node2")))).lastFence), mine);
  const cluster = valueOf(wholeReport("node2").pacemaker);
  assert.ok(cluster !== undefined);
  const two = (fences: typeof cluster.fences) =>
    known(wholeReport("node2", { pacemaker: known({ ...cluster, fences }) }));
  assert.deepEqual(valueOf(judge(fromSeat(one, two([theirs]))).lastFence), theirs);
  const pending = { ...theirs, at_ms: 0, result: "pending" } as const;
  assert.deepEqual(valueOf(judge(fromSeat(one, two([theirs, pending]))).lastFence), pending);
});

test("standby is told as such: nothing is started there, and what it said before is of another day", () => {
  const report = alone();
  const cluster = valueOf(report.pacemaker);
  assert.ok(cluster !== undefined);
  const standby = (etcd: Report["etcd"]) =>
    wholeReport("node2", {
      pacemaker: known({ ...cluster, nodes: { node1: "online", node2: "standby" } }),
      etcd,
      said: { start: { rule: "R-TIE", do: "needs-human", sentence: "of another day", at_ms: now_ms } },
    });
  const beside = judge(fromMachine(standby({ ...report.etcd, node2: unknown(refused) })));
  assert.equal(beside.whole, "1+0");
  assert.deepEqual(codes(beside), ["node2 DUET-E-STATUS-STANDBY"]);
  assert.match(beside.wrong[0]?.what ?? "", /node1 serves alone/);
  assert.match(beside.wrong[0]?.fix ?? "", /`duet unstandby node2`/);
  const away = standby({ node1: unknown("silent"), node2: unknown(refused) });
  const kept = judge(fromMachine(away)).wrong[0];
  assert.match(kept?.what ?? "", /node1 is not seen to serve/);
  assert.match(kept?.fix ?? "", /^`duet unstandby node2`: it was the last that served/);
  const held = valueOf(away.holding);
  assert.ok(held !== undefined && held !== null);
  const left = judge(fromMachine({ ...away, holding: known({ ...held, full: false, left: true }) })).wrong[0];
  assert.match(left?.fix ?? "", /^see to node1 first: what it acknowledged alone is only there/);
});

test("maintenance is the first thing that is told, and what is not tested is not called proven", () => {
  const report = wholeReport("node1");
  const cluster = valueOf(report.pacemaker);
  assert.ok(cluster !== undefined);
  const status = judge(fromMachine({ ...report, pacemaker: known({ ...cluster, maintenance: true }) }));
  assert.equal(status.whole, "1+1");
  assert.ok(status.maintenance);
  assert.deepEqual(codes(status), ["shop DUET-E-STATUS-MAINTENANCE"]);
  assert.match(
    status.sentence,
    /^both machines hold everything, but maintenance is on: nothing is watched, and if either is lost nobody serves$/,
  );
  assert.ok(status.fencing.every(({ proven }) => valueOf(proven) === null));
  assert.equal(exitOf(status), 1);
});

test("a machine that was uninstalled is not told to be away", () => {
  const status = judge(
    fromMachine(
      wholeReport("node1", {
        uninstalled: ["node2"],
        corosync: known({ quorate: true, members: ["node1"], waits: false }),
      }),
    ),
  );
  const codes = status.wrong.map(({ code }) => code);
  assert.ok(codes.includes("DUET-E-STATUS-UNINSTALLED"), codes.join());
  assert.ok(!codes.includes("DUET-E-STATUS-PEER-AWAY"), codes.join());
});
