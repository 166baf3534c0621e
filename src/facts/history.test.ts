import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { readFiles } from "./facts.ts";
import { memberFiles } from "./testing.ts";
import { action_kinds, History, own_id } from "./testing-history.ts";

const sorted = (ids: readonly bigint[]) => ids.toSorted((a, b) => (a < b ? -1 : 1));

const history = fc.array(
  fc.record({ kind: fc.constantFrom(...action_kinds), a: fc.nat(1000), b: fc.nat(1000) }),
  { maxLength: 60 },
);

test("the facts of any lawful history are those of its plain model", () => {
  fc.assert(
    fc.property(history, (steps) => {
      const model = new History(steps);
      const { facts } = readFiles(memberFiles(model.builder.files()), { segment_bytes: 0 });
      const { last, log, snapshot } = model;
      assert.deepEqual(facts.last, { index: last.index, term: last.term });
      assert.deepEqual(
        facts.snapshot && { index: facts.snapshot.index, term: facts.snapshot.term },
        snapshot.index === 0 ? undefined : snapshot,
      );
      assert.equal(facts.first?.index, log[1]?.index);
      assert.equal(facts.hardState.commit <= model.commit, true);
      const learners = last.members.filter((member) => member.learner === true).map(({ id }) => id);
      const voters = last.members.filter((member) => member.learner !== true).map(({ id }) => id);
      assert.deepEqual(facts.configuration, {
        voters: sorted(voters),
        learners: sorted(learners),
        removed: sorted(last.removed),
        unknown: undefined,
      });
      const standing = (entry: typeof last | undefined) => {
        const own = entry?.members.find(({ id }) => id === own_id);
        if (own !== undefined) return own.learner === true ? "learner" : "voter";
        return entry?.removed.includes(own_id) === true ? "removed" : "none";
      };
      assert.equal(facts.standing, standing(last));
      assert.equal(facts.removalInLog, last.removed.includes(own_id));
      assert.equal(
        facts.standingCommitted,
        standing(log.findLast(({ index }) => index <= facts.hardState.commit)),
      );
      assert.equal(facts.torn, undefined);
    }),
    { numRuns: 500 },
  );
});
