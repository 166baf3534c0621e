import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { run } from "../../src/machine/process.ts";
import { Progress } from "../../src/machine/progress.ts";
import { ensureClients } from "./program.ts";
import { readVerdict, type Verdict } from "./status.ts";

/** The judge itself: small histories with one thing wrong each, and sound ones that look odd. */
const program = await ensureClients(new Progress());
const scratch = await mkdtemp(join(tmpdir(), "duet-check-"));
after(() => rm(scratch, { recursive: true }));

interface Line {
  readonly kind: "put" | "create" | "swap" | "read" | "stale";
  /** Begin and end, in microseconds. */
  readonly at: readonly [number, number];
  readonly outcome?: "ok" | "failed" | "open";
  readonly key?: string;
  readonly value?: string;
  readonly expected?: number;
  readonly swapped?: boolean;
  readonly revision?: number;
  readonly seen?: readonly [string, number];
}

function written(
  { at: [call_us, return_us], outcome = "ok", key = "k", seen, ...rest }: Line,
  id: number,
): string {
  const saw = seen === undefined ? {} : { seen: seen[0], seen_revision: seen[1] };
  return JSON.stringify({
    id,
    client: id,
    endpoint: "node1",
    call_us,
    return_us,
    outcome,
    key,
    ...rest,
    ...saw,
  });
}

async function judge(lines: readonly Line[], ...more: readonly string[]): Promise<Verdict> {
  const history = join(scratch, "history.jsonl");
  const end = JSON.stringify({ end: true, operations: lines.length });
  await writeFile(history, `${[...lines.map((line, i) => written(line, i + 1)), end].join("\n")}\n`);
  const picture = join(scratch, "violation.html");
  await rm(picture, { force: true });
  const { stdout, status } = await run(
    [program, "check", "-history", history, "-picture", picture, ...more],
    {
      accept: [0, 1],
    },
  );
  const verdict = readVerdict(stdout);
  assert.equal(status, verdict.ok ? 0 : 1);
  return verdict;
}

const sound: readonly Line[] = [
  { kind: "put", value: "a", at: [0, 10], revision: 2 },
  { kind: "swap", value: "b", at: [20, 30], expected: 2, swapped: true, revision: 3 },
  { kind: "swap", value: "c", at: [25, 35], expected: 2, revision: 3, seen: ["b", 3] },
  { kind: "read", at: [40, 50], revision: 3, seen: ["b", 3] },
  { kind: "create", key: "own", value: "d", at: [45, 55], revision: 4 },
];

test("a sound history passes, also with writes that nobody answered", async () => {
  assert.deepEqual((await judge(sound)).problems, []);
  // One happened long after its client gave up, one was refused, one was never seen again.
  const odd: readonly Line[] = [
    ...sound,
    { kind: "put", value: "late", at: [60, 70], outcome: "open" },
    { kind: "put", value: "never", at: [60, 70], outcome: "open" },
    { kind: "put", value: "refused", at: [60, 70], outcome: "failed" },
    { kind: "read", at: [80, 90], revision: 4, seen: ["b", 3] },
    { kind: "read", at: [100, 110], revision: 5, seen: ["late", 5] },
    { kind: "stale", at: [120, 130], revision: 3, seen: ["b", 3] },
  ];
  const { problems, open, open_seen } = await judge(odd);
  assert.deepEqual([problems, open, open_seen], [[], 2, 1]);
});

test("two writes at once may come in either order, as their revisions say", async () => {
  const lines: readonly Line[] = [
    { kind: "put", value: "a", at: [0, 100], revision: 3 },
    { kind: "put", value: "b", at: [0, 100], revision: 2 },
    { kind: "read", at: [110, 120], revision: 3, seen: ["a", 3] },
  ];
  assert.deepEqual((await judge(lines)).problems, []);
});

const wrong: readonly { readonly what: string; readonly lines: readonly Line[]; readonly says: RegExp }[] = [
  {
    what: "an acknowledged write is lost",
    lines: [
      { kind: "put", value: "a", at: [0, 10], revision: 2 },
      { kind: "put", value: "b", at: [20, 30], revision: 3 },
      { kind: "read", at: [40, 50], revision: 3, seen: ["a", 2] },
    ],
    says: /history of k is not linearizable/,
  },
  {
    what: "an acknowledged write is lost, and its revision is given to another",
    lines: [
      { kind: "put", value: "a", at: [0, 10], revision: 2 },
      { kind: "put", key: "other", value: "b", at: [20, 30], revision: 2 },
    ],
    says: /two datasets: revision 2/,
  },
  {
    what: "a linearizable read is stale",
    lines: [...sound, { kind: "read", at: [60, 70], revision: 4, seen: ["a", 2] }],
    says: /history of k is not linearizable/,
  },
  {
    what: "a key that was created is not there",
    lines: [...sound, { kind: "read", key: "own", at: [60, 70], revision: 4 }],
    says: /history of own is not linearizable/,
  },
  {
    what: "a write that happened is undone",
    lines: [
      { kind: "put", value: "a", at: [0, 10], revision: 2 },
      { kind: "put", value: "b", at: [20, 30], outcome: "open" },
      { kind: "read", at: [40, 50], revision: 3, seen: ["b", 3] },
      { kind: "read", at: [60, 70], revision: 3, seen: ["a", 2] },
    ],
    says: /history of k is not linearizable/,
  },
  {
    what: "two clients swap the same value",
    lines: [
      { kind: "put", value: "a", at: [0, 10], revision: 2 },
      { kind: "swap", value: "b", at: [20, 30], expected: 2, swapped: true, revision: 3 },
      { kind: "swap", value: "c", at: [40, 50], expected: 2, swapped: true, revision: 4 },
    ],
    says: /history of k is not linearizable/,
  },
  {
    what: "another key shows that revisions went back",
    lines: [...sound, { kind: "read", key: "empty", at: [60, 70], revision: 3 }],
    says: /revisions went back: operation 6/,
  },
  {
    what: "a write that was refused is there",
    lines: [
      { kind: "put", value: "a", at: [0, 10], outcome: "failed" },
      { kind: "read", at: [20, 30], revision: 2, seen: ["a", 2] },
    ],
    says: /a write that was refused/,
  },
  {
    what: "a stale read shows what nobody wrote",
    lines: [...sound, { kind: "stale", at: [60, 70], revision: 9, seen: ["z", 9] }],
    says: /which nobody had written/,
  },
];

for (const { what, lines, says } of wrong)
  test(`found: ${what}`, async () => {
    const { ok, problems, picture } = await judge(lines);
    assert.equal(ok, false);
    assert.match(problems.join("\n"), says);
    if (/not linearizable/.test(problems.join("")))
      assert.match(await readFile(picture ?? "", "utf8"), /<svg|<html/i);
  });

test("a history that was cut off is refused, not judged", async () => {
  const history = join(scratch, "cut.jsonl");
  await writeFile(history, `${sound.map((line, i) => written(line, i + 1)).join("\n")}\n`);
  const { status, stderr } = await run([program, "check", "-history", history], { accept: "any" });
  assert.equal(status, 3);
  assert.match(stderr, /cut off/);
});

/** Writes one after the other by each of so many clients, from `from` to `to`, each of 1 ms. */
function busy(clients: number, from: number, to: number): Line[] {
  const lines: Line[] = [];
  for (let client = 0; client < clients; client += 1)
    for (let at = from; at < to; at += 1_000) {
      // Each answer is at a moment of its own, as their revisions are.
      const [begin, end] = [at + client, at + 1_000 + client] as const;
      lines.push({ kind: "create", key: `k${client}/${at}`, value: `v${client}/${at}`, at: [begin, end] });
    }
  lines.sort((a, b) => a.at[1] - b.at[1]);
  return lines;
}

async function flightOf(lines: readonly Line[], wanted: number) {
  const { flight } = await judge(
    lines.map((line, i) => (line.outcome === undefined ? { ...line, revision: i + 2 } : line)),
    "-flight",
    String(wanted),
  );
  return flight ?? assert.fail("the judge told nothing of what was in flight");
}

test("in flight: how many, for how much of the time, and the least", async () => {
  // Four at once, less the one that has just ended and is about to send its next.
  const four = await flightOf(busy(4, 0, 100_000), 4);
  assert.deepEqual([four.held_us, four.fewest], [four.owed_us, 3]);
  assert.ok(four.owed_us > 90_000 && four.owed_us < 100_000, String(four.owed_us));
  // One of the four pauses for a quarter of it.
  const pauses = await flightOf(
    [...busy(3, 0, 100_000), ...late(busy(1, 0, 40_000)), ...late(busy(1, 65_000, 100_000))],
    4,
  );
  assert.equal(pauses.owed_us, four.owed_us);
  assert.ok(
    pauses.held_us < 0.76 * pauses.owed_us && pauses.held_us > 0.7 * pauses.owed_us,
    String(pauses.held_us),
  );
  // Where they never were so many, nothing was held, and nothing hides that.
  assert.deepEqual(await flightOf(busy(3, 0, 100_000), 4), { wanted: 4, owed_us: 0, held_us: 0, fewest: -1 });
});

const late = (lines: readonly Line[]): Line[] =>
  lines.map(({ at: [begin, end], key = "", value = "", ...rest }) => ({
    ...rest,
    key: `late/${key}`,
    value: `late/${value}`,
    at: [begin + 3, end + 3],
  }));

test("in flight: nobody owes writes to an etcd that acknowledges none, and all of them to one that is only slow", async () => {
  const after = (pause: number): Line[] => [
    ...busy(4, 0, 50_000),
    ...busy(4, 50_000 + pause, 100_000 + pause),
  ];
  const outage = await flightOf(after(600_000), 4);
  assert.ok(outage.held_us > 0.99 * outage.owed_us && outage.owed_us < 100_000, JSON.stringify(outage));
  const idle = await flightOf(after(400_000), 4);
  assert.ok(idle.held_us < 0.25 * idle.owed_us && idle.fewest === 0, JSON.stringify(idle));
  // The same while their writes wait for etcd's answer.
  const waits = after(400_000).map((line): Line => {
    const [begin, end] = line.at;
    return end >= 50_000 && end < 60_000 ? { ...line, at: [begin, end + 399_000] } : line;
  });
  const slow = await flightOf(waits, 4);
  assert.ok(slow.held_us > 0.99 * slow.owed_us && slow.owed_us > 400_000, JSON.stringify(slow));
});

test("in flight: writes without an answer count until their client gives up, and reads never do", async () => {
  const open = busy(1, 0, 100_000).map((line): Line => ({ ...line, outcome: "open" }));
  const both = await flightOf([...busy(3, 0, 100_000), ...late(open)], 4);
  assert.ok(both.held_us > 0.99 * both.owed_us && both.owed_us > 90_000, JSON.stringify(both));
  const reads = busy(1, 0, 100_000).map(({ at }): Line => ({ kind: "stale", key: "none", at, revision: 1 }));
  assert.equal((await flightOf([...busy(3, 0, 100_000), ...reads], 4)).owed_us, 0);
});
