import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { decide } from "../decide/decide.ts";
import { type Lineage, no_word, type Tag, type Word } from "../decide/facts.ts";
import { choiceNow, sidesOf } from "../decide/choice.ts";
import { raising } from "../decide/lineage.ts";
import { type Bmc, type BmcEffects, failed, success } from "./effects.ts";
import { perform } from "./perform.ts";
import { runSteps } from "./steps.ts";
import { takeOver } from "./takeover.ts";
import { fast, FakeWorld, logOf, pick } from "./testing.ts";
import { lineage as five, voter } from "./testing-pair.ts";

/** The peer was lost, and nobody proves anything. What the world asserts of a peer that is on is not what is tried here. */
function cutOff(word: Partial<Word>, tags: Record<Bmc, Lineage | undefined> = { mine: five, theirs: five }) {
  const world = new FakeWorld();
  world.state = pick(voter);
  world.log = { ...logOf(voter), committed: false };
  world.peer = { ...world.peer, on: false, member: false, holding: voter };
  world.word = { ...no_word, peerDown: true, ...word };
  world.tags = tags;
  const { effects } = world;
  const facts = async () => ({ ...(await effects.facts()), peerPower: "unreadable" as const });
  return { world, effects: { ...effects, facts } };
}

/** How long each write of a tag may take. */
async function take(
  { world, effects }: ReturnType<typeof cutOff>,
  epoch: number,
  before: (bmc: Bmc) => "fails" | undefined = () => undefined,
) {
  const patience: number[] = [];
  const raiseTag: typeof effects.bmc.raiseTag = async (bmc, lineage, deadline_ms, may) => {
    patience.push(deadline_ms);
    return before(bmc) === "fails"
      ? failed("deadline", "no answer")
      : await effects.bmc.raiseTag(bmc, lineage, deadline_ms, may);
  };
  const end = await runSteps(
    takeOver({ ...effects, bmc: { ...effects.bmc, raiseTag } }, fast, world.facts(), epoch),
  );
  return { why: end.done ? "" : end.why, served: world.state.lineage?.epoch === epoch, patience };
}

test("on a plain word both BMCs have to take the tag, and both are waited for", async () => {
  const both = await take(cutOff({}), 6);
  assert.deepEqual(both, { why: "", served: true, patience: [fast.tag_ms, fast.tag_ms] });
  const own = await take(cutOff({}), 6, (bmc) => (bmc === "mine" ? "fails" : undefined));
  assert.match(own.why, /until both BMCs have the tag.*unknown.*the own BMC did not take it: no answer/);
  assert.deepEqual([own.served, own.patience.length], [false, 1], "the peer's BMC is told nothing before");
  const theirs = cutOff({});
  const one = await take(theirs, 6, (bmc) => (bmc === "theirs" ? "fails" : undefined));
  assert.match(one.why, /the peer's BMC did not take it: no answer/);
  assert.deepEqual([one.served, theirs.world.state.takeover?.step], [false, "intent"]);
  // Tried again, with the own tag in the own BMC.
  assert.deepEqual((await take(theirs, 7)).why, "");
});

test("the word that goes on without a BMC keeps the epoch that was named", async () => {
  const claim = { mine: five, theirs: { epoch: 6, owner: "b" } };
  const { why } = await take(cutOff({ accept: 6 }, claim), 1_000_000, () => "fails");
  const [, named = ""] = /--accept-data-loss (\S+)`/.exec(why) ?? [];
  assert.equal(named, "6,unknown");
  for (const [accept, rule] of [
    ["unknown", "R-NEWER-TAG"],
    ["6,unknown", "R-ACCEPTED-LOSS"],
  ] as const)
    assert.equal(decide("start", await cutOff({ accept }, claim).effects.facts()).rule, rule);
});

test("a proof, a surrender and an accepted `unknown` need one BMC", async () => {
  const unread = (bmc: Bmc) => (bmc === "theirs" ? "fails" : undefined);
  const proven = cutOff({});
  proven.world.boot.proven = true;
  const unknown = cutOff({ accept: "unknown" });
  const gaveUp = cutOff({});
  gaveUp.world.peer.holding = { ...voter, surrendered: 6, echo: gaveUp.world.holding.others };
  for (const tried of [proven, unknown, gaveUp]) {
    const { why, patience } = await take(tried, 6, unread);
    assert.deepEqual([why, patience], ["", [fast.tag_ms, fast.second_tag_ms]]);
  }
  assert.equal(
    (await take(cutOff({ accept: 5 }), 6, unread)).served,
    false,
    "an epoch accepts what it names",
  );
});

test("a claim that came up since is not written over, whatever its number", async () => {
  for (const claim of [5, 6, 7, 8].map((epoch) => ({ epoch: epoch + 1, owner: "b" })))
    for (const at of ["mine", "theirs"] as const) {
      const tried = cutOff({});
      const { why, served } = await take(tried, 7, (bmc) => {
        if (bmc === at) tried.world.tags = { ...tried.world.tags, [at]: claim };
        return undefined;
      });
      assert.match(why, /is another by now: the peer may be alive, and about to take over as well/);
      assert.deepEqual([served, tried.world.tags[at]], [false, claim]);
    }
});

test("a peer that is a member again by the first step is written over in no BMC, and nothing is meant", async () => {
  const theirs = { epoch: 6, owner: "b" };
  const tried = cutOff({}, { mine: theirs, theirs });
  // It was decided before: the peer has served alone since, and the wire has healed.
  tried.world.peer = { ...tried.world.peer, on: true, member: true };
  const { why, patience } = await take(tried, 7);
  assert.match(why, /the peer was seen again/);
  assert.deepEqual([patience, tried.world.tags], [[], { mine: theirs, theirs }]);
  assert.equal(tried.world.state.takeover, undefined);
});

test("a peer that gave up is written over while it is here, and not once it came or went between the two BMCs", async () => {
  for (const goes of [false, true]) {
    const tried = cutOff({});
    const holding = { ...voter, surrendered: 6, echo: tried.world.holding.others };
    tried.world.peer = { ...tried.world.peer, on: true, member: true, holding };
    const { why, patience } = await take(tried, 6, () => {
      if (goes) tried.world.peer = { ...tried.world.peer, member: false };
      return undefined;
    });
    assert.match(why, goes ? /the peer came or went/ : /^$/);
    assert.equal(patience.length, goes ? 1 : 2);
  }
});

test("a claim that was named by the word is written over, a later one is not", async () => {
  const claim = (epoch: number) => ({ mine: five, theirs: { epoch, owner: "b" } });
  assert.equal((await take(cutOff({ accept: 6 }, claim(6)), 1_000_000)).served, true);
  const tried = cutOff({ accept: 6 }, claim(6));
  // Not at a further try either, when its own claim is the higher one.
  for (const _ of [1, 2]) {
    const { served } = await take(tried, 1_000_000, (bmc) => {
      if (bmc === "theirs") tried.world.tags = { ...tried.world.tags, theirs: { epoch: 7, owner: "b" } };
      return undefined;
    });
    assert.equal(served, false);
  }
});

test("named is a claim that stood there when it began: one that came up since is another's, however low", async () => {
  const named = { epoch: 8, owner: "b" };
  for (const epoch of [6, 7, 8])
    for (const at of ["mine", "theirs"] as const) {
      const claim = { epoch, owner: "b" };
      const tried = cutOff({ accept: 8 }, { mine: five, theirs: named });
      const { why, served } = await take(tried, 1_000_000, (bmc) => {
        if (bmc === at) tried.world.tags = { ...tried.world.tags, [at]: claim };
        return undefined;
      });
      // The very takeover whose loss was named may come to the other BMC late.
      assert.equal(served, epoch === 8, `${epoch} ${at}`);
      if (!served) assert.match(why, /is another by now/);
    }
});

test("where the site has no witness a plain word serves by what the rules say, and writes no tag", async () => {
  const newer = { ...voter, lineage: { epoch: 6, owner: "b" } };
  // The only voter by its log, whose peer said that it is a full voter of the same data; and one that holds less, whose loss was named.
  for (const [accept, theirs, epoch] of [
    [undefined, voter, 6],
    [6, newer, 1_000_000],
  ] as const) {
    const { world, effects } = cutOff({ accept });
    world.log = { ...world.log, soleVoter: true };
    world.peer = { ...world.peer, holding: theirs };
    // What stands in the BMCs says nothing here; the world of the tests wants it before `served`.
    world.tags = { mine: { epoch, owner: "a" }, theirs: undefined };
    const facts = async () => ({ ...(await effects.facts()), witness: "off" as const });
    const areTagsWritten = async () => false;
    const bmc = { ...effects.bmc, raiseTag: async () => assert.fail("there is no tag to write") };
    assert.deepEqual(decide("start", await facts()).decision, { do: "take-over", epoch });
    await runSteps(takeOver({ ...effects, areTagsWritten, facts, bmc }, fast, world.facts(), epoch));
    assert.deepEqual([world.state.lineage, world.state.takeover], [{ epoch, owner: "a" }, undefined]);
  }
});

test("a tag that says nothing may hide anything", async () => {
  assert.equal((await take(cutOff({}, { mine: five, theirs: undefined }), 6)).served, false);
});

/** Both gave up, and are here; an admin chose the data of this one. */
function chosenBoth() {
  const tried = cutOff({});
  const { world } = tried;
  world.state = { ...world.state, surrendered: 6 };
  const holding = { ...voter, surrendered: 6, echo: world.holding.others };
  world.peer = { ...world.peer, on: true, member: true, etcd: false, holding };
  world.word = { ...no_word, choose: choiceNow("self", sidesOf(world.facts())) };
  return tried;
}

test("on a choice the peer is told before any tag what is meant, and before the revisions are raised that it is done", async () => {
  const { world, effects } = chosenBoth();
  const steps: string[] = [];
  const told: unknown[] = [];
  const publish: typeof effects.attributes.publish = async ({ holding }) => {
    told.push([holding.takeover?.step, holding.surrendered]);
    // That it can't be told holds nothing up.
    return failed("deadline", "no answer");
  };
  const attributes = { ...effects.attributes, publish };
  const end = await runSteps(takeOver({ ...effects, attributes }, fast, world.facts(), 1_000_000), (step) => {
    steps.push(step);
  });
  assert.deepEqual([end.done, world.state.lineage?.epoch], [true, 1_000_000]);
  assert.deepEqual(steps.slice(0, 6), [
    "write the intent",
    "tell the peer what is meant",
    "write the tag of the own BMC",
    "write the tag of the peer's BMC",
    "write that it may have served",
    "tell the peer that this machine goes on",
  ]);
  assert.deepEqual(told.slice(0, 2), [
    ["intent", 6],
    ["served", undefined],
  ]);
});

test("a choice is for its membership: a takeover that was decided on it means nothing in the next one, though the peer gave up", async () => {
  for (const isLost of [false, true]) {
    const { world, effects } = chosenBoth();
    const go = () => {
      world.peer = { ...world.peer, member: false };
      world.ring = "2";
      world.word = no_word;
    };
    if (isLost) go();
    const facts = async () => {
      // A silent BMC is waited for meanwhile.
      go();
      return await effects.facts();
    };
    const end = await runSteps(takeOver({ ...effects, facts }, fast, world.facts(), 1_000_000));
    assert.match(end.done ? "" : end.why, /the peer was seen again, or/);
    assert.deepEqual([world.state.takeover, world.tags], [undefined, { mine: five, theirs: five }]);
  }
});

test("a takeover on a choice writes over no claim that was not shown, and ends where the choice counts no more", async () => {
  for (const at of ["mine", "theirs"] as const) {
    const claim = { epoch: 999_999, owner: "b" };
    const tried = chosenBoth();
    const { why, served } = await take(tried, 1_000_000, (bmc) => {
      if (bmc === at) tried.world.tags = { ...tried.world.tags, [at]: claim };
      return undefined;
    });
    assert.match(why, /is another by now/);
    assert.deepEqual([served, tried.world.tags[at]], [false, claim]);
  }
  const other = chosenBoth();
  const { why, served } = await take(other, 1_000_000, () => {
    // Somebody chose the other one's, there: of two that contradict each other none counts.
    other.world.word = no_word;
    return undefined;
  });
  assert.match(why, /the choice of this machine's data counts no more/);
  assert.equal(served, false);
});

test("beside a peer that gave up a takeover whose tag no BMC takes is tried again, and nothing else is done in between", async () => {
  const first = chosenBoth();
  const accepted = first.world;
  const ordinary = chosenBoth().world;
  ordinary.state = { ...ordinary.state, surrendered: undefined };
  ordinary.word = no_word;
  for (const [world, epochs] of [
    [accepted, [1_000_000, 1_000_000, 1_000_000]],
    [ordinary, [6, 7, 8]],
  ] as const) {
    for (const bmc of ["mine", "theirs"] as const) world.dead.add(bmc);
    for (const epoch of epochs) {
      const { decision } = decide("start", world.facts());
      assert.deepEqual(decision, { do: "take-over", epoch });
      const steps = perform(world.effects, fast, world.facts(), decision);
      assert.ok(steps);
      const end = await runSteps(steps);
      assert.match(end.done ? "" : end.why, /neither BMC took the tag/);
      assert.deepEqual(world.state.takeover, { step: "intent", epoch });
    }
    world.dead.clear();
    const steps = perform(world.effects, fast, world.facts(), decide("start", world.facts()).decision);
    assert.ok(steps && (await runSteps(steps)).done);
  }
});

test("an epoch that no tag has room for is refused before anything is meant", async () => {
  const tried = chosenBoth();
  tried.world.tags = { mine: five, theirs: { epoch: 9_999_999_999, owner: "b" } };
  tried.world.word = { ...no_word, choose: choiceNow("self", sidesOf(tried.world.facts())) };
  const { decision } = decide("start", tried.world.facts());
  assert.ok(decision.do === "take-over");
  const { why, patience } = await take(tried, decision.epoch);
  assert.match(why, /^no tag has room for the next epoch, 10001000000$/);
  assert.deepEqual([patience, tried.world.state.takeover], [[], undefined]);
});

/** Both machines are told the same at once. Each raising is three calls at a BMC, and these come in every order. */
test("of two plain words at once at most one serves, in every order of their calls, with ETags and without", async () => {
  const ends = new Map<string, number>();
  for (const hasEtags of [true, false])
    for (const other of [6, 7])
      for (const order of orders(6, 6)) {
        const both = new Both(hasEtags);
        const running = [both.run(0, 6), both.run(1, other)];
        for (const turn of order) await both.go(turn);
        const served = (await Promise.all(running)).filter(Boolean).length;
        assert.ok(served < 2, `${order.join("")} ${other} ${hasEtags}`);
        ends.set(`${served}`, (ends.get(`${served}`) ?? 0) + 1);
      }
  assert.ok((ends.get("0") ?? 0) > 0 && (ends.get("1") ?? 0) > 0, JSON.stringify([...ends]));
});

/** Two machines and two BMCs, one call at a time. */
class Both {
  readonly #hasEtags: boolean;
  readonly #tags: [Tag, Tag] = [tagOf(five), tagOf(five)];
  readonly #waiting: ((() => void) | undefined)[] = [];

  constructor(hasEtags: boolean) {
    this.#hasEtags = hasEtags;
  }

  /** The next call of this one, if it has not ended. */
  async go(side: number): Promise<void> {
    await setImmediate();
    const resume = this.#waiting[side];
    this.#waiting[side] = undefined;
    resume?.();
  }

  async run(side: number, epoch: number): Promise<boolean> {
    const { world, effects } = cutOff({});
    // Each calls itself `a`, and the other one `b`.
    const name = (tag: Tag): Tag =>
      side === 0 || tag.kind !== "lineage" ? tag : { ...tag, owner: swap(tag.owner) };
    const raiseTag: BmcEffects["raiseTag"] = async (bmc, lineage, _, may) => {
      const at = bmc === "mine" ? side : 1 - side;
      await this.#turn(side);
      const seen = this.#tags[at] ?? tagOf(five);
      const how = raising(name(seen), lineage);
      if (how === "same") return success("written");
      if (how === "stays" || may?.(name(seen)) === false) return success("higher");
      await this.#turn(side);
      if (!this.#hasEtags || this.#tags[at] === seen) this.#tags[at] = name({ kind: "lineage", ...lineage });
      await this.#turn(side);
      const isThere = raising(name(this.#tags[at] ?? seen), lineage) === "same";
      if (!isThere) return failed("failed", "it does not read back");
      world.tags = { ...world.tags, [bmc]: lineage };
      return success("written");
    };
    await runSteps(takeOver({ ...effects, bmc: { ...effects.bmc, raiseTag } }, fast, world.facts(), epoch));
    return world.log.soleVoter;
  }

  #turn(side: number): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting[side] = resolve;
    });
  }
}

const tagOf = (lineage: Lineage): Tag => ({ kind: "lineage", ...lineage });
const swap = (owner: string): string => (owner === "a" ? "b" : "a");

/** Every order in which so many calls of the one and so many of the other can come. */
function orders(one: number, other: number): readonly (readonly number[])[] {
  if (one === 0 && other === 0) return [[]];
  const first = one > 0 ? orders(one - 1, other).map((rest) => [0, ...rest]) : [];
  const second = other > 0 ? orders(one, other - 1).map((rest) => [1, ...rest]) : [];
  return [...first, ...second];
}
