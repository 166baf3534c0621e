import assert from "node:assert/strict";
import { test } from "node:test";
import {
  changedTaints,
  isAwaited,
  outOfService,
  shunned,
  type Taint,
  taintDeeds,
  taintedBy,
  type TaintSight,
} from "./taint.ts";

type Self = NonNullable<TaintSight["self"]>;
const lineage = { epoch: 4, owner: "node1" };
const serving: Self = { lineage, full: true, takeover: undefined, left: false, surrendered: undefined };

const selves: readonly (readonly [serves: boolean, self: TaintSight["self"]])[] = [
  [true, serving],
  [true, { ...serving, takeover: { step: "abandoned", epoch: 5 } }],
  [false, undefined],
  [false, { ...serving, lineage: undefined }],
  [false, { ...serving, full: false }],
  [false, { ...serving, takeover: { step: "intent", epoch: 5 } }],
  [false, { ...serving, takeover: { step: "served", epoch: 4 } }],
  [false, { ...serving, left: true }],
  [false, { ...serving, surrendered: 5 }],
];
const peers: readonly (readonly [whole: boolean, peer: TaintSight["peer"]])[] = [
  [true, { lineage, full: true }],
  [false, undefined],
  [false, { lineage, full: false }],
  [false, { lineage: undefined, full: true }],
  [false, { lineage: { epoch: 3, owner: "node1" }, full: true }],
  [false, { lineage: { epoch: 4, owner: "node2" }, full: true }],
];
const bools = [true, false] as const;
const maybe = [true, false, undefined] as const;
const taintedness = [...maybe, "foreign", "absent"] as const;

test("every sight there is: the taint comes with a proven Off and nothing else, and goes at 1+1 and not before", () => {
  let put = 0;
  let removed = 0;
  for (const [serves, self] of selves)
    for (const peerHere of maybe)
      for (const [full, peer] of peers)
        for (const offProven of bools)
          for (const theirs of taintedness)
            for (const own of taintedness) {
              const sight = { self, peerHere, peer, offProven, tainted: { own, peer: theirs } };
              const deeds = taintDeeds(sight);
              const said = JSON.stringify(sight);
              const of = (node: "own" | "peer") => deeds.filter((deed) => deed.node === node);
              assert.ok(of("own").length <= 1 && of("peer").length <= 1, said);
              if (!serves) assert.deepEqual(deeds, [], said);
              for (const deed of deeds) {
                if (deed.do === "put") {
                  put++;
                  assert.ok(deed.node === "peer" && theirs === false, said);
                  assert.ok(serves && peerHere === false && offProven, said);
                }
                if (deed.do === "remove") {
                  removed++;
                  assert.equal(deed.node === "peer" ? theirs : own, true, said);
                  if (deed.node === "peer") assert.ok(peerHere === true && full, said);
                }
                if (deed.do === "look") assert.equal(deed.node === "peer" ? theirs : own, undefined, said);
              }
              // And nothing that is due is left out.
              const isOff = peerHere === false && offProven;
              const isWhole = peerHere === true && full;
              const changes = (is: (typeof taintedness)[number]) => is !== "absent" && is !== "foreign";
              const [there, here] = [changes(theirs), changes(own)];
              if (!there) assert.deepEqual(of("peer"), [], said);
              if (serves && isOff && there && theirs !== true) assert.equal(of("peer").length, 1, said);
              if (serves && isWhole && there && theirs !== false) assert.equal(of("peer").length, 1, said);
              assert.equal(isAwaited(sight), isOff && there && theirs !== true, said);
              // Of somebody else's only what keeps pods from a machine in service is worth a word.
              const foreign = [
                own === "foreign" ? ["own"] : [],
                theirs === "foreign" && isWhole ? ["peer"] : [],
              ];
              assert.deepEqual(shunned(sight), serves ? foreign.flat() : [], said);
              if (serves && !isOff && !isWhole) assert.deepEqual(of("peer"), [], said);
              if (serves) assert.equal(of("own").length, own === false || !here ? 0 : 1, said);
            }
  assert.ok(put > 0 && removed > 0);
});

test("done is done: after each deed the same sight wants no more of it", () => {
  for (const peerHere of bools)
    for (const deed of taintDeeds({
      self: serving,
      peerHere,
      peer: { lineage, full: true },
      offProven: !peerHere,
      tainted: { own: false, peer: peerHere },
    })) {
      const after = { own: false, peer: deed.do === "put" };
      const sight = {
        self: serving,
        peerHere,
        peer: { lineage, full: true },
        tainted: after,
      };
      assert.deepEqual(taintDeeds({ ...sight, offProven: !peerHere }), []);
    }
});

const others: readonly (Taint & { readonly timeAdded?: string })[] = [
  { key: "node.kubernetes.io/unreachable", effect: "NoExecute", timeAdded: "2026-11-16T12:00:00Z" },
  { key: "node.kubernetes.io/out-of-service", value: "nodeshutdown", effect: "NoSchedule" },
  { key: "dedicated", value: "nodeshutdown", effect: "NoSchedule" },
];

test("of a machine's other taints none is touched, and ours is there once or not at all", () => {
  assert.equal(taintedBy(others), false);
  const put = changedTaints(others, "put");
  assert.deepEqual(put, [...others, outOfService]);
  assert.equal(taintedBy(put), true);
  assert.deepEqual(changedTaints(put, "put"), put);
  assert.deepEqual(changedTaints(put, "remove"), others);
  assert.deepEqual(changedTaints(others, "remove"), others);
});

test("one of ours' key and effect with another value, or none, is somebody else's, and leaves no place for ours", () => {
  for (const value of [{ value: "burnt" }, {}]) {
    const foreign = [...others, { key: outOfService.key, effect: outOfService.effect, ...value }];
    assert.equal(taintedBy(foreign), "foreign");
    assert.deepEqual(changedTaints(foreign, "put"), foreign);
    assert.deepEqual(changedTaints(foreign, "remove"), foreign);
  }
});
