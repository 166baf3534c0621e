import assert from "node:assert/strict";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { age_ms_max, Desk, type DeskOptions, pauseAfter_ms, settle_ms, type Way } from "./desk.ts";
import { burst, refill_ms } from "./rate.ts";
import { Spool } from "./spool.ts";
import { at_ms, sample } from "./testing.ts";

let folder = "";
let now_ms = at_ms;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "duet-desk-"));
  now_ms = at_ms;
});
afterEach(() => rm(folder, { recursive: true }));

/** A way that notes what went by it, and fails for as long as it is told to. */
function way(name: string): Way & { readonly sent: string[]; why: string | undefined } {
  const self = {
    name,
    sent: [] as string[],
    why: undefined as string | undefined,
    send: async ({ id, left_out }: { readonly id: string; readonly left_out: number }) => {
      if (self.why === undefined) self.sent.push(left_out === 0 ? id : `${id}+${left_out}`);
      return await Promise.resolve(self.why);
    },
  };
  return self;
}

async function desk(ways: readonly Way[], more: Partial<DeskOptions> = {}): Promise<Desk> {
  const made = new Desk({ spool: new Spool(folder), ways, now: () => now_ms, ...more });
  await made.open();
  return made;
}

const waiting = async (): Promise<number> => (await readdir(join(folder, "queue"))).length;
const wayState = async (name: string) => (await new Spool(folder).state()).ways[name];

test("by each way once, then nothing is left", async () => {
  const [hook, mail] = [way("webhook"), way("mail")];
  const made = await desk([hook, mail]);
  const { event, message } = sample("a");
  await made.take(event, message);
  await made.take(event, message);
  assert.equal(await waiting(), 1);
  await made.round();
  assert.deepEqual([hook.sent, mail.sent], [["a"], ["a"]]);
  assert.equal(made.rest_ms, undefined);
  assert.equal(await waiting(), 0);
  await made.round();
  assert.deepEqual(hook.sent, ["a"]);
});

test("a way that is down is tried again, ever more slowly, while the others go on; a restart forgets nothing", async () => {
  const [hook, mail] = [way("webhook"), way("mail")];
  hook.why = "it can't be reached";
  const first = await desk([hook, mail]);
  await first.take(sample("a").event, sample("a").message);
  await first.round();
  assert.deepEqual(mail.sent, ["a"]);
  assert.equal(first.rest_ms, pauseAfter_ms(1));
  await first.round();
  assert.equal((await wayState("webhook"))?.failures, 1, "not before its time");
  now_ms += pauseAfter_ms(1);
  await first.round();
  assert.deepEqual(await wayState("webhook"), {
    failures: 2,
    next_ms: now_ms + pauseAfter_ms(2),
    failed: { at_ms: now_ms, why: "it can't be reached" },
    given_up: 0,
  });
  hook.why = undefined;
  now_ms += pauseAfter_ms(2);
  const second = await desk([hook, mail]);
  await second.take(sample("b", { kind: "takeover" }).event, sample("b", { kind: "takeover" }).message);
  await second.round();
  assert.deepEqual(
    [hook.sent, mail.sent],
    [
      ["a", "b"],
      ["a", "b"],
    ],
    "in order, and none twice",
  );
  assert.equal((await wayState("webhook"))?.failures, 0);
  assert.equal(second.rest_ms, undefined);
});

test("what is a day old is given up, and counted", async () => {
  const hook = way("webhook");
  hook.why = "no";
  const made = await desk([hook]);
  await made.take(sample("a").event, sample("a").message);
  await made.round();
  now_ms += age_ms_max + 1;
  await made.round();
  assert.equal(made.rest_ms, undefined);
  assert.equal((await wayState("webhook"))?.given_up, 1);
  assert.deepEqual(
    [1, 2, 5, 20, 21, 5_000].map(pauseAfter_ms),
    [2_000, 4_000, 30_000, 30_000, 300_000, 300_000],
  );
});

test("a flapping wire: the first few, then the last one with how many were left out", async () => {
  const hook = way("webhook");
  const made = await desk([hook]);
  for (let count = 1; count <= 60; count += 1) {
    now_ms += 100;
    const { event, message } = sample(`m${count}`);
    await made.take(event, message);
    if (count % 10 === 0) await made.round();
  }
  assert.deepEqual(hook.sent, ["m1", "m2", "m3"]);
  assert.equal(hook.sent.length, burst);
  assert.equal(await waiting(), 1, "only the last is kept");
  // Another kind, and another machine, are other news.
  for (const change of [{ kind: "machine-back" }, { about: "node1" }] as const) {
    const { event, message } = sample(JSON.stringify(change), change);
    await made.take(event, message);
  }
  await made.round();
  assert.equal(hook.sent.length, 5);
  const { rest_ms } = made;
  assert.ok(rest_ms !== undefined && rest_ms > 0 && rest_ms <= refill_ms);
  now_ms += rest_ms;
  await made.round();
  assert.equal(hook.sent.at(-1), "m60+56");
  assert.equal(made.rest_ms, undefined);
});

test("a human is called only where that is still so after a while", async () => {
  const hook = way("webhook");
  const made = await desk([hook], {
    isStill: ({ rule, question }) => rule === "R-TAGS-UNREAD" && question === "start",
  });
  const call = { kind: "human-needed", question: "start", why: "a tag can't be read" } as const;
  for (const [id, named] of [
    ["gone", "R-NO-PROOF"],
    ["stays", "R-TAGS-UNREAD"],
  ] as const) {
    const { event, message } = sample(id, { ...call, rule: named });
    await made.take(event, message);
  }
  await made.round();
  assert.deepEqual(hook.sent, []);
  assert.equal(made.rest_ms, settle_ms);
  now_ms += settle_ms;
  await made.round();
  assert.deepEqual(hook.sent, ["stays"]);
  assert.equal(made.rest_ms, undefined);
});

test("a way that the site has no more is forgotten, and so is a file that is no message", async () => {
  const hook = way("webhook");
  hook.why = "no";
  const first = await desk([hook]);
  await first.take(sample("a").event, sample("a").message);
  await writeFile(join(folder, "queue", "000-x.json"), "{}");
  await writeFile(join(folder, "state.json"), "half a file");
  const second = await desk([way("mail")]);
  await second.round();
  assert.equal(second.rest_ms, undefined);
  assert.equal(await waiting(), 0);
});

test("a disk that takes nothing does not keep people from being told", async () => {
  const hook = way("webhook");
  const complaints: string[] = [];
  await rm(folder, { recursive: true });
  // A file in the folder's place: no folder can be made below it, for root neither.
  await writeFile(folder, "");
  const made = new Desk({
    spool: new Spool(folder),
    ways: [hook],
    complain: (line) => complaints.push(line),
  });
  await made.open();
  await made.take(sample("a").event, sample("a").message);
  await made.round();
  assert.deepEqual(hook.sent, ["a"]);
  assert.ok(complaints.length > 0);
});
