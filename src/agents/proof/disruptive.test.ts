import assert from "node:assert/strict";
import { test } from "node:test";
import { failed, success } from "../../act/effects.ts";
import { FakeWorld } from "../../act/testing.ts";
import { DuetError } from "../../base/problem.ts";
import { empty } from "../../decide/facts.ts";
import { refuseUnlessWhole } from "./disruptive.ts";

const full = {
  ...empty,
  data: true,
  standing: "voter",
  lineage: { epoch: 1, owner: "a" },
  full: true,
} as const;

async function refusal(changes: {
  readonly maintained?: boolean;
  readonly voters?: number;
  readonly silent?: boolean;
  readonly theirs?: boolean;
}): Promise<string> {
  const { effects } = new FakeWorld();
  const state = await effects.disk.readState();
  assert.ok(state.ok);
  const says = {
    serving: true,
    running: true,
    leaving: false,
    isNew: false,
    witness: "on",
    boot: undefined,
    turn: 1,
    logEnd: undefined,
  } as const;
  const members = Array.from({ length: changes.voters ?? 2 }, (_, index) => ({
    id: String(index),
    role: "voter" as const,
    machine: index === 0 ? ("self" as const) : ("peer" as const),
    leader: index === 0,
  }));
  const world = {
    disk: {
      ...effects.disk,
      readState: async () => success({ ...state.value, full: true, turn: 0 as const }),
    },
    attributes: {
      ...effects.attributes,
      readPeer: async () => success({ ...says, holding: { ...full, full: changes.theirs ?? true } }),
    },
    members: {
      ...effects.members,
      list: async () => (changes.silent === true ? failed("deadline", "no leader") : success(members)),
    },
  };
  try {
    await refuseUnlessWhole(world, "node2", changes.maintained ?? false);
    return "";
  } catch (error) {
    assert.ok(error instanceof DuetError);
    return error.message;
  }
}

test("a machine is switched off for a test only at 1+1, with both etcds at work, and not in maintenance", async () => {
  assert.equal(await refusal({}), "");
  assert.match(await refusal({ maintained: true }), /maintenance is on/);
  for (const changes of [{ voters: 1 }, { silent: true }, { theirs: false }])
    assert.match(await refusal(changes), /it is not 1\+1/, JSON.stringify(changes));
});
