import { done, type Effects, type State, success } from "../../src/act/effects.ts";
import { loss, outage, type Place, type Plant } from "./plant.ts";

/** Written when it is so. Until then it is known to this process alone. */
function servedWhenSeen(effects: Effects): Effects {
  let owed: State | undefined;
  const { disk, unit } = effects;
  return {
    ...effects,
    disk: {
      ...disk,
      readState: async () => (owed === undefined ? await disk.readState() : success(owed)),
      writeState: async (state) => {
        if (state.takeover?.step !== "served") return await disk.writeState(state);
        owed = state;
        return done;
      },
    },
    unit: {
      ...unit,
      dropForceFlag: async () => {
        const state = owed;
        owed = undefined;
        const written = state === undefined ? done : await disk.writeState(state);
        return written.ok ? await unit.dropForceFlag() : written;
      },
    },
  };
}

const cache_us = 300_000_000;
/** When Off was last read, by what a machine keeps for one boot. */
const readOff_us = new WeakMap<object, number>();

function cached(effects: Effects, { node: { world, memory } }: Place): Effects {
  const { kernel } = world;
  const isOff = (): boolean => kernel.now_us - (readOff_us.get(memory) ?? -cache_us) < cache_us;
  const note = (power: string): void => {
    if (power === "off") readOff_us.set(memory, kernel.now_us);
  };
  return {
    ...effects,
    facts: async () => {
      const facts = await effects.facts();
      const off = isOff();
      note(facts.peerPower);
      return off ? { ...facts, peerPower: "off" } : facts;
    },
    bmc: {
      ...effects.bmc,
      commandOff: async (way, deadline_ms) =>
        isOff() ? done : await effects.bmc.commandOff(way, deadline_ms),
      peerPower: async (deadline_ms) => {
        if (isOff()) return success("off");
        const power = await effects.bmc.peerPower(deadline_ms);
        if (power.ok) note(power.value);
        return power;
      },
    },
  };
}

/** The right thing, at the wrong moment. */
export const momentPlants: readonly Plant[] = [
  {
    name: "served-after-start",
    sentence: "that a takeover may have served is written when it is seen to serve",
    pitfalls: [],
    stoppedBy: "the step `write that it may have served`, before etcd is forced",
    checks: [...loss, ...outage],
    favours: ["the peer loses its power, and something breaks at a step of that"],
    effects: servedWhenSeen,
  },
  {
    name: "both-leave-at-once",
    sentence:
      "nobody says that it leaves: of two that are shut down at once, each takes the other for one that stays",
    pitfalls: [7],
    stoppedBy: "the step `say that this machine leaves`, after which the other is looked at once more",
    checks: outage,
    favours: ["both are shut down at once, as by a failing supply, and come back"],
    effects: (effects) => ({
      ...effects,
      attributes: {
        ...effects.attributes,
        publish: (said, deadline_ms) => effects.attributes.publish({ ...said, leaving: false }, deadline_ms),
      },
    }),
  },
  {
    name: "cached-off",
    sentence: "the power of the peer, once read as Off, is not asked for again for five minutes",
    pitfalls: [],
    stoppedBy: "the steps `command the peer's Off …` and `read that the peer is off`, after this very loss",
    checks: loss,
    favours: ["a power cut, and both links are cut when the machine is full again"],
    effects: cached,
  },
];
