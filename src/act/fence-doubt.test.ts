import assert from "node:assert/strict";
import { test } from "node:test";
import type { Facts } from "../decide/facts.ts";
import { done, type Effects, failed, type Failure, success } from "./effects.ts";
import { fencePeer } from "./fence.ts";
import { runSteps } from "./steps.ts";
import { Race, times } from "./testing-race.ts";

interface Blind {
  readonly kind: Failure["kind"];
  readonly hurried: Facts["peerPower"];
}

/** Its BMC shows Off of a machine that it can't see, and refuses to switch it off. A hurried look may be too short for a slow one. */
function blindBmc(
  race: Race,
  noted: string[],
  { kind = "failed", hurried = "unreadable" }: Partial<Blind> = {},
): Effects {
  const { racing } = race;
  return {
    ...racing,
    quorum: {
      ...racing.quorum,
      noteDoubt: async (ring) => {
        noted.push(ring);
        race.loss = { ring, since_ms: 0, wentOff: false, doubted: true };
        return done;
      },
    },
    facts: async () => ({ ...(await racing.facts()), peerPower: hurried }),
    bmc: {
      ...racing.bmc,
      offWays: [["BMC"]],
      peerPower: async () => success("off"),
      commandOff: async (way) => {
        race.commands.push(`${way} at ${race.now_ms}`);
        return failed(kind, "it can't see its machine");
      },
    },
  };
}

test("a BMC that shows Off and takes no command is asked out of turn once, and from then on in turn", async () => {
  const race = new Race(1);
  race.peer = { ...race.peer, on: false };
  const noted: string[] = [];
  const effects = blindBmc(race, noted, { hurried: "off" });
  assert.equal((await runSteps(fencePeer(effects, times))).done, false);
  assert.deepEqual([noted, race.commands], [["1"], ["BMC at 0"]]);
  await runSteps(fencePeer(effects, times));
  assert.deepEqual(race.commands, ["BMC at 0", "BMC at 10000"]);
});

test("an Off that only the patient look was shown is doubted like any, once a command was refused", async () => {
  const race = new Race(1);
  const noted: string[] = [];
  const effects = blindBmc(race, noted);
  await runSteps(fencePeer(effects, times));
  assert.deepEqual([noted, race.commands], [["1"], ["BMC at 0"]]);
  await runSteps(fencePeer(effects, times));
  assert.deepEqual(race.commands, ["BMC at 0", "BMC at 10000"]);
});

test("a command that never came to the BMC is no reason to doubt what it shows", async () => {
  const race = new Race(1);
  const noted: string[] = [];
  const effects = blindBmc(race, noted, { kind: "unreachable" });
  await runSteps(fencePeer(effects, times));
  await runSteps(fencePeer(effects, times));
  assert.deepEqual([noted, race.commands], [[], ["BMC at 0", "BMC at 0"]]);
});
