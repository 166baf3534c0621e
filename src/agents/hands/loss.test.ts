import assert from "node:assert/strict";
import { test } from "node:test";
import { type LossReading, noteRing, sinceLoss_ms } from "./loss.ts";

const alone = (ring: string) => ({ ring, peer: false });
const both = (ring: string) => ({ ring, peer: true });

test("a note keeps between which two looks a ring was formed, and when the peer was last there", () => {
  const first = noteRing(undefined, both("1.9"), 1_000);
  assert.deepEqual(first, {
    ring: "1.9",
    other_ms: undefined,
    first_ms: 1_000,
    last_ms: 1_000,
    together_ms: 1_000,
    ahead_ms: undefined,
  });
  assert.equal(noteRing(first, both("1.9"), 3_000), first, "nothing worth a write");
  const later = noteRing(first, both("1.9"), 11_000);
  assert.deepEqual(later, { ...first, last_ms: 11_000, together_ms: 11_000 });
  assert.deepEqual(noteRing(later, alone("2.d"), 14_000), {
    ring: "2.d",
    other_ms: 11_000,
    first_ms: 14_000,
    last_ms: 14_000,
    together_ms: 11_000,
    ahead_ms: undefined,
  });
});

test("a look that took long does not undo what another noted since", () => {
  const newer = noteRing(undefined, alone("2.15"), 20_000);
  assert.equal(noteRing(newer, both("1.9"), 21_000), newer);
  assert.equal(noteRing(newer, both("1.19"), 21_000).ring, "1.19");
  // Corosync's folder was emptied: its numbers begin anew, and that is seen in the end.
  assert.equal(noteRing(newer, alone("2.1"), 90_000).ring, "2.1");
});

/** Together until 100 s after the boot; lost, and seen so at 105 s; now it is 106 s. The system's clock is 1,000,000 s ahead. */
const ahead_ms = 1_000_000_000;
const reading: LossReading = {
  note: { ring: "2.d", other_ms: 100_000, first_ms: 105_000, last_ms: 105_000, together_ms: 100_000 },
  formed_ms: ahead_ms + 104_500,
  standstills: [],
  detection: { token_ms: 1_500, consensus_ms: 500 },
  clock_ms: ahead_ms + 106_000,
  now_ms: 106_000,
};

test("a loss is as old as its ring", () => {
  assert.equal(sinceLoss_ms(reading), 1_500);
  assert.equal(sinceLoss_ms({ ...reading, formed_ms: undefined }), undefined);
});

test("a clock that was set makes it untold, and never wrong", () => {
  for (const jump_ms of [-3_600_000, -10_000, -3_000, 10_000, 3_600_000])
    assert.equal(sinceLoss_ms({ ...reading, clock_ms: reading.clock_ms + jump_ms }), undefined, `${jump_ms}`);
  // Never seen in another ring: the boot bounds it.
  const first = { ...reading, note: { ...reading.note, other_ms: undefined } };
  assert.equal(sinceLoss_ms({ ...first, clock_ms: first.clock_ms + 200_000 }), undefined);
  assert.equal(sinceLoss_ms({ ...first, clock_ms: first.clock_ms - 200_000 }), undefined);
});

test("a clock that was set by less than those bounds is seen by the clock that does not jump", () => {
  const note = { ...reading.note, ahead_ms };
  for (const jump_ms of [-1_000, 1_000, 3_000])
    assert.equal(
      sinceLoss_ms({ ...reading, note, clock_ms: reading.clock_ms + jump_ms }),
      undefined,
      `${jump_ms}`,
    );
  assert.equal(
    sinceLoss_ms({ ...reading, note, clock_ms: reading.clock_ms + 100 }),
    1_600,
    "slewed, and not set",
  );
  const seen = noteRing(undefined, alone("2.d"), 14_000, 77);
  assert.equal(seen.ahead_ms, 77);
  assert.equal(noteRing(seen, alone("2.d"), 24_000, 99).ahead_ms, 77, "of the first look");
});

test("who stood still counts from when it fell silent, as its peer does", () => {
  // Silent from 98 s (it answered at 100 s by what was still in flight): the peer saw it lost at 100 s.
  const hung = { ended_ms: ahead_ms + 104_000, lasted_ms: 6_000 };
  const note = { ...reading.note, other_ms: 97_000, together_ms: 97_000 };
  assert.equal(sinceLoss_ms({ ...reading, note, standstills: [hung] }), 6_000);
  // They were together after it.
  assert.equal(
    sinceLoss_ms({ ...reading, note: { ...note, together_ms: 104_200 }, standstills: [hung] }),
    1_500,
  );
  // Too short to be missed by anybody.
  const short = { ended_ms: ahead_ms + 104_000, lasted_ms: 1_300 };
  assert.equal(sinceLoss_ms({ ...reading, note, standstills: [short] }), 1_500);
  // Long before, or after the loss.
  for (const ended_ms of [ahead_ms + 80_000, ahead_ms + 105_900])
    assert.equal(
      sinceLoss_ms({ ...reading, note, standstills: [{ ended_ms, lasted_ms: 6_000 }] }),
      1_500,
      `${ended_ms}`,
    );
});
