import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { Detail, EventName } from "../../record/entry.ts";
import { leftByPlan } from "./last-off.ts";

type Told = readonly [EventName, Detail?];

/** What a record with these events says, each a minute after the one before it; the minute at which the peer left. */
async function left(...told: readonly Told[]): Promise<number | undefined> {
  const folder = await mkdtemp(join(tmpdir(), "duet-left-"));
  const lines = told.map(([event, detail = {}], minute) =>
    JSON.stringify({
      at: new Date(minute * 60_000).toISOString(),
      mono_ms: minute * 60_000,
      boot: "b",
      machine: "node1",
      duet: "0.1.0",
      by: "agent",
      pid: 1,
      kind: "event",
      event,
      detail,
    }),
  );
  try {
    await writeFile(join(folder, "00000001.jsonl"), `${lines.join("\n")}\n`);
    const at_ms = await leftByPlan(folder);
    return at_ms === undefined ? undefined : at_ms / 60_000;
  } finally {
    await rm(folder, { recursive: true });
  }
}

test("a peer that left by plan is away for that until it is back", async () => {
  assert.equal(await left(["1+1"], ["peer left"]), 1);
  // Another part of duet only sees that the membership ended: it is the same parting.
  assert.equal(await left(["1+1"], ["peer left"], ["peer lost", { ring: "1.d" }]), 1);
  assert.equal(await left(["1+1"], ["peer left"], ["peer back"]), undefined);
  assert.equal(await left(["1+1"], ["peer left"], ["peer back"], ["1+1"], ["peer lost"]), undefined);
});

test("who went off by itself after its goodbye left, also where a takeover followed", async () => {
  const went: Told = ["off confirmed", { ring: "1.d", went_off: true }];
  assert.equal(await left(["1+1"], ["peer lost"], went, ["takeover begins"], ["takeover ends"]), 2);
  // A machine that boots alone beside it proves its Off once more, and does not power it on.
  assert.equal(await left(["1+1"], ["peer left"], ["off confirmed", { ring: "2.1" }]), 1);
});

test("one that was lost did not leave, nor did one that was powered on since", async () => {
  assert.equal(await left(["1+1"], ["peer lost"], ["off confirmed", { ring: "1.d" }]), undefined);
  assert.equal(await left(["peer left"], ["off confirmed"], ["peer powered on"]), undefined);
  assert.equal(await left(), undefined);
});
