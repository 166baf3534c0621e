import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { pair } from "../../decide/testing-pair.ts";
import {
  agreedOn,
  arePaired,
  nothing_said,
  type SaidByBoth,
  saidAfter,
  tell,
  type Told,
  unknown_said,
  withHeard,
} from "./witness-agreed.ts";

type Says = "on" | "off";
/** Each looks at what the other tells, `rounds` times, and tells anew. */
function meet(
  said: [SaidByBoth, SaidByBoth],
  files: readonly [Says, Says],
  isPaired = true,
  rounds = 3,
): void {
  for (let round = 0; round < rounds; round += 1) {
    said[0] = saidAfter(said[0], files[0], tell(said[1]), isPaired);
    said[1] = saidAfter(said[1], files[1], tell(said[0]), isPaired);
  }
}
const both = (): [SaidByBoth, SaidByBoth] => [nothing_said, nothing_said];
const states = (said: readonly [SaidByBoth, SaidByBoth], files: readonly [Says, Says]) => [
  agreedOn(said[0], files[0]),
  agreedOn(said[1], files[1]),
];

test("two who always said the same go by it, also beside a duet that does not tell", () => {
  assert.deepEqual(states(both(), ["on", "on"]), ["on", "on"]);
  assert.deepEqual(states(both(), ["off", "off"]), ["off", "off"]);
  const said = both();
  meet(said, ["off", "off"]);
  assert.deepEqual(states(said, ["off", "off"]), ["off", "off"]);
  assert.equal(saidAfter(nothing_said, "on", undefined, true), nothing_said);
});

test("one that says `off` writes its tags until the other says it, too; the other may go by them all the time", () => {
  const said = both();
  meet(said, ["on", "on"]);
  assert.deepEqual(states(said, ["off", "on"]), ["apart", "on"]);
  meet(said, ["off", "on"]);
  assert.deepEqual(states(said, ["off", "on"]), ["apart", "on"]);
  // Edited while the two are apart: it is heard when they meet.
  assert.deepEqual(states(said, ["off", "off"]), ["apart", "off"]);
  meet(said, ["off", "off"]);
  assert.deepEqual(states(said, ["off", "off"]), ["off", "off"]);
});

test("one that has said `off` goes by no tag before the other has noted that it says `on`, and the two are paired", () => {
  const said = both();
  meet(said, ["off", "off"]);
  assert.deepEqual(states(said, ["on", "off"]), ["apart", "off"]);
  meet(said, ["on", "off"], false);
  assert.deepEqual(states(said, ["on", "off"]), ["apart", "apart"]);
  meet(said, ["on", "off"]);
  assert.deepEqual(states(said, ["on", "off"]), ["on", "apart"]);
  meet(said, ["on", "on"]);
  assert.deepEqual(states(said, ["on", "on"]), ["on", "on"]);
});

test("a word that one of several agents notes late takes the place of no newer one", () => {
  const said = both();
  meet(said, ["off", "off"]);
  const late = tell(said[1]);
  meet(said, ["off", "on"]);
  assert.deepEqual(states(said, ["off", "on"]), ["apart", "on"]);
  said[0] = saidAfter(said[0], "off", late, true);
  assert.deepEqual(states(said, ["off", "on"]), ["apart", "on"]);
});

test("before a word is noted, what was published in this boot counts, and nothing where that is older", () => {
  const heard = (witness: Says | undefined) => agreedOn(withHeard(nothing_said, { witness }), "off");
  assert.deepEqual([heard("on"), heard("off"), heard(undefined)], ["apart", "off", "off"]);
  assert.equal(agreedOn(withHeard(nothing_said, undefined), "off"), "off");
  const said = both();
  meet(said, ["off", "off"]);
  assert.equal(agreedOn(withHeard(said[0], { witness: "on" }), "off"), "off");
});

test("a file that is torn, and one that is lost, are no word: it is told anew above what the peer has noted", () => {
  for (const files of [
    ["on", "on"],
    ["off", "off"],
  ] as const) {
    const said = both();
    meet(said, ["off", "off"]);
    meet(said, ["on", "on"]);
    meet(said, files);
    assert.equal(agreedOn(unknown_said, files[0]), "apart");
    said[0] = unknown_said;
    meet(said, files);
    assert.deepEqual(states(said, files), files);
    said[0] = nothing_said;
    meet(said, files, false, 1);
    meet(said, files);
    assert.deepEqual(states(said, files), files);
    assert.equal(said[0].mine.number, said[1].theirs?.number);
  }
});

test("paired are two full voters of the same data that both say so", () => {
  const here = pair.peer;
  assert.ok(here.seen === "now" && here.facts !== undefined);
  const theirs = here.facts;
  const as = (self: object, other: object = {}) =>
    arePaired({
      ...pair,
      self: { ...pair.self, ...self },
      peer: { ...here, facts: { ...theirs, ...other } },
    });
  assert.equal(as({}), true);
  assert.equal(arePaired({ ...pair, peer: { seen: "before", facts: theirs } }), false);
  const newer = { lineage: { epoch: 99, owner: pair.peerName } };
  const unfit = [{ full: false }, { soleVoter: true }, { left: true }, { surrendered: 9 }, newer];
  for (const each of [...unfit, { takeover: { step: "intent", epoch: 9 } as const }]) {
    assert.equal(as(each), false, JSON.stringify(each));
    assert.equal(as({}, each), false, JSON.stringify(each));
  }
});

/** Two machines that have met, their site files, their disks, and what each has heard and not noted yet. */
class Pair {
  readonly files: [Says, Says] = ["on", "on"];
  readonly said = both();
  readonly told: [Told | undefined, Told | undefined] = [undefined, undefined];
  readonly reading: [Told | undefined, Told | undefined] = [undefined, undefined];
  readonly up: [boolean, boolean] = [true, true];
  readonly data: [number, number] = [1, 1];
  tag = 1;

  constructor() {
    meet(this.said, this.files);
  }

  edit = (me: 0 | 1): void => {
    this.files[me] = this.files[me] === "on" ? "off" : "on";
  };
  /** What one agent reads now it may note after another has looked. */
  read = (me: 0 | 1): void => {
    if (this.up[0] && this.up[1]) this.reading[me] = this.told[me === 0 ? 1 : 0];
  };
  noteRead = (me: 0 | 1): void => {
    this.#note(me, this.reading[me]);
  };
  look = (me: 0 | 1): void => {
    this.#note(me, this.told[me === 0 ? 1 : 0]);
  };
  #note(me: 0 | 1, told: Told | undefined): void {
    if (!this.up[0] || !this.up[1]) return;
    this.said[me] = saidAfter(this.said[me], this.files[me], told, this.data[0] === this.data[1]);
    this.told[me] = tell(this.said[me]);
  }
  #down(who: 0 | 1): void {
    this.up[who] = false;
    for (const each of [0, 1] as const) {
      this.told[each] = undefined;
      this.reading[each] = undefined;
    }
  }
  /** The other is lost, and this one takes over. */
  takeOver = (me: 0 | 1): void => {
    if (!this.up[me] || this.data[me] < Math.max(...this.data)) return;
    this.#down(me === 0 ? 1 : 0);
    this.data[me] += 1;
    if (agreedOn(this.said[me], this.files[me]) !== "off") this.tag = this.data[me];
  };
  boot = (me: 0 | 1): void => {
    this.up[me] = true;
  };
  join = (me: 0 | 1): void => {
    if (this.up[0] && this.up[1]) this.data[me] = Math.max(...this.data);
  };
  /** The other goes, and this one boots alone. False: it would serve old data. */
  alone = (me: 0 | 1): boolean => {
    this.#down(me === 0 ? 1 : 0);
    this.up[me] = true;
    const starts = agreedOn(this.said[me], this.files[me]) === "on" && this.tag <= this.data[me];
    return !starts || this.data[me] === Math.max(...this.data);
  };
}

test("in no order of edits, words and losses does a machine that boots alone miss a takeover without a tag", () => {
  const deeds = ["edit", "look", "read", "noteRead", "takeOver", "boot", "join"] as const;
  const step = fc.tuple(
    fc.constantFrom(...deeds, "edit", "look", "look", "boot", "alone"),
    fc.constantFrom(0, 1),
  );
  let untagged = 0;
  let alone = 0;
  const run = (steps: readonly (readonly [(typeof deeds)[number] | "alone", number])[]): void => {
    const world = new Pair();
    for (const [deed, who] of steps) {
      const me = who === 0 ? 0 : 1;
      if (deed === "alone") assert.ok(world.alone(me), "it serves old data");
      else world[deed](me);
      if (world.tag < Math.max(...world.data)) untagged += 1;
      else if (deed === "alone" && agreedOn(world.said[me], world.files[me]) === "on") alone += 1;
    }
  };
  fc.assert(
    fc.property(fc.array(step, { minLength: 20, maxLength: 60 }), (steps) => {
      run(steps);
    }),
    { numRuns: 20_000, seed: 1 },
  );
  assert.ok(untagged > 1_000 && alone > 1_000, `${untagged} ${alone}`);
});
