import assert from "node:assert/strict";
import { test } from "node:test";
import { type Effects, failed } from "../../act/effects.ts";
import { fast, FakeWorld, logOf, pick } from "../../act/testing.ts";
import { empty, type Facts, type Holding } from "../../decide/facts.ts";
import { guard } from "./guard.ts";

const lineage = { epoch: 5, owner: "a" };
const voter: Holding = { ...empty, data: true, standing: "voter", full: true, lineage };

/** It has booted, its peer is off, and both tags say what it holds. */
function lone(self: Holding = voter): FakeWorld {
  const world = new FakeWorld();
  world.state = pick(self);
  world.log = { ...logOf(self), committed: false };
  world.tags = { mine: lineage, theirs: lineage };
  world.peer = { ...world.peer, on: false, member: false };
  world.boot = { ...world.boot, heard: false, quorum: false };
  return world;
}

/** So many looks, with something changed before each; then Pacemaker has started the resource. */
async function watched(
  world: FakeWorld,
  before: readonly (() => void)[],
  more: Partial<Effects> = {},
): Promise<Record<"said" | "steps" | "told" | "called" | "unfenced" | "all", readonly string[]>> {
  const said: string[] = [];
  const steps: string[] = [];
  const told: string[] = [];
  const called: string[] = [];
  const unfenced: string[] = [];
  let look = -1;
  // In the order in which somebody at the console meets them.
  const all: string[] = [];
  await guard({
    hands: {
      effects: { ...world.effects, ...more },
      times: fast,
      recorder: {
        step: (name) => {
          steps.push(name);
          all.push(`step: ${name}`);
        },
        stepsEnd: () => undefined,
      },
    },
    me: "a",
    peerName: "b",
    isStarted: () => look >= before.length,
    say: (line) => {
      all.push(line);
      if (!isBefore(line)) said.push(line);
    },
    pause: async () => {
      all.push("pause");
      look += 1;
      before[look]?.();
    },
    now_ms: () => look * 100_000,
    told: (end) => told.push(end.done ? "done" : end.why),
    fenceFailed: (why) => void unfenced.push(why),
    call: ({ rule }) => called.push(rule),
  });
  return { said, steps, told, called, unfenced, all };
}

const nothing = (): void => undefined;

/** Said before it is known how something ends. */
const isBefore = (line: string): boolean => /which may boot too$|^a makes sure that b is off/.test(line);

test("it says that it waits before it does, and what it is about before it waits its turn and commands Off", async () => {
  const { all } = await watched(lone(), [nothing]);
  assert.deepEqual(all.slice(0, 2), ["a runs nothing yet: it waits 15 s for b, which may boot too", "pause"]);
  assert.match(
    all[2] ?? "",
    /^a makes sure that b is off, and then starts without it\. R-PROVE-OFF: b reads Off/,
  );
  assert.equal(all[3], "step: wait this machine's fence delay");
  assert.match(all.at(-2) ?? "", /^a starts without b/);
});

test("a try that is made again and again is announced once, until something else was decided", async () => {
  const world = lone();
  const bmc = { ...world.effects.bmc, commandOff: async () => failed("refused", "not now") };
  const announced = (all: readonly string[]) => all.filter((line) => line.startsWith("a makes sure")).length;
  assert.equal(announced((await watched(world, [nothing, nothing, nothing], { bmc })).all), 1);
  const between = [nothing, () => world.dead.add("theirs"), () => world.dead.clear()];
  assert.equal(announced((await watched(world, between, { bmc })).all), 2);
});

test("nothing is announced of an Off that nobody commands", async () => {
  const world = lone();
  world.boot = { ...world.boot, quorum: true };
  const { all, steps } = await watched(world, [nothing]);
  assert.deepEqual(steps, []);
  assert.ok(!all.some((line) => line.startsWith("a makes sure")), all.join());
});

test("a machine that holds everything commands Off, and is given quorum when the peer is proven off", async () => {
  const world = lone();
  const { said, steps } = await watched(world, [nothing]);
  assert.equal(world.boot.quorum, true);
  assert.equal(world.boot.proven, true);
  assert.deepEqual(steps, [
    "wait this machine's fence delay",
    "command the peer's Off by its BMC",
    "read that the peer is off",
    "note that Off is proven",
    "ask for quorum",
    "see that there is quorum",
  ]);
  assert.match(said[0] ?? "", /^a starts without b: quorum is granted\. R-PROVE-OFF: /);
});

test("one with older data gets no quorum, says why and what an admin can do, and says it once", async () => {
  const world = lone();
  world.tags = { mine: { epoch: 6, owner: "b" }, theirs: { epoch: 6, owner: "b" } };
  const { said, steps } = await watched(world, [nothing, nothing, nothing]);
  assert.equal(world.boot.quorum, false);
  assert.deepEqual(steps, []);
  assert.equal(said.length, 1);
  assert.match(
    said[0] ?? "",
    /^a runs nothing and waits for b\. R-NEWER-TAG: .*never starts with older data.*`duet confirm-peer-down --accept-data-loss 6`/,
  );
});

test("it looks for as long as the peer is away: a BMC that is back lets it start", async () => {
  const world = lone();
  world.dead.add("theirs");
  const { said } = await watched(world, [nothing, nothing, () => world.dead.clear()]);
  assert.equal(world.boot.quorum, true);
  assert.match(said[0] ?? "", /R-TAGS-UNREAD: .*`duet confirm-peer-down --accept-data-loss unknown`/);
  assert.match(said[1] ?? "", /^a starts without b/);
});

test("without a witness it says that starting alone needs a human", async () => {
  const world = lone();
  const facts = async (): Promise<Facts> => ({ ...world.facts(), witness: "off" });
  const { said } = await watched(world, [nothing], { facts });
  assert.equal(world.boot.quorum, false);
  assert.match(said[0] ?? "", /R-NO-WITNESS: .*to start alone needs a human/);
});

test("a BMC that was not seen to keep its tag starts nobody: that the tags claim nothing newer proves nothing", async () => {
  const world = lone();
  const facts = async (): Promise<Facts> => ({ ...world.facts(), witness: "unproven" });
  const { said, steps } = await watched(world, [nothing, nothing], { facts });
  assert.equal(world.boot.quorum, false);
  assert.deepEqual(steps, []);
  assert.equal(said.length, 1);
  assert.match(said[0] ?? "", /R-TAGS-UNPROVEN: .*the tags of the two BMCs are not known to tell/);
});

test("a peer that comes while the fence delay is waited gets no Off, and this machine no quorum from the guard", async () => {
  const world = lone();
  const pause = async (): Promise<void> => {
    world.peer = { ...world.peer, on: true, member: true };
  };
  const { said, steps, unfenced } = await watched(world, [nothing], { pause });
  assert.deepEqual(steps, ["wait this machine's fence delay"]);
  assert.deepEqual(unfenced, [], "one that is here needs no fence");
  assert.equal(world.peer.on, true);
  assert.equal(world.boot.quorum, false);
  assert.match(said[0] ?? "", /tried again, since/);
});

test("a peer that can't be proven off is told as a fence that failed, at each try", async () => {
  const world = lone();
  const { bmc } = world.effects;
  const refusing = { ...bmc, commandOff: async () => failed("refused", "not now") };
  const { unfenced } = await watched(world, [nothing, nothing], { bmc: refusing });
  assert.deepEqual(unfenced, ["the peer's Off: not now", "the peer's Off: not now"]);
  assert.deepEqual((await watched(lone(), [nothing])).unfenced, []);
});

test("a peer that comes between the proof and the grant makes the proof void, and nothing is granted for it", async () => {
  const world = lone();
  const { quorum } = world.effects;
  await watched(world, [nothing], {
    quorum: {
      ...quorum,
      noteOff: async (...given) => {
        const noted = await quorum.noteOff(...given);
        // Powered on by somebody, and not a member yet: the tags are all there is. Then it joins.
        world.peer = {
          ...world.peer,
          on: true,
          member: true,
          serving: true,
          holding: { ...voter, lineage: { epoch: 6, owner: "b" } },
        };
        return noted;
      },
    },
  });
  assert.equal(world.boot.quorum, false);
});

test("with quorum and nothing started it only says what Pacemaker waits for", async () => {
  const world = lone();
  world.boot = { ...world.boot, quorum: true };
  const { said, steps } = await watched(world, [nothing]);
  assert.deepEqual(steps, []);
  assert.match(
    said[0] ?? "",
    /^a has quorum, and Pacemaker starts nothing before b is fenced, nor on standby or in maintenance \(`duet status`\)\. R-/,
  );
});

test("who is with its peer, or started, has nothing to say", async () => {
  const world = lone();
  world.peer = { ...world.peer, on: true, member: true };
  const facts = async (): Promise<Facts> => ({ ...world.facts(), fencePending: false });
  assert.deepEqual((await watched(world, [nothing, nothing], { facts })).said, []);
  assert.deepEqual((await watched(lone(), [])).said, []);
});

test("who waits long for the same calls a person, once; who waits for something else begins anew", async () => {
  const world = lone();
  // Both booted with the wire cut: each sees the other on.
  world.peer = { ...world.peer, on: true };
  const six = Array.from({ length: 6 }, () => nothing);
  assert.deepEqual((await watched(world, six)).called, ["R-PEER-ON"]);
  const changing = [
    nothing,
    nothing,
    () => (world.tags = { mine: undefined, theirs: undefined }),
    nothing,
    nothing,
  ];
  assert.deepEqual((await watched(world, changing)).called, []);
});

test("a lone start that the rules allow, and that can't be done, is told with its reason", async () => {
  const world = lone();
  const bmc = {
    ...world.effects.bmc,
    commandOff: async () => failed("refused", "it refuses the credentials"),
  };
  const { told } = await watched(world, [nothing, nothing], { bmc });
  assert.match(told.join(), /refuses the credentials/);
  world.tags = { mine: { epoch: 6, owner: "b" }, theirs: { epoch: 6, owner: "b" } };
  assert.deepEqual((await watched(world, [nothing, nothing])).told, [], "that is for the rules to say");
});
