import { done, type Effects, type Failure, type State, success } from "../../src/act/effects.ts";
import { blindAndCut, unansweredAndCut } from "../faults/bmc.ts";
import type { World } from "../world.ts";
import { loss, outage, type Place, type Plant } from "./plant.ts";
import { instead } from "./tables.ts";

const patience_us = 15_000_000;

/** `pcs quorum unblock` in a boot script. */
function unblockAtBoot({ machines, corosync, kernel }: World): void {
  for (const { id, tenants } of machines)
    tenants.push({
      booted: ({ life }) => {
        kernel.after(patience_us, () => life.whenAwake(() => corosync.cancelWaitForAll(id)));
      },
    });
}

const withTurn = (effects: Effects, turn: () => State["turn"]): Effects => ({
  ...effects,
  disk: {
    ...effects.disk,
    readState: async () => {
      const state = await effects.disk.readState();
      return state.ok ? success({ ...state.value, turn: turn() }) : state;
    },
  },
});

function leads({ node: { world, id } }: Place): boolean {
  const member = world.unit(id).running;
  return member !== undefined && member.raft.lead === member.id;
}

/** A command to switch off that failed so counts as taken. */
const takenDespite = (effects: Effects, kind: Failure["kind"]): Effects => ({
  ...effects,
  bmc: {
    ...effects.bmc,
    commandOff: async (...given) => {
      const taken = await effects.bmc.commandOff(...given);
      return taken.ok || taken.failure.kind !== kind ? taken : done;
    },
  },
});

/** Switching the peer off. */
export const fencePlants: readonly Plant[] = [
  {
    name: "success-before-off",
    sentence: "a BMC that took the command counts as a machine that is off",
    pitfalls: [28],
    stoppedBy: "the step `read that the peer is off`: success is Off that was read",
    checks: [...loss, ...outage],
    favours: ["both links are cut", "a BMC's fault: lies", "a BMC's fault: accepted-no-effect"],
    effects: (effects) => {
      let commanded = false;
      return {
        ...effects,
        bmc: {
          ...effects.bmc,
          commandOff: async (way, deadline_ms) => {
            const taken = await effects.bmc.commandOff(way, deadline_ms);
            commanded ||= taken.ok;
            return taken;
          },
          peerPower: async (deadline_ms) =>
            commanded ? success("off") : await effects.bmc.peerPower(deadline_ms),
        },
      };
    },
  },
  {
    name: "refused-off-counts",
    sentence: "Off that is read counts, also where the command to switch off was refused",
    pitfalls: [],
    stoppedBy: "src/act/off.ts: where no command can have been taken, what is read may be from before",
    checks: loss,
    favours: [blindAndCut],
    kind: "no power strip",
    effects: (effects) => takenDespite(effects, "refused"),
  },
  {
    name: "unanswered-off-counts",
    sentence: "Off that is read counts, also where the command to switch off was never answered",
    pitfalls: [],
    stoppedBy:
      "`proveLate` of src/act/off.ts: a BMC that shows Off is asked once more, and believed when it answers",
    checks: [...loss, "claim for nothing"],
    favours: [blindAndCut, unansweredAndCut],
    kind: "no power strip",
    effects: (effects) => takenDespite(effects, "deadline"),
  },
  {
    name: "silent-bmc-is-off",
    sentence: "a BMC that does not answer has no power, so its machine has none either",
    pitfalls: [27, 34],
    stoppedBy: "the step `read that the peer is off` and R-POWER-UNREAD: only `Off` means Off",
    checks: loss,
    favours: ["a BMC is away, and both links are cut"],
    effects: (effects) => ({
      ...effects,
      bmc: {
        ...effects.bmc,
        commandOff: async (way, deadline_ms) => {
          await effects.bmc.commandOff(way, deadline_ms);
          return done;
        },
        peerPower: async (deadline_ms) => {
          const power = await effects.bmc.peerPower(deadline_ms);
          return power.ok ? power : success("off");
        },
      },
    }),
  },
  {
    name: "equal-delays",
    sentence: "both machines have the same turn in the race to fence",
    pitfalls: [32],
    stoppedBy: "stored turns that are never the same on both",
    checks: ["both fenced"],
    favours: ["both links are cut"],
    effects: (effects) => withTurn(effects, () => 0),
  },
  {
    name: "delay-too-short",
    sentence: "a turn in the race is shorter than a fence takes",
    pitfalls: [32],
    stoppedBy: "`turn_ms`: a fence at its slowest, and a margin",
    checks: ["both fenced"],
    favours: ["both links are cut"],
    times: { turn_ms: 1_000 },
  },
  {
    name: "delay-from-leadership",
    sentence: "the turn is worked out when the wire is cut, from who leads: after a cut nobody does",
    pitfalls: [],
    stoppedBy: "a stored turn, taken while the pair was whole",
    checks: ["both fenced"],
    favours: ["both links are cut"],
    effects: (effects, place) => withTurn(effects, () => (leads(place) ? 0 : 1)),
  },
  {
    name: "learner-fences",
    sentence: "a machine fences a lost peer, whether it could take over itself or not",
    pitfalls: [],
    stoppedBy: "R-FENCE: who may not take over may not fence",
    checks: ["fenced out of service"],
    favours: ["a power cut, and the wire breaks while the machine is a learner"],
    tables: instead("fence", ["R-FENCE"], { decide: () => ({ do: "may-fence" }) }),
  },
  {
    name: "fence-at-boot",
    sentence: "a machine that boots and sees nobody gives itself quorum, and fences",
    pitfalls: [33],
    stoppedBy: "wait_for_all with the guard, R-FENCE-LOOP, R-FENCE",
    checks: ["fence loop", "fenced out of service"],
    favours: ["both links are cut"],
    tables: instead("fence", ["R-FENCE-LOOP", "R-FENCE"], { decide: () => ({ do: "may-fence" }) }),
    world: unblockAtBoot,
  },
];
