import assert from "node:assert/strict";
import { test } from "node:test";
import { empty, type Facts, type Holding } from "../decide/facts.ts";
import { type Effects, failed, success } from "./effects.ts";
import { notingOn, type OwedOn, powerOn, powerOnLater } from "./power-on.ts";
import { runSteps } from "./steps.ts";
import { fast, FakeWorld, logOf, pick } from "./testing.ts";

const alone: Holding = {
  ...empty,
  data: true,
  standing: "voter",
  lineage: { epoch: 6, owner: "a" },
  full: true,
  soleVoter: true,
};

class Owed implements OwedOn {
  times = 0;
  ago_ms = 0;
  readonly tries = () => ({ count: this.times, ago_ms: this.ago_ms });
  readonly count = () => {
    this.times += 1;
    this.ago_ms = 0;
  };
  readonly forget = () => {
    this.times = 0;
  };
}

/** A survivor whose peer was switched off at its outlets, with a BMC that takes its time. */
function survivor() {
  const world = new FakeWorld();
  world.state = pick(alone);
  world.log = { ...logOf(alone), committed: true };
  world.etcd.running = true;
  world.peer = { ...world.peer, on: false, member: false };
  world.boot.proven = true;
  const peer = { booted: false, fed: false, commands: 0, wentOff: false };
  const owed = new Owed();
  const bmc: Effects["bmc"] = {
    ...world.effects.bmc,
    peerPower: async () => {
      if (peer.fed && !peer.booted) return failed("unreachable", "its outlet is on");
      return success(world.peer.on ? "on" : "off");
    },
    commandOn: async (deadline_ms) => {
      peer.commands += 1;
      peer.fed = true;
      return peer.booted ? await world.effects.bmc.commandOn(deadline_ms) : failed("unreachable", "it boots");
    },
  };
  const quorum: Effects["quorum"] = {
    ...world.effects.quorum,
    loss: async () =>
      success(world.peer.member ? undefined : { ring: "1", since_ms: 0, wentOff: peer.wentOff }),
  };
  const effects = { ...world.effects, quorum, bmc: notingOn(bmc, owed) };
  const power = (): Facts["peerPower"] => {
    if (!peer.booted) return peer.fed ? "fed" : "off";
    return world.peer.on ? "on" : "off";
  };
  const look = (): Facts => ({ ...world.facts(), fencePending: false, peerPower: power() });
  const later = async (facts = look()) => await runSteps(powerOnLater(effects, fast, facts, owed));
  return { world, peer, owed, effects, look, later };
}

test("a peer whose BMC boots for longer than the takeover waits is powered on at a later look, once", async () => {
  const { world, peer, owed, effects, later } = survivor();
  assert.deepEqual(await runSteps(powerOn(effects, fast)), { done: true });
  assert.deepEqual([peer.fed, peer.commands, owed.times], [true, 1, 1]);
  owed.ago_ms = 120_000;
  await later();
  assert.equal(peer.commands, 1, "it is not asked for what it can't do yet");
  peer.booted = true;
  await later();
  assert.deepEqual([peer.commands, world.peer.on, owed.times], [2, true, 0]);
  // Somebody switches it off again: that is his wish.
  world.peer = { ...world.peer, on: false };
  await later();
  assert.equal(peer.commands, 2);
});

test("where no On is owed nothing is commanded: a peer that is off may be so for a reason", async () => {
  const { peer, later } = survivor();
  peer.booted = true;
  await later();
  assert.equal(peer.commands, 0);
});

test("it is over when the peer is on or here, when somebody shut it down, and after a while", async () => {
  const ends: Record<string, (made: ReturnType<typeof survivor>) => void> = {
    "it is on": ({ world }) => (world.peer = { ...world.peer, on: true }),
    "it is here": ({ world }) => (world.peer = { ...world.peer, member: true }),
    "it went off by plan": ({ peer }) => (peer.wentOff = true),
    "ten minutes passed": ({ owed }) => (owed.ago_ms = 10 * 60_000 + 1),
    "it refuses for ever": ({ owed }) => (owed.times = 40),
  };
  for (const [why, end] of Object.entries(ends)) {
    const made = survivor();
    made.peer.booted = true;
    made.owed.times = 1;
    end(made);
    await made.later();
    assert.deepEqual([made.peer.commands, made.owed.times], [0, 0], why);
  }
});

test("nobody is powered on who may be about to be switched off, or before this machine serves alone", async () => {
  const { peer, owed, look, later, world } = survivor();
  peer.booted = true;
  owed.times = 1;
  for (const changed of [
    { fencePending: true },
    { proof: "none" },
    { self: { ...alone, soleVoter: false } },
    { self: { ...alone, takeover: { step: "served", epoch: 7 } } },
    { etcd: { running: true, leader: false, failedStarts: 0 } },
    { peerPower: "fed" },
    { peerPower: "unreadable" },
  ] as const)
    await later({ ...look(), ...changed });
  assert.deepEqual([peer.commands, owed.times], [0, 1]);
  await later();
  assert.ok(world.peer.on);
});

test("a BMC that is there and refuses is asked at each look, and one that is cut off in the command is owed it", async () => {
  const { peer, owed, effects, look } = survivor();
  peer.booted = true;
  owed.times = 1;
  const commandOn = async () => failed("failed", "busy");
  for (let looks = 2; looks <= 4; looks++) {
    const bmc = notingOn({ ...effects.bmc, commandOn }, owed);
    await runSteps(powerOnLater({ ...effects, bmc }, fast, look(), owed));
    assert.equal(owed.times, looks);
  }
  const cut = notingOn({ ...effects.bmc, commandOn: () => Promise.reject(new Error("cut off")) }, owed);
  await assert.rejects(cut.commandOn(1));
  assert.equal(owed.times, 5);
});
