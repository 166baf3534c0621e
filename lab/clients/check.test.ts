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

async function judge(lines: readonly Line[]): Promise<Verdict> {
  const history = join(scratch, "history.jsonl");
  const end = JSON.stringify({ end: true, operations: lines.length });
  await writeFile(history, `${[...lines.map((line, i) => written(line, i + 1)), end].join("\n")}\n`);
  const picture = join(scratch, "violation.html");
  await rm(picture, { force: true });
  const { stdout, status } = await run([program, "check", "-history", history, "-picture", picture], {
    accept: [0, 1],
  });
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
