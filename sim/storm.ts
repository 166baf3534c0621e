import { empty } from "../src/decide/facts.ts";
import { isFullVoter } from "../src/decide/lineage.ts";
import { duetAgent } from "./agents/etcd.ts";
import { logFacts } from "./agents/facts.ts";
import { duetFence } from "./agents/fence.ts";
import { installGuard } from "./agents/guard.ts";
import { newSite, type Site } from "./agents/site.ts";
import type { Check } from "./checks.ts";
import type { Runner } from "./kernel/explore.ts";
import { label } from "./kernel/label.ts";
import { traceKind } from "./kernel/trace.ts";
import { noPlant, type Plant } from "./plants.ts";
import { leanTimes } from "./raft/times.ts";
import { faults } from "./storm-faults.ts";
import { calm, rough } from "./wire.ts";
import { World } from "./world.ts";

const second = 1_000_000;
const whole_us_max = 120 * second;
/** From the last mended fault to 1+1, with a person who switches on what is off. */
const mended_us = 420 * second;
/** Two fences so close are one race. */
const race_us = 8 * second;
const look_us = 2 * second;
const faults_min = 3;
const faults_more = 4;

const howMany = label("storm.faults");
const when = label("storm.when");
const what = label("storm.what");
const who = label("storm.who");
const faultLine = traceKind("storm", (machine, name) => `${name} (machine ${machine})`);
const wholeLine = traceKind("storm.whole", (what) => `${what}`);

export interface Tally {
  /** Rules by how often they took part in a decision. */
  readonly fired: Map<string, number>;
  operations: number;
  acknowledged: number;
  faults: number;
}

export const newTally = (): Tally => ({
  fired: new Map(),
  operations: 0,
  acknowledged: 0,
  faults: 0,
});

/** Two machines come up, are troubled at least three times while clients write, and have to be whole again at the end. */
export function stormRunner(plant: Plant = noPlant, tally: Tally = newTally()): Runner {
  return async (schedule, { trace }) => {
    const site = newSite(plant, tally.fired);
    const world = new World(schedule, {
      agent: (made) => duetAgent(made, site),
      fence: (made) => duetFence(made, site),
      checks: [bothFenced(site)],
      trace,
      wire: rough,
      etcd: { ...leanTimes, apply_slow_ppm: 100_000 },
      pacemaker: { fence_delay_us: site.fence_delay_us },
      load: { operations: 400, clients: 12, pause_us: 600_000 },
    });
    const { kernel } = world;
    installGuard(world, site);
    for (const machine of world.machines) machine.powerOn();
    await untilWhole(world, site, whole_us_max);
    if (!isWhole(world, site)) kernel.fail("whole at first", standing(site));
    site.firstStart = false;
    world.clients.start();
    if (kernel.violation === undefined) await troubles(world, tally);
    if (kernel.violation === undefined) await mend(world, site);
    tally.operations += world.history.operations.length;
    tally.acknowledged += world.history.acknowledged;
    return kernel;
  };
}

async function troubles(world: World, tally: Tally): Promise<void> {
  const { kernel } = world;
  const count = faults_min + kernel.choices.pick(howMany, faults_more);
  for (let i = 0; i < count; i += 1) {
    // Short and long pauses alike: a fault in the middle of what the last one set off, or after it.
    const pause_us = [2, 6, 14, 30][kernel.choices.pick(when, 4)] ?? 2;
    await kernel.run(kernel.now_us + pause_us * second + kernel.choices.jitter(when, second));
    if (kernel.violation !== undefined) return;
    const fault = faults[kernel.choices.pick(what, faults.length)];
    const machine = kernel.choices.pick(who, 2);
    if (fault === undefined) continue;
    kernel.note(faultLine, machine, fault.name);
    fault.run(world, machine);
    tally.faults += 1;
  }
  await kernel.run(kernel.now_us + 40 * second);
}

/** Everything works again, and a person switches on what stays off. */
async function mend(world: World, site: Site): Promise<void> {
  const { kernel } = world;
  for (const link of [...world.links, world.management]) link.times = calm;
  for (const link of world.links) link.healBoth(0, 1);
  for (const machine of world.machines) {
    world.management.port(machine.id, true);
    world.bmc(machine.id).setFaults([]);
    machine.resume();
    if (world.pdu.isOn(machine.id)) world.feed(machine.id, true);
  }
  kernel.note(wholeLine, "the faults are over");
  const end_us = kernel.now_us + mended_us;
  let looks = 0;
  while (kernel.now_us < end_us && kernel.violation === undefined && !isWhole(world, site)) {
    await kernel.run(kernel.now_us + look_us);
    looks += 1;
    if (looks % 30 === 0)
      for (const { id, powered } of world.machines) {
        if (!world.pdu.isOn(id)) world.pdu.handle({ kind: "on", machine: id }, () => undefined);
        if (!powered) world.machine(id).powerOn();
      }
  }
  if (kernel.violation !== undefined) return;
  if (isWhole(world, site)) {
    // A moment of peace, with the clients' last words.
    await kernel.run(kernel.now_us + 5 * second);
    return;
  }
  // No disk was lost, and every BMC answers again: a call for a person would not be true.
  kernel.fail("whole again", standing(site));
}

/** A race that both win leaves nobody. */
const bothFenced = (site: Site): Check => ({
  name: "both fenced",
  sentence: "never do two machines switch each other off",
  watch: ({ kernel, machines }) => {
    kernel.afterEvent.push(() => {
      if (machines[0].powered || machines[1].powered) return;
      if (site.fenced_us.every((at_us) => kernel.now_us - at_us < race_us))
        kernel.fail("both fenced", "each was told to go off by the other, and both are off");
    });
  },
});

async function untilWhole(world: World, site: Site, bound_us: number): Promise<void> {
  const { kernel } = world;
  const end_us = kernel.now_us + bound_us;
  while (kernel.now_us < end_us && kernel.violation === undefined && !isWhole(world, site))
    await kernel.run(kernel.now_us + look_us);
}

/** Two full voters of the same data, with a leader. */
function isWhole(world: World, site: Site): boolean {
  const [a, b] = site.nodes;
  const [one, other] = world.etcd;
  if (a === undefined || b === undefined || one.running === undefined || other.running === undefined)
    return false;
  const { voters } = one.running.applier.membership;
  const full = site.nodes.every((node) =>
    isFullVoter({ ...empty, ...node.state.value, ...logFacts(world.unit(node.id).folder.value) }),
  );
  return (
    full &&
    voters.length === 2 &&
    one.running.raft.lead !== 0 &&
    one.running.raft.lead === other.running.raft.lead &&
    a.state.value.lineage?.epoch === b.state.value.lineage?.epoch
  );
}

const standing = (site: Site): string => site.nodes.map((node) => `${node.name}: ${node.said}`).join("; ");
