import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { askOracle } from "../../lab/etcd36/oracle.ts";
import { doubtful, sameAsOracle, scratch, versions } from "../../lab/etcd36/testing.ts";
import { readMemberFacts } from "./facts.ts";
import { writeFiles } from "./testing-folder.ts";
import { type Action, action_kinds, History } from "./testing-history.ts";

const [{ folder: programs }] = await versions();

const historyOf = (kinds: readonly Action["kind"][]) =>
  fc.array(fc.record({ kind: fc.constantFrom(...kinds), a: fc.nat(1000), b: fc.nat(1000) }), {
    maxLength: 60,
  });
const history = historyOf(action_kinds);
/** Enough changes that each meets members which others made. */
const changes = historyOf(["append", "override", "commit", "change", "change", "change"]);

/** Where versions of etcd may differ we say nothing, whatever this one does. */
const careful = /which versions of etcd do differently|removed before it was there/;

test("etcd's own packages read the same in 60 random histories", async () => {
  await using folder = await scratch();
  const folders: string[] = [];
  for (const [n, steps] of fc.sample(history, { numRuns: 60, seed: 4 }).entries()) {
    folders.push(await writeFiles(join(folder.path, String(n)), new History(steps).builder.files()));
  }
  const answers = await askOracle(programs, folders);
  for (const [n, answer] of answers.entries()) {
    const facts = readMemberFacts(folders[n] ?? "");
    assert.ok(facts !== undefined);
    sameAsOracle(facts, answer);
  }
});

test("what etcd voids is nothing where it could change nothing, and else we know nothing", async () => {
  await using folder = await scratch();
  const folders: string[] = [];
  for (const [n, steps] of fc.sample(changes, { numRuns: 100, seed: 5 }).entries()) {
    const any = new History(steps, true);
    folders.push(await writeFiles(join(folder.path, String(n)), any.builder.files()));
  }
  const seen = { void: 0, repeated: 0, sure: 0, careful: 0 };
  for (const [n, answer] of (await askOracle(programs, folders)).entries()) {
    const facts = readMemberFacts(folders[n] ?? "");
    assert.ok(facts !== undefined);
    if (answer.error !== undefined) {
      // etcd would end with a panic: nobody is left to vote.
      assert.match(answer.error, /removed all voters/);
      assert.notEqual(facts.standing, "voter");
    } else if (doubtful(answer.whole?.void ?? "").length > 0) {
      seen.void += 1;
      assert.equal(facts.standing, "unknown", answer.whole?.void);
    } else if (careful.test(facts.configuration.unknown ?? "")) {
      seen.careful += 1;
    } else {
      if (answer.whole?.void === "") seen.sure += 1;
      else seen.repeated += 1;
      sameAsOracle(facts, answer);
    }
  }
  assert.ok(seen.void > 10 && seen.repeated > 10 && seen.sure > 10, JSON.stringify(seen));
});
