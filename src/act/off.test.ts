import assert from "node:assert/strict";
import { test } from "node:test";
import { done, type Effects, failed, type OffSwitch, type OffWay, type Outcome, success } from "./effects.ts";
import { type MayCommand, type Moment, proveOff } from "./off.ts";
import { fast, FakeWorld } from "./testing.ts";

const two: readonly OffWay[] = [["BMC"], ["outlet 1", "outlet 2"]];
const one: readonly OffWay[] = [["BMC"], ["outlet"]];
const mayAlways: MayCommand = async function* () {
  yield "may";
  return undefined;
};

type By = Parameters<Effects["bmc"]["peerPower"]>[1];

interface Peer {
  readonly ways?: readonly OffWay[];
  /** What each answers to the command, or to one after the other; the others take it. */
  readonly answers?: Partial<Record<OffSwitch, Outcome | readonly Outcome[]>>;
  /** What is read after the commands: by everybody, or by its BMC alone. */
  readonly power?: (by: By) => Outcome<"on" | "off">;
  readonly may?: MayCommand;
}

/** Reads Off all the time, as a BMC or an outlet with an old reading may tell. */
async function prove({ ways = two, answers = {}, power = () => success("off"), may = mayAlways }: Peer) {
  const { effects } = new FakeWorld();
  const commands: OffSwitch[] = [];
  const bmc: Effects["bmc"] = {
    ...effects.bmc,
    offWays: ways,
    commandOff: async (at) => {
      const before = commands.filter((each) => each === at).length;
      commands.push(at);
      const said = answers[at] ?? done;
      return "ok" in said ? said : (said[before] ?? done);
    },
    peerPower: async (_, by) => power(by),
  };
  const steps = proveOff({ ...effects, bmc }, fast, may);
  for (;;) {
    const next = await steps.next();
    if (next.done === true) return { commands, end: next.value };
  }
}
const proven = async (peer: Peer) => (await prove(peer)).end.ok;

const silent = failed("unreachable", "no answer");
const refused = failed("refused", "401");
const late = failed("deadline", "its answer did not come");
/** The BMC has no power, so the outlets tell. */
const byOutlets = (said: "on" | "off") => (by: By) => (by === "BMC" ? silent : success(said));

test("Off that is read proves nothing where no command can have been taken", async () => {
  const ways: readonly OffWay[] = [["BMC"]];
  for (const kind of ["refused", "failed", "unreachable", "changed"] as const)
    assert.equal(await proven({ ways, answers: { BMC: failed(kind, kind) } }), false, kind);
  assert.equal(await proven({ ways: one, answers: { BMC: refused, outlet: silent } }), false);
});

test("a command that was taken, and Off read after it, are a proof", async () => {
  const ways: readonly OffWay[] = [["BMC"]];
  assert.equal(await proven({ ways }), true);
  assert.equal(await proven({ ways: one, answers: { BMC: refused } }), true);
  assert.equal(await proven({ ways, power: () => success("on") }), false);
});

test("behind a command that was not answered Off is believed once a further one is taken", async () => {
  const ways: readonly OffWay[] = [["BMC"]];
  const slow = await prove({ ways, answers: { BMC: [late, done] } });
  assert.deepEqual(slow.commands, ["BMC", "BMC"]);
  assert.ok(slow.end.ok);
  const asked: Moment[] = [];
  const may: MayCommand = async function* (moment) {
    yield "may";
    asked.push(moment);
    return undefined;
  };
  assert.equal(await proven({ ways: one, answers: { BMC: [late, done], outlet: refused }, may }), true);
  assert.deepEqual(asked, ["begin", "begin", "shows off"]);
  // It shows Off because it can't see its machine; that it refuses is lost on the way, the first time.
  for (const blind of [refused, late, silent])
    assert.equal(await proven({ ways, answers: { BMC: [late, blind] } }), false);
  // One that still reads On is not commanded twice: it may be slow to act as well.
  const on = await prove({ ways, answers: { BMC: [late, done] }, power: () => success("on") });
  assert.deepEqual(on.commands, ["BMC"]);
  assert.ok(!on.end.ok);
});

test("a BMC that did not answer and shows an old Off is not believed behind an outlet that is still on its way", async () => {
  const power = (by: By) => success(by === "outlets" ? ("on" as const) : ("off" as const));
  assert.equal(await proven({ ways: one, answers: { BMC: [late, refused] }, power }), false);
});

test("a refusal for what the machine is counts as an answer, with the Off that is read by the same BMC", async () => {
  const ways: readonly OffWay[] = [["BMC"]];
  const weighed = failed("weighed", "409");
  assert.equal(await proven({ ways, answers: { BMC: weighed } }), true);
  assert.equal(await proven({ ways, answers: { BMC: [late, weighed] } }), true);
  let reads = 0;
  const on = await prove({
    ways,
    answers: { BMC: weighed },
    power: () => {
      reads++;
      return success("on");
    },
  });
  assert.deepEqual([on.end, reads], [weighed, 2], "it is not waited for");
  // It did nothing: that an outlet reads Off is no word of its own.
  assert.equal(
    await proven({ ways: one, answers: { BMC: weighed, outlet: refused }, power: byOutlets("off") }),
    false,
  );
});

test("the switches of a way that shows Off are not waited for, one by one", async () => {
  const asked: Moment[] = [];
  const may: MayCommand = async function* (moment) {
    yield "may";
    asked.push(moment);
    return undefined;
  };
  const answers = { BMC: silent, "outlet 1": [late, done] };
  assert.equal(await proven({ answers, power: byOutlets("off"), may }), true);
  assert.deepEqual(asked, ["begin", "begin", "go on", "shows off", "shows off"]);
});

test("all outlets of the list are switched, in its order, after the BMC did not do it", async () => {
  const { commands, end } = await prove({ answers: { BMC: silent }, power: byOutlets("off") });
  assert.deepEqual(commands, ["BMC", "outlet 1", "outlet 2"]);
  assert.ok(end.ok);
  assert.deepEqual((await prove({})).commands, ["BMC"]);
});

test("of two outlets one that surely did not take it ends the way, and what was switched before is told", async () => {
  for (const no of [refused, silent, failed("failed", "500")]) {
    const answers = { BMC: silent, "outlet 2": no };
    const { commands, end } = await prove({ answers, power: byOutlets("off") });
    assert.deepEqual(commands, ["BMC", "outlet 1", "outlet 2"]);
    assert.ok(!end.ok);
    assert.match(end.failure.said, /outlet 1 was switched off before that, and the peer may run on/);
    const first = await prove({ answers: { BMC: silent, "outlet 1": no }, power: byOutlets("off") });
    assert.deepEqual(first.commands, ["BMC", "outlet 1"]);
    assert.ok(!first.end.ok && !/switched off/.test(first.end.failure.said));
  }
});

test("outlets that did not all take it are not believed when they read Off, whatever else was taken", async () => {
  for (const BMC of [done, [late, done]])
    for (const part of [{ "outlet 1": refused }, { "outlet 2": refused }]) {
      // The BMC took it, or may have, and is silent from then on; with every outlet it would read Off.
      let reads = 0;
      const power = (by: By) =>
        by === undefined && ++reads <= fast.tries_max ? silent : byOutlets("off")(by);
      assert.equal(
        await proven({ answers: { BMC, ...part }, power: "ok" in BMC ? power : byOutlets("off") }),
        false,
      );
      assert.equal(
        await proven({ answers: { BMC, ...part }, power: () => success("off") }),
        true,
        "by its BMC",
      );
    }
});

test("a BMC that refused and shows an old Off is not believed behind an outlet that is still on its way", async () => {
  for (const BMC of [refused, silent]) {
    const shown: By[] = [];
    const power = (by: By) => {
      shown.push(by);
      // By the outlets it is still on; by the BMC it has been off all the time.
      return success(by === "outlets" ? ("on" as const) : ("off" as const));
    };
    assert.equal(await proven({ ways: one, answers: { BMC }, power }), false);
    assert.deepEqual([...new Set(shown)], ["outlets"]);
    assert.equal(await proven({ ways: one, answers: { BMC }, power: () => success("off") }), true);
  }
});

test("every mixture of answers: Off by outlets is claimed only where each took it, at the second time at the latest", async () => {
  const outcomes = [[done], [late], [late, refused], [late, late], [refused], [silent]];
  for (const first of outcomes)
    for (const second of outcomes) {
      const mayBe = (said: readonly Outcome[]) =>
        said.every(({ ok }, i) => ok || (said[i] === late && i === 0));
      const answers = { BMC: silent, "outlet 1": first, "outlet 2": second };
      const label = JSON.stringify([first, second]);
      assert.equal(await proven({ answers, power: byOutlets("off") }), mayBe(first) && mayBe(second), label);
      assert.equal(await proven({ answers, power: byOutlets("on") }), false, label);
    }
});

test("why the peer does not read Off after all of them took it", async () => {
  const on = failed("unreachable", "the BMC is silent; its outlet 2 is on");
  const { end } = await prove({ answers: { BMC: silent }, power: () => on });
  assert.ok(!end.ok);
  assert.match(end.failure.said, /the command was taken, and the peer does not read Off: .*outlet 2 is on/);
});

test("it is asked before each switch whether it is still right, and a peer that is back between two is told of", async () => {
  const asked: Moment[] = [];
  const may: MayCommand = async function* (moment) {
    yield "may";
    asked.push(moment);
    return moment === "go on" ? "the peer is back" : undefined;
  };
  const { commands, end } = await prove({ answers: { BMC: silent }, power: byOutlets("off"), may });
  assert.deepEqual(commands, ["BMC", "outlet 1"]);
  assert.deepEqual(asked, ["begin", "begin", "go on"]);
  assert.ok(!end.ok && end.failure.kind === "changed");
  assert.match(end.failure.said, /the peer is back; outlet 1 was switched off before that/);
});

test("a BMC that took the command and went dark is waited for twenty seconds, one that answers On for every try", async () => {
  const { effects } = new FakeWorld();
  let clock_ms = 0;
  let reads = 0;
  const readsOf = async (power: Outcome<"on" | "off">, hasClock = true) => {
    reads = 0;
    const quorum = {
      ...effects.quorum,
      loss: async () => success({ ring: "1", since_ms: hasClock ? clock_ms : undefined, wentOff: false }),
    };
    const bmc: Effects["bmc"] = {
      ...effects.bmc,
      offWays: [["BMC"]],
      commandOff: async () => done,
      peerPower: async () => {
        reads += 1;
        clock_ms += 10_000;
        return power;
      },
    };
    const end = await runToEnd(proveOff({ ...effects, bmc, quorum }, fast, mayAlways));
    assert.equal(end.ok, false);
    return reads;
  };
  assert.equal(await readsOf(silent), 2);
  assert.equal(await readsOf(silent, false), 2);
  assert.equal(await readsOf(success("on")), fast.tries_max);
});

async function runToEnd(steps: ReturnType<typeof proveOff>): Promise<Outcome> {
  for (;;) {
    const next = await steps.next();
    if (next.done === true) return next.value;
  }
}
