import type { BmcFault, MachineName, Wire as WireName } from "../../src/scenario/slots.ts";
import type { Doing, Seen } from "../../src/scenario/world.ts";
import { other_site } from "../agents/tag.ts";
import type { Fault } from "../bmc.ts";
import { breakDisk, loseDisk } from "../faults/disk.ts";
import type { Wire } from "../wire.ts";
import { inTurns } from "./power.ts";
import { done, idOf, type SimStage } from "./stage.ts";

/** What a PDU can have: it answers, or it does not. */
export const silent: readonly BmcFault[] = ["unreachable", "hang-after-connect", "hang-in-tls", "drip"];

const first_ms_max = 8_000;

const tags = { none: "", "other-site": other_site, foreign: "rack 12" } as const;

/** Wires, BMCs and the PDU. */
export function outsideFaults(stage: SimStage): Doing {
  return { ...wireFaults(stage), ...bmcFaults(stage) };
}

function wireFaults(stage: SimStage): Doing {
  const { world } = stage;
  const each = (wire: WireName, work: (wire: Wire, ends: readonly (readonly [number, number])[]) => void) => {
    for (const [index, link] of world.links.entries())
      if (wire === "links" || wire === "everything" || wire === `link${index + 1}`) work(link, [[0, 1]]);
    if (wire === "mgmt" || wire === "everything") work(world.management, pairs(5));
  };
  const set = (wire: WireName, up: boolean) =>
    each(wire, (found, ends) => {
      for (const [a, b] of ends) {
        if (up) found.healBoth(a, b);
        else found.cutBoth(a, b);
      }
    });
  return {
    "cut-wire": ({ wire }) => stage.deed(() => set(wire, false)),
    "heal-wire": ({ wire }) => stage.deed(() => set(wire, true)),
    "cut-one-way": ({ wire, machine }) =>
      stage.deed(() =>
        each(wire, (found, ends) => {
          for (const [a, b] of ends)
            if (a === idOf(machine) || b === idOf(machine))
              found.cut(idOf(machine), a === idOf(machine) ? b : a);
        }),
      ),
    "flap-wire": ({ wire, number, duration }) => inTurns(stage, number, duration, (up) => set(wire, up)),
    unplug: ({ machine }) => stage.deed(() => world.management.port(idOf(machine), false)),
    plug: ({ machine }) => stage.deed(() => world.management.port(idOf(machine), true)),
  };
}

const pairs = (ends: number): readonly (readonly [number, number])[] =>
  Array.from({ length: ends }, (_, a) => a).flatMap((a) =>
    Array.from({ length: ends - a - 1 }, (_, b) => [a, a + b + 1] as const),
  );

function bmcFaults(stage: SimStage): Doing {
  const { world } = stage;
  /** As in the lab, beside what it has. */
  const add = (machine: MachineName, fault: Fault) =>
    stage.deed(() => {
      const bmc = world.bmc(idOf(machine));
      bmc.setFaults([...bmc.faults.filter(({ kind }) => kind !== fault.kind), fault]);
    });
  return {
    "bmc-fault": ({ machine, fault }) => add(machine, { kind: fault }),
    "bmc-slow": ({ machine, duration }) => add(machine, { kind: "slow", seconds: duration / 1000 }),
    "bmc-tag": ({ machine, tag }) => stage.deed(() => world.bmc(idOf(machine)).writeTag(tags[tag])),
    "bmc-well": ({ machine }) => stage.deed(() => world.bmc(idOf(machine)).setFaults([])),
    "pdu-fault": () =>
      stage.deed(() => {
        world.pdu.serving = false;
      }),
    "pdu-well": () =>
      stage.deed(() => {
        world.pdu.serving = true;
      }),
  };
}

/** Programs, disks and what lies on them, and the clients. */
export function insideFaults(stage: SimStage): Doing {
  return { ...unitFaults(stage), ...diskFaults(stage), ...clientDeeds(stage) };
}

function unitFaults(stage: SimStage): Doing {
  const { world } = stage;
  const freeze = (unit: string, id: number, frozen: boolean) => {
    if (unit === "corosync") world.corosync.freeze(id, frozen);
    else if (frozen) world.unit(id).running?.pause();
    else world.unit(id).running?.resume();
  };
  return {
    "kill-unit": ({ machine }) => stage.deed(() => world.unit(idOf(machine)).kill()),
    "freeze-unit": ({ unit, machine }) => stage.deed(() => freeze(unit, idOf(machine), true)),
    "thaw-unit": ({ unit, machine }) => stage.deed(() => freeze(unit, idOf(machine), false)),
    "unit-wont-start": ({ machine }) => stage.deed(() => hinder(stage, machine, "it does not start")),
    "mend-unit": ({ machine }) => stage.deed(() => hinder(stage, machine, undefined)),
  };
}

const hinder = ({ world }: SimStage, machine: "node1" | "node2", why: string | undefined): void => {
  world.unit(idOf(machine)).hindered = why;
};

function diskFaults(stage: SimStage): Doing {
  const { world } = stage;
  return {
    // etcd ends at its next write and does not start; duet keeps room for its own small file.
    "fill-disk": ({ machine }) =>
      stage.deed(() => {
        hinder(stage, machine, "no space left on device");
        world.unit(idOf(machine)).kill();
      }),
    "free-disk": ({ machine }) => stage.deed(() => hinder(stage, machine, undefined)),
    "break-disk": ({ machine }) => stage.deed(() => breakDisk(world, idOf(machine))),
    "slow-disk": ({ machine, duration }) =>
      stage.deed(() => {
        world.machine(idOf(machine)).disk.slower_us = duration * 1000;
      }),
    "fast-disk": ({ machine }) =>
      stage.deed(() => {
        world.machine(idOf(machine)).disk.slower_us = 0;
      }),
    "corrupt-log": ({ machine }) =>
      stage.deed(() => {
        const folder = world.unit(idOf(machine)).folder.value;
        if (folder !== undefined) folder.corrupt = true;
      }),
    "wipe-data": ({ machine }) => stage.deed(() => loseDisk(world, stage.site, idOf(machine), "everything")),
  };
}

function clientDeeds(stage: SimStage): Doing {
  const { load } = stage;
  /** Until one is acknowledged: what comes next would else find nothing that could be lost. */
  const begin = async (per_s?: number): Promise<Seen> => {
    const before = load.acknowledged_us.length;
    load.start(per_s);
    return stage.inMoment
      ? done()
      : await stage.until(
          first_ms_max,
          "no write was acknowledged",
          () => load.acknowledged_us.length > before,
        );
  };
  return {
    "clients-write": () => begin(),
    "clients-rate": ({ number }) => begin(number),
    "stop-clients": async () => {
      load.stop();
      return done();
    },
  };
}
