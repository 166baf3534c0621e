import assert from "node:assert/strict";
import { test } from "node:test";
import type { Verdict } from "../../decide/decide.ts";
import type { Event } from "./event.ts";
import { telling, tellVerdict } from "./listen.ts";

test("of what the recorder writes, the takeover, 1+1 and the surrender are told", () => {
  const told: Omit<Event, "at_ms">[] = [];
  const hear = telling("node1", (event) => void told.push(event));
  for (const event of ["peer lost", "takeover begins", "1+1", "full", "off confirmed"] as const)
    hear(event, {});
  hear("takeover ends", { epoch: 4 });
  hear("surrendered", { epoch: 5 });
  assert.deepEqual(told, [
    { kind: "whole" },
    { kind: "takeover", about: "node1", epoch: 4 },
    { kind: "surrendered", about: "node1", epoch: 5 },
  ]);
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
