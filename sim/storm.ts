import { burst } from "./clients.ts";
import { Admin, asksForChoice } from "./admin.ts";
import { duetAgent } from "./agents/etcd.ts";
import { duetFence } from "./agents/fence.ts";
import { installGuard } from "./agents/guard.ts";
import { newSite, type Site } from "./agents/site.ts";
import type { StormFault } from "./faults/fault.ts";
import { outage } from "./faults/power.ts";
import type { Choices } from "./kernel/choices.ts";
import type { Runner } from "./kernel/explore.ts";
import { label } from "./kernel/label.ts";
import { traceKind } from "./kernel/trace.ts";
import { mend } from "./mend.ts";
import type { ResourceAgent } from "./pacemaker/agent.ts";
import { noPlant, type Plant } from "./plants.ts";
import { leanTimes } from "./raft/times.ts";
import { inStorms, trueSentences } from "./sentences.ts";
import { stormChecks } from "./storm-checks.ts";
import { pickFault, pickKind } from "./storm-pick.ts";
import { isWhole, newTally, standing, type Storm, type Tally } from "./whole.ts";
import { rough } from "./wire.ts";
import { World } from "./world.ts";

const second = 1_000_000;
const whole_us_max = 120 * second;
const look_us = 2 * second;
const faults_min = 3;
const faults_more = 4;
/** A hasty admin comes by so often. */
const hasty_us = 15 * second;

/** Half as often as in earnest: in mass runs most looks are those of monitors, and find nothing. */
const leanMonitor_us = { started: 21 * second, promoted: 20 * second };

const howMany = label("storm.faults");
const when = label("storm.when");
const who = label("storm.who");
const busy = label("storm.busy");
const preferred = label("storm.preferred");
const last = label("storm.last");
const aftermath = label("storm.aftermath");
const kindLine = traceKind("storm.kind", (name) => `the storm: ${name}`);
const faultLine = traceKind("storm", (machine, name) => `${name} (machine ${machine})`);

export { newTally, type Tally } from "./whole.ts";

/** Two machines come up, are troubled at least three times while clients write, and have to be whole again at the end. */
export function stormRunner(plant: Plant = noPlant, tally: Tally = newTally()): Runner {
  return async (schedule, { trace }) => {
    const storm = newStorm(plant, tally, schedule, trace);
    const { world, site } = storm;
    const { kernel } = world;
    for (const machine of world.machines) machine.powerOn();
    await untilWhole(storm, whole_us_max);
    if (!isWhole(storm)) kernel.fail("whole at first", standing(site));
    site.firstStart = false;
    world.clients.start();
    const faults = kernel.violation === undefined ? await troubles(storm) : 0;
    if (kernel.violation === undefined) await mend(storm);
    count(storm, faults);
    return kernel;
  };
}

function count({ world, admin, tally }: Storm, faults: number): void {
  const operations = world.history.operations.length;
  const returns = world.machines.reduce((sum, { boot }) => sum + boot - 1, 0);
  tally.operations += operations;
  tally.acknowledged += world.history.acknowledged;
  tally.faults += faults;
  tally.returns += returns;
  tally.losses += admin.losses;
  // One that broke a check was not run to its end.
  if (world.kernel.violation !== undefined) return;
  const { least } = tally;
  least.operations = Math.min(least.operations, operations);
  least.faults = Math.min(least.faults, faults);
  least.returns = Math.min(least.returns, returns);
}

function newStorm(plant: Plant, tally: Tally, schedule: Parameters<Runner>[0], trace: boolean): Storm {
  const site = newSite(plant, tally.fired);
  const world = new World(schedule, {
    agent: (made) => planted(duetAgent(made, site), made, site),
    fence: (made) => duetFence(made, site),
    checks: [...stormChecks(site), trueSentences(site, inStorms)],
    trace,
    wire: rough,
    etcd: { ...leanTimes, apply_slow_ppm: 100_000 },
    // The fence agent waits for its turn itself.
    pacemaker: { fence_delay_us: [0, 0], monitor_us: leanMonitor_us },
    load: { operations: 100, clients: 12, pause_us: 3_000_000 },
  });
  const { kernel } = world;
  const kind = pickKind(kernel.choices, plant);
  kernel.note(kindLine, kind.name);
  site.preferred = preferences[kernel.choices.pick(preferred, preferences.length)] ?? "node1";
  // Some sites have BMCs that setup has not seen keep a tag. No choice of its own: seeds that are known stay what they are.
  site.witness = kind.witness === "off" && site.preferred === "node2" ? "unproven" : kind.witness;
  site.hasPdu = kind.hasPdu;
  world.pdu.serving = kind.hasPdu;
  installGuard(world, site);
  plant.world?.(world);
  const admin = new Admin({ world, site });
  if (kind.hasty)
    site.acceptLoss = (machine, accept) => {
      const node = site.nodes[machine];
      if (node !== undefined && world.machine(machine).up) admin.accept(node, accept);
    };
  return { world, site, kind, admin, tally };
}

const preferences = ["node1", "node1", "node2", "leader"] as const;

const planted = (agent: ResourceAgent, world: World, site: Site): ResourceAgent =>
  site.plant.agent?.(agent, world, site) ?? agent;

/** Gives how many faults there were. */
async function troubles(storm: Storm): Promise<number> {
  const { world, kind } = storm;
  const { kernel } = world;
  const count = faults_min + kernel.choices.pick(howMany, faults_more);
  let run = 0;
  if (kind.hasty) haste(storm);
  for (let i = 0; i < count; i += 1) {
    // Short and long pauses alike: a fault in the middle of what the last one set off, or after it.
    const pause_us = [2, 6, 14, 30][kernel.choices.pick(when, 4)] ?? 2;
    await kernel.run(kernel.now_us + pause_us * second + kernel.choices.jitter(when, second));
    if (kernel.violation !== undefined) return run;
    const fault = pickFault(kernel.choices, kind.faults, storm.site.plant.favours);
    const machine = kernel.choices.pick(who, 2);
    if (fault === undefined) continue;
    await strike(storm, fault, machine);
    run += 1;
  }
  await kernel.run(kernel.now_us + aftermath_us(kernel.choices));
  // Whatever else came, one machine at least was away and has to come back; only a shrunk schedule leaves that out.
  const spared = world.machines.every(({ boot, powered }) => powered && boot === 1);
  if (!spared || kernel.violation !== undefined || kernel.choices.fault(last, 2, 1_000_000) === 0) return run;
  await strike(storm, outage, kernel.choices.pick(who, 2));
  await kernel.run(kernel.now_us + aftermath_us(kernel.choices));
  return run + 1;
}

/** The faults end in the middle of what the last one set off, or after it. */
const aftermath_us = (choices: Choices): number =>
  ([2, 8, 20, 40][choices.jitter(aftermath, 4)] ?? 40) * second;

const flight = { clients: 30, operations: 30, reads_percent: 10, pause_us: 1_000 };
const crowd = { ...flight, clients: 240, operations: 240 };
/** In so many faults one meets a crowd, and every other one a flight. */
const crowds = 64;

async function strike({ world, site }: Storm, fault: StormFault, machine: number): Promise<void> {
  const { kernel } = world;
  kernel.note(faultLine, machine, fault.name);
  // Every other time with dozens of writes in flight, now and then with hundreds: what is lost is lost among these.
  const how = kernel.choices.jitter(busy, crowds);
  if (how === crowds - 1) burst(world, crowd);
  else if (how % 2 === 0) burst(world, flight);
  // An event like any other: the checks look after it.
  kernel.after(0, () => fault.run({ world, site, machine }));
  await kernel.run(kernel.now_us + (fault.lasts_us ?? 0));
}

/** While the faults go on somebody follows what a lone machine asks for, as long as its peer is off for sure. */
function haste({ world, site, admin }: Storm): void {
  const look = () => {
    for (const node of site.nodes)
      if (node.verdict?.decision.do === "needs-human") {
        // Of a peer that is on he says only which data is to count, where he is asked that.
        const isHere = world.machine(node.peer).powered;
        if (!isHere || asksForChoice(node.verdict)) admin.help(node, "words");
      }
    world.kernel.after(hasty_us, look);
  };
  world.kernel.after(hasty_us, look);
}

async function untilWhole(storm: Storm, bound_us: number): Promise<void> {
  const { kernel } = storm.world;
  const end_us = kernel.now_us + bound_us;
  while (kernel.now_us < end_us && kernel.violation === undefined && !isWhole(storm))
    await kernel.run(kernel.now_us + look_us);
}
