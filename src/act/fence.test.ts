import assert from "node:assert/strict";
import { test } from "node:test";
import { type Facts, type Holding, no_word, type Word } from "../decide/facts.ts";
import { done, type Effects, failed, success } from "./effects.ts";
import { fencePeer } from "./fence.ts";
import { commandDeadline_ms } from "./off.ts";
import { runSteps } from "./steps.ts";
import { voter } from "./testing-pair.ts";
import { Race, times } from "./testing-race.ts";

test("each commands in its own turn, and Off is noted for this loss", async () => {
  for (const [turn, at_ms] of [
    [0, 0],
    [1, 10_000],
    [2, 20_000],
  ] as const) {
    const race = new Race(turn);
    assert.deepEqual(await race.fence(), { done: true });
    assert.deepEqual(race.commands, [`BMC at ${at_ms}`]);
    assert.ok(race.boot.proven);
  }
});

test("who is late for its turn waits for the next, and whose first way is deaf does not run into the other's turn", async () => {
  const late = new Race(0);
  late.loss = { ring: "1", since_ms: 6_000, wentOff: false };
  await late.fence();
  assert.deepEqual(late.commands, ["BMC at 24000"]);
  const deaf = new Race(1);
  deaf.deaf.add("BMC");
  await deaf.fence();
  assert.deepEqual(deaf.commands, ["BMC at 10000", "outlet at 10000"]);
});

test("an outlet for which the window has no room left is switched in the next turn, and the way is still one", async () => {
  const race = new Race(0);
  race.deaf.add("BMC");
  const { racing } = race;
  const bmc: Effects["bmc"] = {
    ...racing.bmc,
    offWays: [["BMC"], ["outlet 1", "outlet 2"]],
    commandOff: async (at, deadline_ms) => {
      const taken = await racing.bmc.commandOff(at, deadline_ms);
      // Slow, and the machine runs until the last of them is off.
      race.now_ms += at === "outlet 1" ? 6_000 : 0;
      race.peer = { ...race.peer, on: at !== "outlet 2" };
      return taken;
    },
  };
  assert.deepEqual(await runSteps(fencePeer({ ...racing, bmc }, times)), { done: true });
  assert.deepEqual(race.commands, ["BMC at 0", "outlet 1 at 0", "outlet 2 at 30000"]);
});

test("who waited for its turn asks once more whether it may: etcd that failed meanwhile leaves the peer on", async () => {
  const race = new Race(1);
  const { racing } = race;
  const pause: Effects["pause"] = async (ms) => {
    await racing.pause(ms);
    race.etcd = { ...race.etcd, running: false, failedStarts: 3 };
  };
  const outcome = await runSteps(fencePeer({ ...racing, pause }, times));
  assert.equal(outcome.done, false);
  assert.match(JSON.stringify(outcome), /does not start: with .* off nobody would serve/);
  assert.deepEqual(race.commands, []);
});

test("to ask once more takes time: whose turn is over by then waits for its next one", async () => {
  const race = new Race(1);
  const { racing } = race;
  let asked = 0;
  const facts: Effects["facts"] = async () => {
    asked += 1;
    // A slow BMC: the first look after the wait takes longer than the window.
    if (asked === 2) race.now_ms += 6_000;
    return await racing.facts();
  };
  assert.deepEqual(await runSteps(fencePeer({ ...racing, facts }, times)), { done: true });
  assert.deepEqual(race.commands, ["BMC at 40000"]);
  assert.equal(asked, 3);
});

test("who can't tell when the loss was lets a whole round pass; two that can't tell are a turn apart", async () => {
  for (const [turn, at_ms] of [
    [0, 30_000],
    [1, 40_000],
    [2, 50_000],
  ] as const) {
    const race = new Race(turn);
    race.loss = { ring: "1", since_ms: undefined, wentOff: false };
    assert.deepEqual(await race.fence(), { done: true });
    assert.deepEqual(race.commands, [`BMC at ${at_ms}`]);
  }
});

test("a look at the membership that fails does not end a fence that waits; several in a row do", async () => {
  for (const [fails, commands] of [
    [3, ["BMC at 10000"]],
    [1_000, []],
  ] as const) {
    const race = new Race(1);
    const { racing } = race;
    let looks = 0;
    const quorum: Effects["quorum"] = {
      ...racing.quorum,
      loss: async () => {
        looks += 1;
        // The first two are the fence's own beginning.
        return looks > 2 && looks <= 2 + fails
          ? failed("failed", "Corosync is busy")
          : await racing.quorum.loss();
      },
    };
    const { done: isDone } = await runSteps(fencePeer({ ...racing, quorum }, { ...times, again_ms: 500 }));
    assert.equal(isDone, commands.length > 0);
    assert.deepEqual(race.commands, commands);
  }
});

test("a peer that is back while the turn is waited for does not wait for its end", async () => {
  const race = new Race(2);
  const { racing } = race;
  const pause: Effects["pause"] = async (ms) => {
    await racing.pause(ms);
    if (race.now_ms >= 3_000) race.loss = undefined;
  };
  const outcome = await runSteps(fencePeer({ ...racing, pause }, { ...times, again_ms: 500 }));
  assert.match(JSON.stringify(outcome), /the membership has changed/);
  assert.equal(race.now_ms, 4_000);
  assert.deepEqual(race.commands, []);
});

test("Off that another fence of this loss has proven meanwhile is waited for no longer, and not commanded again", async () => {
  const waits: ReadonlyMap<string, Partial<Facts>> = new Map([
    ["its turn", {}],
    ["for a peer that left to go off", { fencePending: false }],
  ]);
  for (const [what, picture] of waits) {
    const race = new Race(2);
    const { racing } = race;
    let told = 0;
    const facts: Effects["facts"] = async () => ({ ...race.facts(), ...picture, peerPower: "on" });
    const pause: Effects["pause"] = async (ms) => {
      await racing.pause(ms);
      if (race.now_ms >= 3_000) race.loss = { ring: "1", since_ms: 0, wentOff: false, proven: true };
    };
    const steps = fencePeer({ ...racing, facts, pause }, { ...times, again_ms: 500 }, () => {
      told += 1;
    });
    assert.deepEqual(await runSteps(steps), { done: true }, what);
    assert.deepEqual([race.now_ms, race.commands, told], [4_000, [], 1], what);
  }
});

test("nor is it read any longer where what took the command does not show it", async () => {
  const race = new Race(0);
  const { racing } = race;
  const bmc: Effects["bmc"] = {
    ...racing.bmc,
    commandOff: async (way) => {
      race.commands.push(way);
      return done;
    },
    peerPower: async () => failed("unreachable", "no answer"),
  };
  const pause: Effects["pause"] = async (ms) => {
    await racing.pause(ms);
    if (race.commands.length === 0) return;
    race.peer = { ...race.peer, on: false };
    race.loss = { ring: "1", since_ms: 0, wentOff: false, proven: true };
  };
  let told = 0;
  const steps = fencePeer({ ...racing, bmc, pause }, times, () => {
    told += 1;
  });
  assert.deepEqual(await runSteps(steps), { done: true });
  assert.deepEqual([race.commands, told], [["BMC"], 1]);
});

test("Off that was proven of another loss ends nothing", async () => {
  const race = new Race(2);
  const { racing } = race;
  const pause: Effects["pause"] = async (ms) => {
    await racing.pause(ms);
    if (race.now_ms >= 3_000) race.loss = { ring: "2", since_ms: 0, wentOff: false, proven: true };
  };
  const outcome = await runSteps(fencePeer({ ...racing, pause }, { ...times, again_ms: 500 }));
  assert.match(JSON.stringify(outcome), /the membership has changed/);
  assert.deepEqual(race.commands, []);
});

test("a peer that reads Off is commanded at once: there is nobody to race", async () => {
  const race = new Race(2);
  race.peer = { ...race.peer, on: false };
  assert.deepEqual(await race.fence(), { done: true });
  assert.deepEqual(race.commands, ["BMC at 0"]);
});

test("what a hurried look could not read is read while the turn is waited for", async () => {
  for (const on of [false, true]) {
    const race = new Race(2);
    race.peer = { ...race.peer, on };
    const { racing } = race;
    const hurried: Effects = {
      ...racing,
      facts: async () => ({ ...race.facts(), peerPower: "unreadable" }),
      bmc: {
        ...racing.bmc,
        peerPower: async (deadline_ms) => {
          race.now_ms += Math.min(deadline_ms, 5_000);
          return success(race.peer.on ? "on" : "off");
        },
      },
    };
    assert.deepEqual(await runSteps(fencePeer(hurried, times)), { done: true });
    assert.deepEqual(race.commands, [on ? "BMC at 20000" : "BMC at 5000"]);
  }
});

test("a silent way leaves the next one its room in the window; the only one has all of it", () => {
  const slow = { ...times, bmc_ms: 32_000, turn_ms: 70_000 };
  assert.equal(commandDeadline_ms(slow, 2), 5_000);
  assert.equal(commandDeadline_ms(slow, 1), 10_000);
  assert.equal(commandDeadline_ms({ ...slow, turn_ms: 10_000 }, 1), 5_000);
  assert.equal(commandDeadline_ms({ ...slow, bmc_ms: 4_000 }, 1), 4_000);
});

test("a peer that is back while On is commanded was not fenced, whatever was read before", async () => {
  const sole: Holding = { ...voter, soleVoter: true };
  const whole = new Race(0, sole);
  assert.deepEqual(await whole.fence(), { done: true });
  assert.deepEqual(whole.commands, ["BMC at 0", "on"]);

  const back = new Race(0, sole);
  const { racing } = back;
  const bmc: Effects["bmc"] = {
    ...racing.bmc,
    commandOn: async () => {
      back.loss = undefined;
      return done;
    },
  };
  const end = await runSteps(fencePeer({ ...racing, bmc }, times));
  assert.equal(end.done, false);
});

test("a fence is for one loss: another membership, a refusal, or no turn at all ends it without a command", async () => {
  const back = new Race(1);
  const { racing } = back;
  const moved: Effects = {
    ...racing,
    pause: async () => {
      back.loss = { ring: "2", since_ms: 0, wentOff: false };
    },
  };
  assert.equal((await runSteps(fencePeer(moved, times))).done, false);
  const learner = new Race(0, { ...voter, standing: "learner", full: false });
  assert.equal((await learner.fence()).done, false);
  const fresh = new Race(0);
  fresh.state = { ...fresh.state, turn: undefined };
  assert.equal((await fresh.fence()).done, false);
  assert.deepEqual([...back.commands, ...learner.commands, ...fresh.commands], []);
});

test("Off that is not read is no success, whatever was answered", async () => {
  const race = new Race(0);
  const { racing } = race;
  const liar: Effects = { ...racing, bmc: { ...racing.bmc, commandOff: async () => done } };
  assert.equal((await runSteps(fencePeer(liar, times))).done, false);
  assert.ok(!race.boot.proven);
});

test("a word ends a fence only where this machine serves on it: else Pacemaker would never try again", async () => {
  const fence = async (word: Word, power: Facts["peerPower"]) => {
    const race = new Race(0);
    const { racing } = race;
    const silent: Effects = {
      ...racing,
      facts: async () => ({ ...(await racing.facts()), word, peerPower: power }),
      bmc: {
        ...racing.bmc,
        commandOff: async () => failed("deadline", "no answer"),
        peerPower: async () => (power === "on" ? success("on") : failed("deadline", "no answer")),
      },
    };
    race.dead.add("theirs");
    return (await runSteps(fencePeer(silent, times))).done;
  };
  const word: Word = { ...no_word, peerDown: true };
  assert.equal(await fence(word, "unreadable"), false, "the tags can't be read: nothing but a word");
  assert.equal(await fence({ ...word, accept: "unknown" }, "unreadable"), true);
  assert.equal(await fence({ ...word, accept: "unknown" }, "on"), false);
});

test("who serves alone powers on again what it fenced, and who has yet to take over does not", async () => {
  const alone = new Race(0, { ...voter, soleVoter: true });
  await alone.fence();
  assert.deepEqual(alone.commands, ["BMC at 0", "on"]);
  // An earlier one that came to nothing stays noted, and is not under way.
  const spent = new Race(0, { ...voter, soleVoter: true, takeover: { step: "abandoned", epoch: 6 } });
  await spent.fence();
  assert.deepEqual(spent.commands, ["BMC at 0", "on"]);
  const meant = new Race(0, { ...voter, soleVoter: true, takeover: { step: "intent", epoch: 6 } });
  await meant.fence();
  assert.deepEqual(meant.commands, ["BMC at 0"]);
});

test("a peer that left in order is given time to go off, and then it stays off", async () => {
  const race = new Race(0);
  const { racing } = race;
  let looks = 0;
  const leaving: Effects = {
    ...racing,
    facts: async () => ({ ...race.facts(), fencePending: false, peerPower: "on" }),
    bmc: {
      ...racing.bmc,
      peerPower: async () => {
        looks += 1;
        if (looks >= 3) race.peer = { ...race.peer, on: false };
        return success(race.peer.on ? "on" : "off");
      },
    },
    quorum: {
      ...racing.quorum,
      noteOff: async (ring, wentOff) => {
        race.commands.push(`noted for ${ring}, went off: ${wentOff}`);
        return done;
      },
    },
  };
  assert.deepEqual(await runSteps(fencePeer(leaving, times)), { done: true });
  assert.deepEqual(race.commands, ["BMC at 4000", "noted for 1, went off: true"]);
});
