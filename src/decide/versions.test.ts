import assert from "node:assert/strict";
import { test } from "node:test";
import { decide, judge } from "./decide.ts";
import { empty, type Facts, type Holding, type Peer, type Versions } from "./facts.ts";
import { here, lineage, voter } from "./testing-pair.ts";
import { all_lineages, holdings, older, ordinary, own_lineages, words } from "./model/product.ts";

const etcdOf = (versions: Partial<Versions>, more: Partial<Facts["etcd"]> = {}): Facts["etcd"] => ({
  ...ordinary.etcd,
  versions: { program: undefined, data: undefined, peer: undefined, cluster: undefined, ...versions },
  ...more,
});
const said = (facts: Facts, table: "start" | "fence" = "start"): string => {
  const { rule, decision } = decide(table, facts);
  return `${rule} ${decision.do}`;
};

test("an etcd older than the data is never started on it, and nobody is fenced for it, whatever both hold", (t) => {
  const starts = new Set([
    "start-plain",
    "follow-as-learner",
    "take-over",
    "resume-takeover",
    "prove-off",
    "may-fence",
  ]);
  const peers: readonly Peer[] = holdings(all_lineages).flatMap((each): Peer[] => [
    { seen: "before", facts: each },
    ...[true, false].flatMap((serving) =>
      [true, false].map((running) => here(each, { serving, running: serving || running })),
    ),
  ]);
  let count = 0;
  const rules = new Set<string>();
  for (const self of holdings(own_lineages))
    for (const peer of [{ seen: "never" } as const, ...peers])
      for (const word of self.data ? words.slice(0, 1) : []) {
        count++;
        const facts: Facts = { ...ordinary, self, peer, word, proof: "off", etcd: older };
        for (const table of ["start", "takeover", "fence"] as const) {
          const { decision, decider } = judge(table, facts);
          if (starts.has(decision.do))
            assert.fail(`${table}: ${decider.id} ${decision.do}: ${JSON.stringify(facts)}`);
          if (decider.id === "R-OLD-ETCD-GIVE-UP")
            assert.ok(peer.seen === "now" && peer.running && !peer.serving && peer.facts?.full !== undefined);
          rules.add(decider.id);
        }
      }
  for (const id of ["R-OLD-ETCD", "R-OLD-ETCD-ALONE", "R-OLD-ETCD-GIVE-UP"]) assert.ok(rules.has(id), id);
  t.diagnostic(`${count} combinations`);
});

test("only the first two numbers count, and only where both are known", () => {
  const pair = { ...ordinary, self: voter, peer: here(voter, { running: false }) };
  for (const [program, data, rule] of [
    ["3.5.33", "3.6.0", "R-OLD-ETCD needs-human"],
    ["3.9.1", "3.10.0", "R-OLD-ETCD needs-human"],
    ["3.6.0", "4.0.0", "R-OLD-ETCD needs-human"],
    ["3.6.0-rc.1", "3.7.0", "R-OLD-ETCD needs-human"],
    ["3.6.0", "3.6.16", "R-BOTH-VOTERS start-plain"],
    ["3.6.16", "3.5.0", "R-BOTH-VOTERS start-plain"],
    ["3.10.0", "3.9.0", "R-BOTH-VOTERS start-plain"],
    [undefined, "3.6.0", "R-BOTH-VOTERS start-plain"],
    ["3.5.16", undefined, "R-BOTH-VOTERS start-plain"],
    ["podman 5", "3.6.0", "R-BOTH-VOTERS start-plain"],
  ] as const)
    assert.equal(said({ ...pair, etcd: etcdOf({ program, data }) }), rule, `${program} on ${data}`);
  assert.equal(
    decide("start", { ...pair, etcd: older }).sentence,
    "the etcd that is installed on a is 3.5.33, and its data is of 3.6: an older one is never started on it, and nothing was touched; install etcd 3.6 or later on a, and it goes on by itself",
  );
});

test("a peer that runs and needs this machine's vote gets its data given up; one that serves, or has its own trouble, does not", () => {
  const facts = (peer: Peer, self = voter): Facts => ({ ...ordinary, self, peer, etcd: older });
  assert.equal(said(facts(here(voter))), "R-OLD-ETCD-GIVE-UP surrender");
  assert.equal(said(facts(here(voter, { running: false }))), "R-OLD-ETCD needs-human");
  assert.equal(said(facts(here(voter, { leaving: true }))), "R-OLD-ETCD needs-human");
  assert.equal(said(facts(here({ ...voter, full: false }))), "R-OLD-ETCD needs-human");
  const learner: Holding = { ...voter, standing: "learner", full: false };
  for (const serving of [true, false])
    assert.equal(said(facts(here(voter, { serving }), learner)), "R-OLD-ETCD needs-human");
});

test("an etcd that runs goes on, whatever lies on the disk by now; but it is not ended for a takeover", () => {
  const running = { ...older, running: true, leader: true };
  const pair: Facts = { ...ordinary, self: voter, peer: here(voter, { serving: true }), etcd: running };
  assert.equal(said(pair), "R-RUNNING serve-as-is");
  const waits = { ...pair, peer: here(voter), etcd: { ...running, leader: false } };
  assert.equal(said(waits), "R-BOTH-VOTERS start-plain");
  const lost: Facts = { ...waits, peer: { seen: "before", facts: voter }, proof: "off" };
  assert.equal(said(lost), "R-OLD-ETCD-ALONE needs-human");
  assert.equal(said({ ...lost, proof: "none" }, "fence"), "R-OLD-ETCD-ALONE refuse-fence");
  assert.equal(said({ ...lost, etcd: { ...lost.etcd, versions: undefined } }), "R-TAKE-OVER take-over");
});

test("a joiner that the cluster would not let in, or that it would mislead, says so before it moves anything", () => {
  const serving = here({ ...voter, soleVoter: true }, { serving: true });
  const gaveUp = { ...voter, surrendered: 5 };
  for (const self of [empty, gaveUp, { ...voter, standing: "removed", removalInLog: true } as const]) {
    const by = (versions: Partial<Versions>): string =>
      said({ ...ordinary, self, peer: serving, etcd: etcdOf(versions) }).replace(/-AFTER-GIVING-UP/, "");
    const cluster = "3.6.0";
    assert.equal(by({ program: "3.5.33", peer: "3.6.16", cluster }), "R-OLD-ETCD-JOIN needs-human");
    assert.equal(by({ program: "3.6.1", peer: "3.6.16", cluster }), "R-JOIN join-as-learner");
    assert.equal(by({ program: "3.7.0", peer: "3.6.16", cluster }), "R-JOIN join-as-learner");
    assert.equal(by({ program: undefined, peer: "3.6.16", cluster }), "R-JOIN join-as-learner");
    const before = "3.5.0";
    assert.equal(by({ program: "3.6.16", peer: "3.5.25", cluster: before }), "R-NEW-ETCD-JOIN needs-human");
    assert.equal(by({ program: "3.6.16", peer: "3.5.26", cluster: before }), "R-JOIN join-as-learner");
    assert.equal(by({ program: "3.5.33", peer: "3.5.16", cluster: before }), "R-JOIN join-as-learner");
    assert.equal(by({ program: "3.5.16", peer: "3.6.16", cluster: before }), "R-JOIN join-as-learner");
    assert.equal(by({ program: undefined, peer: "3.5.16", cluster: before }), "R-JOIN join-as-learner");
  }
});

test("a learner whose etcd is not running does not go on with one that its peer would mislead", () => {
  const learner: Holding = { ...empty, data: true, standing: "learner", lineage };
  const peer = here({ ...voter, soleVoter: true }, { serving: true });
  const by = (program: string, running: boolean): string =>
    said({ ...ordinary, self: learner, peer, etcd: etcdOf({ program, peer: "3.5.16" }, { running }) });
  assert.equal(by("3.6.16", false), "R-NEW-ETCD-JOIN needs-human");
  assert.equal(by("3.6.16", true), "R-LEARNER follow-as-learner");
  assert.equal(by("3.5.33", false), "R-LEARNER follow-as-learner");
});

test("what else is wrong with a joiner is told first", () => {
  const old = etcdOf({ program: "3.5.33", peer: "3.6.16", cluster: "3.6.0" });
  const tied = here({ ...voter, lineage: { epoch: 5, owner: "b" } }, { serving: true });
  assert.equal(said({ ...ordinary, self: voter, peer: tied, etcd: old }), "R-TIE needs-human");
});
