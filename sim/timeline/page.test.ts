import assert from "node:assert/strict";
import { test } from "node:test";
import { escape } from "./escape.ts";
import { scaleOf } from "./page-scale.ts";
import { pageOf } from "./page.ts";
import type { Story } from "./story.ts";

const hostile = `<img src=x onerror="alert('1')">&`;
const story: Story = {
  zero_us: 10_000_000,
  end_us: 60_000_000,
  setting: hostile,
  blows: [{ at_us: 10_000_000, text: hostile }],
  besides: [hostile],
  moments: [
    { at_us: 10_000_000, lane: "between", kind: "storm", sort: "fault", level: 0, text: hostile },
    { at_us: 12_000_000, lane: 1, kind: "duet.rule", sort: "rule", level: 1, text: hostile, rule: hostile },
    {
      at_us: 13_000_000,
      lane: 0,
      kind: "duet.step",
      sort: "step",
      level: 2,
      text: hostile,
      more: [hostile, hostile],
    },
  ],
  acks: [{ at_us: 11_000_000, machine: 0 }],
  spans: [{ row: "etcd0", state: "leads", from_us: 9_000_000, to_us: 20_000_000, text: hostile }],
  broken: { check: hostile, promise: hostile, what: hostile, at_us: 60_000_000 },
  events: 7,
};
const about = {
  seed: 1,
  plant: { name: hostile, sentence: hostile },
  choices: 2,
  shrunk: true,
  again: [hostile],
};

test("nothing of a story becomes markup", () => {
  const page = pageOf(story, about);
  assert.equal(page.includes("<img"), false);
  assert.ok(page.includes("&lt;img src=x onerror=&quot;alert(&#39;1&#39;)&quot;&gt;&amp;"));
  assert.equal(escape(`&<>"'`), "&amp;&lt;&gt;&quot;&#39;");
});

test("the page needs nothing from anywhere, and forbids it", () => {
  const page = pageOf(story, about);
  assert.doesNotMatch(page, /https?:|@import|url\(|<link|src="/);
  assert.match(page, /default-src 'none'/);
  assert.match(page, /prefers-color-scheme: dark/);
});

test("a run without faults or violation has a page too", () => {
  const page = pageOf(
    { ...story, zero_us: 0, blows: [], broken: undefined, moments: [], spans: [], acks: [] },
    about,
  );
  assert.match(page, /breaks nothing/);
});

test("times keep their order on the scale, and a quiet stretch is pressed together", () => {
  const scale = scaleOf([1e6, 2e6, 50e6], { from_us: 0, to_us: 52e6, left: 100, right: 700 });
  const places = [0, 1e6, 2e6, 26e6, 50e6, 52e6].map((at_us) => scale.x(at_us));
  assert.deepEqual(
    places,
    places.toSorted((a, b) => a - b),
  );
  assert.equal(places[0], 100);
  assert.equal(places.at(-1), 700);
  assert.deepEqual(
    scale.breaks.map(({ seconds }) => seconds),
    [48],
  );
  assert.ok((scale.breaks[0]?.to ?? 0) - (scale.breaks[0]?.from ?? 0) < 250);
});
