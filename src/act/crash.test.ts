import assert from "node:assert/strict";
import { test } from "node:test";
import { decide } from "../decide/decide.ts";
import { empty, type Holding } from "../decide/facts.ts";
import type { TableName } from "../decide/rules.ts";
import { done, type Effects, failed } from "./effects.ts";
import { loneStart } from "./lone-start.ts";
import { perform } from "./perform.ts";
import { follow, rejoin } from "./rejoin.ts";
import { runSteps } from "./steps.ts";
import { surrender } from "./surrender.ts";
import { fast, FakeWorld, logOf } from "./testing.ts";
import { lineage, voter, world } from "./testing-pair.ts";

type Kind = "process" | "power";
interface Crash {
  readonly at: number;
  readonly kind: Kind;
}

/** Decides and acts until there is nothing to do, dying where it is told to. Gives how many steps were begun. */
async function live(
  made: FakeWorld,
  crashes: readonly Crash[],
  question: TableName = "start",
): Promise<number> {
  let begun = 0;
  for (let round = 0; round < 40; round++) {
    const { decision } = decide(question, made.facts());
    // Without quorum only the guard acts.
    const steps = made.boot.quorum
      ? perform(made.effects, fast, made.facts(), decision)
      : loneStart(made.effects, fast);
    if (steps === undefined) return begun;
    const before = begun;
    for (;;) {
      const { done } = await steps.next();
      if (done === true) break;
      const step = begun++;
      const crash = crashes.find(({ at }) => at === step);
      if (crash === undefined) continue;
      made.crash(crash.kind);
      meet(made);
      break;
    }
    if (!made.boot.quorum && begun === before) return begun;
    if (question === "leave" && !made.etcd.running) return begun;
  }
  return assert.fail(`it never ends: ${JSON.stringify(decide(question, made.facts()))}`);
}

/** A peer that was powered on joins while this machine boots. */
function meet(made: FakeWorld): void {
  if (!made.peer.on || made.boot.heard) return;
  made.peer = { ...made.peer, member: true };
  made.boot.heard = true;
}

/** Without a crash, with one at every step, with two at every pair of steps, of either kind. */
async function everywhere(
  make: () => FakeWorld,
  check: (made: FakeWorld, crashes: readonly Crash[]) => void,
  question: TableName = "start",
): Promise<number> {
  let runs = 0;
  const run = async (crashes: readonly Crash[]): Promise<number> => {
    const made = make();
    const steps = await live(made, crashes, question);
    check(made, crashes);
    runs++;
    return steps;
  };
  const kinds = ["process", "power"] as const;
  const steps = await run([]);
  assert.ok(steps > 3, `only ${steps} steps`);
  for (let at = 0; at < steps; at++)
    for (const kind of kinds) {
      const more = await run([{ at, kind }]);
      for (let second = at + 1; second < more; second++)
        for (const again of kinds)
          await run([
            { at, kind },
            { at: second, kind: again },
          ]);
    }
  return runs;
}

const lost = (): FakeWorld => {
  const made = world(voter, voter);
  made.etcd.running = true;
  made.peer = { ...made.peer, on: false, member: false };
  made.boot.proven = true;
  made.ghost = true;
  return made;
};

function servesAlone(made: FakeWorld): void {
  const { state, etcd, tags } = made;
  assert.equal(state.lineage?.owner, "a");
  assert.ok(state.lineage.epoch > 5 && state.full);
  assert.equal(state.takeover, undefined);
  assert.deepEqual([etcd.running, etcd.flag, etcd.forced, made.ghost], [true, false, 1, false]);
  assert.ok(
    [tags.mine, tags.theirs].some((tag) => tag?.epoch === state.lineage?.epoch && tag?.owner === "a"),
  );
}

test("a takeover that is cut short anywhere, once or twice, ends as one that is not", async (t) => {
  const runs = await everywhere(lost, (made) => servesAlone(made));
  t.diagnostic(`${runs} runs`);
});

/** The peer took over as 6, and an admin accepts the loss of that. */
const accepted = (): FakeWorld => {
  const made = lost();
  made.tags = { mine: { epoch: 6, owner: "b" }, theirs: { epoch: 6, owner: "b" } };
  made.peer = { ...made.peer, holding: { ...voter, lineage: { epoch: 6, owner: "b" } } };
  made.word = { peerDown: true, accept: 6, choose: undefined };
  return made;
};

function servesRaised(made: FakeWorld): void {
  servesAlone(made);
  assert.ok((made.state.lineage?.epoch ?? 0) >= 1_000_000);
  assert.deepEqual([made.bump.times, made.bump.between, made.bump.staged], [1, false, undefined]);
  assert.deepEqual([made.state.bump, made.etcd.closed, made.kept], [undefined, false, 1]);
}

test("a takeover after an accepted loss that is cut short anywhere raises the revisions once, and before it serves", async (t) => {
  const runs = await everywhere(accepted, servesRaised);
  t.diagnostic(`${runs} runs`);
});

test("the moment between the two renames of a swap is gone on from, and is never a machine without data", async () => {
  let cut = 0;
  const runs = await everywhere(
    () => {
      const made = accepted();
      let open = true;
      made.cutIn = () => {
        const now = open;
        open = false;
        cut++;
        return now;
      };
      return made;
    },
    (made) => servesRaised(made),
  );
  assert.ok(cut >= runs);
});

test("a raise that was left behind by a later intent, which came to nothing, is done before a plain start", async () => {
  const made = world({ ...voter, soleVoter: true, lineage: { epoch: 1_000_000, owner: "a" } }, voter);
  made.state = { ...made.state, bump: "owed", takeover: { step: "abandoned", epoch: 1_000_001 } };
  made.bump = { ...made.bump, staged: 1_000_000, between: true };
  made.peer = { ...made.peer, holding: { ...voter, surrendered: 1_000_000 } };
  await live(made, []);
  assert.deepEqual([made.etcd.running, made.state.bump, made.bump.times], [true, undefined, 1]);
  assert.deepEqual(made.state.takeover, { step: "abandoned", epoch: 1_000_001 });
});

test("one dead BMC does not keep a survivor from serving, two do", async () => {
  const one = lost();
  one.dead.add("theirs");
  await live(one, []);
  servesAlone(one);
  const two = lost();
  two.dead.add("theirs").add("mine");
  await assert.rejects(live(two, []), /it never ends/);
  assert.deepEqual([two.state.lineage, two.etcd.forced, two.state.takeover?.step], [lineage, 0, "intent"]);
});

test("a peer that comes back before `served` ends the takeover, and both go on as voters", async () => {
  for (let at = 1; at < 4; at++) {
    const made = lost();
    const { decision } = decide("start", made.facts());
    const steps = perform(made.effects, fast, made.facts(), decision);
    assert.ok(steps);
    for (let i = 0; i <= at; i++) await steps.next();
    made.peer = { ...made.peer, on: true, member: true };
    made.boot.heard = true;
    if (at === 3) {
      const end = await steps.next();
      assert.deepEqual(end.value, {
        done: false,
        why: "the peer was seen again, or its Off is no longer proven",
      });
    }
    await live(made, []);
    assert.deepEqual([made.state.lineage, made.etcd.forced, made.etcd.running], [lineage, 0, true]);
    assert.deepEqual([made.state.takeover, made.state.settled.mine], [{ step: "abandoned", epoch: 6 }, 6]);
  }
});

test("a machine with older data rejoins: moved aside once, full only after its marker", async (t) => {
  const newer = { epoch: 6, owner: "b" };
  const peer: Holding = { ...voter, lineage: newer, soleVoter: true };
  const make = () => {
    const made = world(voter, peer);
    made.peer.serving = true;
    made.tags = { mine: newer, theirs: newer };
    made.learner_tries = 2;
    return made;
  };
  const runs = await everywhere(make, ({ state, log, kept, etcd }) => {
    assert.deepEqual([state.lineage, state.full, state.surrendered], [newer, true, undefined]);
    assert.deepEqual([log.standing, kept, etcd.running], ["voter", 1, true]);
  });
  t.diagnostic(`${runs} runs`);
});

test("who served by a higher epoch, and joins a lower one that somebody chose, never uses that epoch again", async () => {
  const chosen = { epoch: 1_000_000, owner: "b" };
  const make = (epoch: number) => {
    const made = world(
      { ...voter, lineage: { epoch, owner: "a" }, surrendered: epoch + 1 },
      { ...voter, lineage: chosen, soleVoter: true },
    );
    made.peer.serving = true;
    return made;
  };
  const given = make(4_000_000);
  assert.deepEqual(await runSteps(rejoin(given.effects, fast), () => undefined), { done: true });
  assert.deepEqual(given.state.lineage, chosen);
  assert.deepEqual(given.state.takeover, { step: "abandoned", epoch: 4_000_000 });
  const older = make(5);
  assert.deepEqual(await runSteps(rejoin(older.effects, fast), () => undefined), { done: true });
  assert.equal(older.state.takeover, undefined, "one below what it joins is none to remember");
});

test("a force flag that an own takeover left is gone before a member is added, or a learner started", async () => {
  const peer: Holding = { ...voter, lineage: { epoch: 6, owner: "b" }, soleVoter: true };
  for (const steps of [rejoin, follow]) {
    const made = world({ ...voter, standing: steps === follow ? "learner" : "voter" }, peer);
    made.peer.serving = true;
    await made.effects.unit.setForceFlag();
    const flagged: string[] = [];
    await runSteps(steps(made.effects, fast), (step) => {
      if (made.etcd.flag) flagged.push(step);
    });
    assert.deepEqual(
      flagged.filter(
        (step) => !/^(stop etcd|end what is left of etcd|drop a force flag that was left)$/.test(step),
      ),
      [],
    );
    assert.equal(made.etcd.flag, false);
  }
});

test("with a torn file of its own a machine gives up and rejoins as with a lost one", async () => {
  for (const steps of ["surrender", "rejoin"] as const) {
    const world = new FakeWorld();
    world.log = { ...logOf(empty), data: true, standing: "unknown", committed: false };
    world.peer = { ...world.peer, serving: true, holding: { ...voter, soleVoter: true } };
    let torn = true;
    const { effects } = world;
    const disk: Effects["disk"] = {
      ...effects.disk,
      readState: async () => (torn ? failed("failed", "it is torn") : await effects.disk.readState()),
      setStateAside: async () => {
        torn = false;
        return done;
      },
    };
    const run = steps === "rejoin" ? rejoin : (...given: Parameters<typeof rejoin>) => surrender(...given, 7);
    const names: string[] = [];
    const end = await runSteps(run({ ...effects, disk }, fast), (step) => names.push(step));
    assert.ok(!torn && names.includes("keep duet's torn file aside"), names.join(", "));
    assert.deepEqual(end, { done: true }, steps);
  }
});

test("older data is given up, not moved, while the newer peer does not serve", async () => {
  const made = world(voter, { ...voter, lineage: { epoch: 6, owner: "b" } });
  await live(made, []);
  assert.deepEqual(
    [made.state.surrendered, made.kept, made.etcd.running, made.etcd.masked],
    [7, 0, false, true],
  );
  made.peer.holding = { ...made.peer.holding, soleVoter: true };
  made.peer.serving = true;
  await live(made, []);
  assert.deepEqual([made.state.lineage?.epoch, made.state.full, made.kept], [6, true, 1]);
});

test("a peer that gave its data up is taken over from, with nobody fenced", async (t) => {
  const runs = await everywhere(
    () => world(voter, { ...voter, surrendered: 6, standing: "unknown" }),
    (made) => {
      made.ghost = false;
      servesAlone(made);
      assert.ok(made.peer.on);
    },
  );
  t.diagnostic(`${runs} runs`);
});

test("a lone boot beside a peer that is off ends in a takeover, wherever it is cut short", async (t) => {
  const make = () => {
    const made = lost();
    made.etcd.running = false;
    made.boot = { ...made.boot, heard: false, proven: false, quorum: false };
    return made;
  };
  const runs = await everywhere(make, (made) => {
    servesAlone(made);
    assert.ok(made.boot.quorum);
  });
  t.diagnostic(`${runs} runs`);
});

test("a lone boot beside a peer that is on changes nothing", async () => {
  const made = world(voter, voter);
  made.peer = { ...made.peer, member: false };
  made.boot = { ...made.boot, heard: false, quorum: false };
  assert.equal(await live(made, []), 0);
  assert.deepEqual([made.etcd.running, made.boot.quorum, made.state.takeover], [false, false, undefined]);
});

test("a machine that leaves is out, or back as it was, wherever it is cut short", async (t) => {
  const make = () => {
    const made = world(voter, voter);
    made.etcd.running = true;
    return made;
  };
  const runs = await everywhere(
    make,
    (made) => {
      assert.equal(made.etcd.running, false);
      assert.ok(made.peer.holding.soleVoter !== (made.log.standing === "voter"));
      if (made.log.standing === "removed") assert.equal(made.state.full, false);
    },
    "leave",
  );
  t.diagnostic(`${runs} runs`);
});

test("a surrender that is cut off before it is written was none: what can be read starts again", async (t) => {
  let cut = 0;
  for (const kind of ["process", "power"] as const)
    for (let at = 0; ; at += 1) {
      const made = world(voter, voter);
      made.etcd.running = true;
      const steps = surrender(made.effects, fast, 5);
      let begun = 0;
      while (begun <= at && (await steps.next()).done !== true) begun += 1;
      if (begun <= at) break;
      made.crash(kind);
      meet(made);
      cut += 1;
      await live(made, []);
      const over = made.state.surrendered !== undefined;
      assert.deepEqual([made.etcd.running, made.etcd.masked], [!over, over], `${kind} at ${at}`);
    }
  t.diagnostic(`${cut} cuts`);
});

test("a surrender that is cut short is finished, and etcd is never running behind it", async (t) => {
  const make = () => {
    const made = world({ ...voter, standing: "unknown" }, voter);
    made.etcd.running = false;
    return made;
  };
  const runs = await everywhere(make, ({ state, etcd }) => {
    assert.deepEqual([state.surrendered, etcd.running, etcd.masked], [6, false, true]);
  });
  t.diagnostic(`${runs} runs`);
});
