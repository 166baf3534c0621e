import assert from "node:assert/strict";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { DuetError } from "../base/problem.ts";
import { decodeState, encodeState, readState, type State, state_empty, writeState } from "./state.ts";

const epoch = fc.nat();
const states: fc.Arbitrary<State> = fc.record(
  {
    lineage: fc.option(
      fc.record({ epoch, owner: fc.constantFrom("node1", "node2.example.com") }, { noNullPrototype: true }),
      { nil: undefined },
    ),
    full: fc.boolean(),
    takeover: fc.option(
      fc.record({ step: fc.constantFrom("intent", "served", "abandoned"), epoch }, { noNullPrototype: true }),
      { nil: undefined },
    ),
    left: fc.boolean(),
    surrendered: fc.option(epoch, { nil: undefined }),
    settled: fc.record({ mine: epoch, theirs: epoch }, { noNullPrototype: true }),
    turn: fc.constantFrom(undefined, 0 as const, 1 as const, 2 as const),
    bump: fc.constantFrom(undefined, "owed" as const, "missed" as const),
  },
  // deepEqual also compares prototypes.
  { noNullPrototype: true },
);

test("every state comes back as it was written", () => {
  fc.assert(
    fc.property(states, (state) => assert.deepEqual(decodeState(encodeState(state), "state"), state)),
  );
});

test("any change to the file is an error, never another state", () => {
  const change = fc.record({ at: fc.nat(), byte: fc.integer({ min: 1, max: 255 }) });
  fc.assert(
    fc.property(states, change, fc.boolean(), (state, { at, byte }, cut) => {
      const text = Buffer.from(encodeState(state));
      const place = at % text.length;
      if (cut)
        return assert.throws(
          () => decodeState(text.subarray(0, place).toString("latin1"), "state"),
          DuetError,
        );
      text[place] = (text[place] ?? 0) ^ byte;
      return assert.throws(() => decodeState(text.toString("latin1"), "state"), DuetError);
    }),
    { numRuns: 1000 },
  );
});

test("another format, another file and a state of another shape are named", () => {
  const text = encodeState(state_empty);
  const says = (wanted: RegExp) => (error: unknown) =>
    error instanceof DuetError && wanted.test(error.message);
  assert.throws(() => decodeState("", "x"), says(/no state file of duet's/));
  assert.throws(
    () => decodeState(text.replace("duet-state 1", "duet-state 2"), "x"),
    says(/format 2, and this duet knows format 1/),
  );
  assert.throws(() => decodeState(text.slice(0, -4), "x"), says(/torn or was changed by hand/));
});

test("absent is an answer of its own; what was written is there, with nothing beside it", async () => {
  const folder = await mkdtemp(join(tmpdir(), "duet-state-"));
  try {
    const path = join(folder, "state");
    assert.equal(await readState(path), undefined);
    const state: State = { ...state_empty, lineage: { epoch: 3, owner: "node1" }, full: true };
    await writeState(path, state);
    assert.deepEqual(await readState(path), state);
    assert.deepEqual(await readdir(folder), ["state"]);
    await writeFile(path, "");
    await assert.rejects(readState(path), DuetError);
    await assert.rejects(writeState(path, { ...state, settled: { mine: 0.5, theirs: 0 } }), DuetError);
  } finally {
    await rm(folder, { recursive: true });
  }
});
