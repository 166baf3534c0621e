import assert from "node:assert/strict";
import { test } from "node:test";
import { type Answer, adminWords, standsForOff } from "./admin.ts";
import { drawWords } from "./draw-words.ts";
import { draw } from "./draw.ts";
import type { Stamp, Told } from "./entry.ts";
import { failovers, storyOf } from "./failover.ts";
import { eventAt } from "./testing.ts";

const said = (
  machine: string,
  mono_ms: number,
  text: string,
  answer: Answer | undefined = { outcome: "accepted" },
  more: Partial<Stamp> = {},
): Told =>
  eventAt(
    machine,
    mono_ms,
    "admin",
    { who: "root (from 192.0.2.7, at a terminal)", said: text, shown: "tag of b: epoch 7 of b", ...answer },
    more,
  );
const refused: Answer = {
  outcome: "refused",
  code: "DUET-E-CONFIRM-REFUSED",
  why: "a: R-NEWER-TAG: a tag names epoch 7, and a holds epoch 5",
};
const words = (...entries: readonly Told[]) => [...adminWords(entries).values()];
const old = (text: string): Told => eventAt("a", 1, "admin", { who: "root", said: text, shown: "" });

test("a word is told with who, what was said, what became of it, and what was shown", () => {
  assert.deepEqual(words(eventAt("a", 0, "1+1"), said("a", 1_000, "duet confirm-peer-down", refused)), [
    {
      at: "2026-01-01T00:00:01.000Z",
      machine: "a",
      who: "root (from 192.0.2.7, at a terminal)",
      said: "duet confirm-peer-down",
      ...refused,
      shown: "tag of b: epoch 7 of b",
    },
  ]);
});

test("a word that was not needed stands for nothing", () => {
  const [word] = words(said("a", 1_000, "duet confirm-peer-down", { outcome: "serves already" }));
  assert.ok(word !== undefined && !standsForOff(word));
  assert.equal(word.outcome, "serves already");
  assert.match(drawWords([word], 0, 120), /→ not needed: the machine served already$/m);
});

test("what an accepted word came to is told with it, if the same process said that", () => {
  const end: Answer = { outcome: "not done", code: "DUET-E-CONFIRM-STILL-ON", why: "b: it says On" };
  const begun = said("a", 1_000, "duet confirm-peer-down");
  const ended = (pid: number) => said("a", 9_000, "duet confirm-peer-down", end, { pid });
  const [word, ...more] = words(begun, ended(1));
  assert.deepEqual(more, []);
  assert.deepEqual(
    [word?.at, word?.outcome, word?.code, word?.shown],
    ["2026-01-01T00:00:01.000Z", "not done", "DUET-E-CONFIRM-STILL-ON", "tag of b: epoch 7 of b"],
  );
  assert.deepEqual(
    words(begun, ended(2)).map(({ outcome }) => outcome),
    ["accepted", "not done"],
    "its beginning may be in a file that is gone",
  );
});

test("records of before the outcome was told by itself are read as they were written", () => {
  const read = (text: string) => words(old(text)).map(({ said, outcome, why }) => [said, outcome, why]);
  assert.deepEqual(
    [
      "duet confirm-peer-down (refused by R-NEWER-TAG)",
      "duet confirm-peer-down (refused: b is here)",
      "duet choose-data a (refused)",
      "duet confirm-peer-down (7 was accepted before) (not confirmed)",
      "duet confirm-peer-down (7 was accepted before)",
    ].flatMap(read),
    [
      ["duet confirm-peer-down", "refused", "R-NEWER-TAG"],
      ["duet confirm-peer-down", "refused", "b is here"],
      ["duet choose-data a", "refused", undefined],
      ["duet confirm-peer-down (7 was accepted before)", "not confirmed", undefined],
      ["duet confirm-peer-down (7 was accepted before)", "accepted", undefined],
    ],
  );
});

test("only an accepted word on the peer's power stands in for a proof of Off", () => {
  const stands = (text: string, answer?: Answer) => words(said("a", 1, text, answer)).map(standsForOff);
  assert.deepEqual(stands("duet confirm-peer-down --accept-data-loss 7"), [true]);
  assert.deepEqual(stands("duet confirm-peer-down", { outcome: "not done", code: "DUET-E-ADMIN-NOT-YET" }), [
    true,
  ]);
  assert.deepEqual(
    stands("duet confirm-peer-down", { outcome: "not done", code: "DUET-E-CONFIRM-STILL-ON" }),
    [false],
  );
  assert.deepEqual(stands("duet confirm-peer-down", refused), [false]);
  assert.deepEqual(stands("duet confirm-peer-down", { outcome: "not confirmed" }), [false]);
  assert.deepEqual(stands("credentials rotate node2"), [false]);
});

/** a loses b at 100 s, and both are whole again at 140 s. */
const failover: readonly Told[] = [
  eventAt("a", 10_000, "1+1"),
  eventAt("a", 100_000, "peer lost", { ring: "7" }),
  eventAt("a", 101_200, "takeover begins", { epoch: 6 }),
  eventAt("a", 102_100, "takeover ends", { epoch: 6 }),
  eventAt("a", 130_000, "peer back"),
  eventAt("a", 140_000, "1+1"),
  eventAt("a", 900_000, "etcd stopped"),
];

test("a word belongs to the failover from shortly before the loss until both are whole again; every other to none", () => {
  const entries = [
    ...failover,
    said("a", 20_000, "in peace"),
    said("a", 95_000, "fence-test b --disruptive"),
    said("a", 100_500, "duet confirm-peer-down", refused),
    said("a", 200_000, "credentials rotate b"),
  ];
  const story = storyOf(entries, 1);
  assert.deepEqual(
    story.failovers[0]?.words.map(({ at_ms, said: text }) => [at_ms, text]),
    [
      [-5_000, "fence-test b --disruptive"],
      [500, "duet confirm-peer-down"],
    ],
  );
  assert.deepEqual(
    story.words.map(({ said: text }) => text),
    ["in peace", "credentials rotate b"],
  );
  assert.equal(
    story.failovers[0]?.phases.find(({ name }) => name === "Off confirmed")?.note,
    undefined,
    "what was refused stood in for nothing",
  );
});

test("a word of a failover that is not asked for is not told as one of none", () => {
  const later = failover
    .slice(1)
    .map((entry) => ({ ...entry, mono_ms: entry.mono_ms + 1_000_000, at: "2026-01-01T01:00:00.000Z" }));
  const entries = [...failover, ...later, said("a", 100_500, "duet confirm-peer-down")];
  assert.equal(failovers(entries, 2).length, 2);
  const { failovers: shown, words: outside } = storyOf(entries, 1);
  assert.deepEqual([shown.length, shown[0]?.words, outside], [1, [], []]);
});

test("a machine that lost nobody and took nothing over still tells the words that were refused there, the newest last", () => {
  const entries = Array.from({ length: 12 }, (_, index) =>
    said("b", 40_000 - index * 1_000, `duet confirm-peer-down --accept-data-loss ${index}`, refused),
  );
  const { failovers: none, words: outside, words_more } = storyOf(entries, 1);
  assert.deepEqual([none, outside.length, words_more], [[], 10, 2]);
  assert.match(outside.at(-1)?.said ?? "", / 0$/);
  assert.equal(outside.at(-1)?.shown, "tag of b: epoch 7 of b");
  const text = drawWords(outside.slice(-1), 11, 120);
  assert.deepEqual(text.split("\n"), [
    "Said by an admin, outside any failover (UTC, by the clock of the machine):",
    "                     … 11 earlier",
    "2026-01-01 00:00:40  b  root (from 192.0.2.7, at a terminal): duet confirm-peer-down --accept-data-loss 0",
    "                        → refused (DUET-E-CONFIRM-REFUSED): a: R-NEWER-TAG: a tag names epoch 7, and a holds epoch 5",
    "",
  ]);
  assert.equal(drawWords([], 0, 80), "");
});

test("words in a picture fit its width, and a long reason is cut after two lines", () => {
  const why = "a: R-LONG: ".concat("a sentence that does not end ".repeat(20));
  const entries = [...failover, said("a", 100_500, "duet confirm-peer-down", { ...refused, why })];
  const [found] = failovers(entries, 1);
  assert.ok(found !== undefined);
  const lines = draw(found, { columns: 80, bold: (text) => text }).split("\n");
  for (const line of lines) assert.ok(line.length <= 80, line);
  const from = lines.indexOf("Said by an admin:");
  const to = lines.indexOf("", from);
  assert.equal(to - from - 1, 3, lines.slice(from, to).join("\n"));
  assert.match(lines[to - 1] ?? "", /…$/);
});
