import type { MachineName } from "../../src/scenario/slots.ts";
import type { Doing, Seen } from "../../src/scenario/world.ts";
import { done, idOf, type SimStage } from "./stage.ts";

/** An orderly shutdown with all its time-outs, and the boot behind it. */
const orderly_ms_max = 300_000;
const person_again_us = 20_000_000;

/** Power, feeds and orderly ends. */
export function powerDeeds(stage: SimStage): Doing {
  return { ...starts(stage), ...losses(stage), ...returns(stage), ...orderly(stage) };
}

function starts(stage: SimStage): Doing {
  const { world } = stage;
  const start = async (ids: readonly number[]): Promise<Seen> => {
    const ready = await stage.setUp();
    if (!ready.ok) return ready;
    for (const id of ids) world.machine(id).powerOn();
    return stage.verdict(done());
  };
  return {
    "start-both": () => start([0, 1]),
    "start-one": ({ machine }) => start([idOf(machine)]),
  };
}

function losses(stage: SimStage): Doing {
  const { world } = stage;
  const both = (work: (id: number) => void) => () => stage.deed(() => [0, 1].forEach(work));
  const one =
    (work: (id: number) => void) =>
    ({ machine }: { readonly machine: MachineName }) =>
      stage.deed(() => work(idOf(machine)));
  return {
    "cut-power": one((id) => world.cutPower(id)),
    "cut-both": both((id) => world.cutPower(id)),
    hang: one((id) => world.machine(id).hang()),
    break: one((id) => {
      world.machine(id).broken = true;
      world.cutPower(id);
    }),
    "cut-feed": one((id) => world.mains(id, false)),
    "cut-both-feeds": both((id) => world.mains(id, false)),
    flicker: ({ number, duration }) =>
      inTurns(stage, number, duration, (on) => [0, 1].forEach((id) => world.mains(id, on))),
  };
}

function returns(stage: SimStage): Doing {
  const { world } = stage;
  return {
    repair: ({ machine }) =>
      stage.deed(() => {
        world.machine(idOf(machine)).broken = false;
      }),
    "restore-feed": ({ machine }) => stage.deed(() => world.mains(idOf(machine), true)),
    "restore-both-feeds": () => stage.deed(() => [0, 1].forEach((id) => world.mains(id, true))),
    "power-on": ({ machine }) => stage.deed(() => world.machine(idOf(machine)).powerOn()),
    "power-on-both": () => stage.deed(() => world.machines.forEach((machine) => machine.powerOn())),
    wait: async ({ duration }) => {
      await stage.run(duration * 1000);
      return stage.verdict(done());
    },
  };
}

function orderly(stage: SimStage): Doing {
  const { world } = stage;
  const off = (ids: readonly number[]) =>
    stage.until(orderly_ms_max, "not off", () => ids.every((id) => !world.machine(id).powered));
  const shutDown = async (ids: readonly number[]): Promise<Seen> => {
    await stage.deed(() => ids.forEach((id) => stage.press(id)));
    return await off(ids);
  };
  return {
    "shut-down": ({ machine }) => shutDown([idOf(machine)]),
    "shut-down-both": () => shutDown([0, 1]),
    reboot: async ({ machine }) => {
      const metal = world.machine(idOf(machine));
      const { boot } = metal;
      await stage.deed(() => stage.press(metal.id, () => metal.powerOn()));
      return await stage.until(orderly_ms_max, "not booted again", () => metal.boot > boot && metal.up);
    },
    standby: async ({ machine }) => {
      await stage.deed(() => world.pacemaker.standby(idOf(machine), true));
      return await stage.until(
        orderly_ms_max,
        `etcd still runs on ${machine}`,
        () => world.pacemaker.controller(idOf(machine))?.executor.role === "stopped",
      );
    },
    unstandby: ({ machine }) => stage.deed(() => world.pacemaker.standby(idOf(machine), false)),
    "bring-online": () => bringOnline(stage),
  };
}

async function bringOnline(stage: SimStage): Promise<Seen> {
  const { world } = stage;
  let next_us = 0;
  return await stage.until(orderly_ms_max, "not both online", () => {
    if (world.kernel.now_us >= next_us) {
      next_us = world.kernel.now_us + person_again_us;
      for (const machine of world.machines) machine.powerOn();
    }
    return world.machines.every(({ id }) => world.corosync.view(id).members.length === 2);
  });
}

/** Gone for a third of each turn, then for two thirds, and so on: an even beat would hide what depends on the phase. */
export async function inTurns(
  stage: SimStage,
  count: number,
  total_ms: number,
  work: (on: boolean) => void,
): Promise<Seen> {
  const turn_us = (total_ms * 1000) / count;
  for (let turn = 0; turn < count; turn += 1) {
    const gone_us = Math.round((turn_us * (turn % 2 === 0 ? 1 : 2)) / 3);
    await stage.deed(() => work(false));
    await stage.run(gone_us);
    await stage.deed(() => work(true));
    await stage.run(Math.round(turn_us) - gone_us);
  }
  return stage.verdict(done());
}
