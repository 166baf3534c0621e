import assert from "node:assert/strict";
import { test } from "node:test";
import type { Verdict } from "../../decide/decide.ts";
import type { Event } from "./event.ts";
import { tellDark, telling, tellVerdict } from "./listen.ts";

const machines = { me: "node1", peer: "node2" };

test("of what the recorder writes, the takeover, 1+1 and the surrender are told", () => {
  const told: Omit<Event, "at_ms">[] = [];
  const hear = telling({ ...machines, by: "agent" }, (event) => void told.push(event));
  for (const event of ["peer lost", "takeover begins", "1+1", "full", "off commanded"] as const)
    hear(event, {});
  hear("takeover ends", { epoch: 4 });
  hear("surrendered", { epoch: 5 });
  assert.deepEqual(told, [
    { kind: "whole" },
    { kind: "takeover", about: "node1", epoch: 4 },
    { kind: "surrendered", about: "node1", epoch: 5 },
  ]);
});

test("a fence of duet's own is told, done or failed; of one that Pacemaker asked for, Pacemaker tells", () => {
  for (const by of ["agent", "guard", "command", "fence"] as const) {
    const told: Omit<Event, "at_ms">[] = [];
    const hear = telling({ ...machines, by }, (event) => void told.push(event));
    hear("fence asked", { of: "node2" });
    hear("fence failed", { of: "node2", why: "the fence: no answer" });
    hear("off confirmed", { ring: "1.d" });
    const fence = { about: "node2", by: "node1" };
    const own = [
      { kind: "fence-failed", ...fence, why: "the fence: no answer" },
      { kind: "fence-done", ...fence, ring: "1.d" },
    ];
    assert.deepEqual(told, by === "fence" ? [] : own, by);
  }
});

test("a machine that left in order and went off by itself was switched off by nobody", () => {
  const told: string[] = [];
  const hear = telling({ ...machines, by: "agent" }, ({ kind }) => void told.push(kind));
  hear("off confirmed", { ring: "1.d", went_off: true });
  assert.deepEqual(told, []);
});

test("that the peer ran on while it was read Off is told, whichever part heard it", () => {
  for (const by of ["agent", "fence"] as const) {
    const told: Omit<Event, "at_ms">[] = [];
    telling({ ...machines, by }, (event) => void told.push(event))("false off", { of: "node2", ring: "1.d" });
    assert.deepEqual(told, [{ kind: "false-off", about: "node2", by: "node1" }]);
  }
});

test("a rule that calls a human is told once for as long as it stays the answer", () => {
  const told: (string | undefined)[] = [];
  let last: { rule: string; do: string; sentence: string; at_ms: number } | undefined;
  const decide = (rule: string, deed: "needs-human" | "wait" | "stop-and-alarm") => {
    const verdict: Verdict = { rule, path: [rule], decision: { do: deed }, sentence: `${rule} says so` };
    tellVerdict(
      "node1",
      "start",
      verdict,
      { all: () => (last === undefined ? {} : { start: last }) },
      (event) => told.push(event.rule),
    );
    last = { rule, do: deed, sentence: verdict.sentence, at_ms: 0 };
  };
  decide("R-TAGS-UNREAD", "needs-human");
  decide("R-TAGS-UNREAD", "needs-human");
  decide("R-PEER-ON", "wait");
  decide("R-TAGS-UNREAD", "needs-human");
  decide("R-TAGS-CLAIM", "stop-and-alarm");
  assert.deepEqual(told, ["R-TAGS-UNREAD", "R-TAGS-UNREAD", "R-TAGS-CLAIM"]);
});

test("who is to serve alone and can't come to it calls a human, with the page that says why; who has its peer does not", () => {
  const told: Omit<Event, "at_ms">[] = [];
  const dark = (verdict: Pick<Verdict, "decision" | "rule"> | undefined, peerIsHere: boolean): boolean =>
    tellDark("node1", verdict, peerIsHere, "neither BMC took the tag", (event) => void told.push(event));
  const takeover = { rule: "R-TAKE-OVER", decision: { do: "take-over", epoch: 6 } } as const;
  const again = { rule: "R-ALONE-AGAIN", decision: { do: "start-plain" } } as const;
  assert.equal(dark(undefined, false), false);
  assert.equal(dark(again, true), false, "it starts beside its peer");
  assert.equal(dark({ rule: "R-JOIN", decision: { do: "join-as-learner" } }, true), false, "the peer serves");
  assert.equal(
    dark({ rule: "R-NO-PROOF", decision: { do: "wait" } }, false),
    false,
    "rules call for themselves",
  );
  assert.deepEqual(told, []);
  assert.equal(dark(takeover, false), true);
  assert.equal(dark(takeover, true), true, "the peer gave its data up");
  assert.equal(dark(again, false), true);
  assert.deepEqual(told[0], {
    kind: "human-needed",
    about: "node1",
    why: "it is to serve alone (R-TAKE-OVER), and has not come to it for minutes: neither BMC took the tag",
    rule: "DUET-E-STATUS-UNFINISHED",
  });
});
