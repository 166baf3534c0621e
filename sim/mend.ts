import { namedInVain } from "./admin.ts";
import type { Node } from "./agents/node.ts";
import { isOtherSite } from "./agents/tag.ts";
import { burst } from "./clients.ts";
import { loseDisk } from "./faults/disk.ts";
import { switchOn } from "./faults/fault.ts";
import { label } from "./kernel/label.ts";
import { traceKind } from "./kernel/trace.ts";
import { falsehood } from "./reasons.ts";
import { answers } from "./truth.ts";
import { isWhole, standing, type Storm } from "./whole.ts";
import { calm } from "./wire.ts";
import type { World } from "./world.ts";

const second = 1_000_000;
const look_us = 2 * second;
/** From the last mended fault to 1+1, with a person who switches on what is off; and again after each help. */
const mended_us = 420 * second;
/** A call for a person stands when it was said for so long: readings and words on their way have had their time. */
const standing_us = 70 * second;
/** No round of the race: a person in step with it would meet each fence in the same moment, for ever. */
const switch_us = 66 * second;
const helps_max = 8;
const operations_min = 200;
const last_words = 24;
const moments_max = 40;
/** With the faults over: one for what they left behind, one for what was pending. */
const fences_max = 3;

const dark = label("storm.dark");
const lit = label("storm.lit");
const replaced = label("storm.replaced");
const line = traceKind("storm.whole", (what) => `${what}`);

/** Everything works again, a person switches on what stays off, and helps where a machine calls for that with good reason. */
export async function mend(storm: Storm): Promise<void> {
  const { world, site, kind } = storm;
  const { kernel } = world;
  site.dark = kind.outlasts ? kernel.choices.pick(dark, 2) : undefined;
  repair(storm);
  kernel.note(line, "the faults are over");
  if (site.dark !== undefined) {
    await outlast(storm, site.dark);
    if (kernel.violation !== undefined) return;
    // The same machine, or a new one in its place.
    if (kernel.choices.pick(replaced, 2) === 1) loseDisk(world, site, site.dark, "everything");
    world.machine(site.dark).broken = false;
    world.feed(site.dark, true);
    site.dark = undefined;
    kernel.note(line, "the dark machine has its feed again");
  }
  const ended = await helped(storm, () => isWhole(storm));
  if (kernel.violation !== undefined) return;
  if (!ended) {
    kernel.fail("whole again", standing(site));
    return;
  }
  site.firstStart = false;
  await lastWords(storm);
}

/** A moment of peace, with the clients' last words on both sides: as many as make a history worth a check. */
async function lastWords({ world }: Storm): Promise<void> {
  const { kernel, history } = world;
  let left = Math.max(last_words, operations_min - history.operations.length);
  // Another moment where the first fell into an election.
  for (let moments = 1; left > 0 && moments <= moments_max && kernel.violation === undefined; moments += 1) {
    burst(world, { clients: 8, operations: left, reads_percent: 50, pause_us: 20_000 });
    await kernel.run(kernel.now_us + 5 * second);
    left = operations_min - history.operations.length;
  }
}

function repair({ world, site }: Storm): void {
  site.faultsOver = true;
  site.traps.clear();
  for (const wire of [...world.links, world.management]) {
    wire.times = calm;
    wire.tap = undefined;
  }
  for (const link of world.links) link.healBoth(0, 1);
  world.pdu.serving = site.hasPdu;
  world.pacemaker.maintenance(false);
  for (const machine of world.machines) {
    world.pacemaker.standby(machine.id, false);
    for (const end of [2, 3, 4]) world.management.healBoth(machine.id, end);
    world.bmc(machine.id).setFaults([]);
    world.bmc(machine.id).blind = false;
    // As `duet check` says to: nobody else writes over it, and with both BMCs so no machine serves alone.
    if (isOtherSite(world.bmc(machine.id).tag)) world.bmc(machine.id).writeTag("");
    machine.disk.slower_us = 0;
    world.unit(machine.id).release();
    machine.resume();
    // Nothing but a start mends that: who finds it switches the machine off.
    if (machine.disk.readOnly) world.cutPower(machine.id);
    if (machine.id === site.dark) darken(world, machine.id);
    else if (world.pdu.isOn(machine.id)) world.feed(machine.id, true);
    else world.pdu.handle({ kind: "on", machine: machine.id }, () => undefined);
  }
}

/** With its BMC, whose tag and power nobody can read then; or the machine alone, and its BMC tells the other all that it needs. */
function darken(world: World, id: number): void {
  if (world.kernel.choices.pick(lit, 2) === 0) {
    world.feed(id, false);
    return;
  }
  world.feed(id, true);
  world.machine(id).broken = true;
  world.cutPower(id);
}

/** One machine is dark: the other serves, or says what it needs, and serves when it was given that. */
async function outlast(storm: Storm, gone: number): Promise<void> {
  const { world } = storm;
  const alive = 1 - gone;
  const serves = () => {
    const member = world.unit(alive).running;
    return member !== undefined && member.raft.role === "leader";
  };
  let ended = await helped(storm, serves);
  const node = storm.site.nodes[alive];
  if (!ended && node?.verdict?.rule === "R-GAVE-UP" && world.kernel.violation === undefined) {
    storm.admin.chooseAlone(node);
    ended = await helped(storm, serves);
  }
  if (!ended && !waits_for_peer.has(storm.site.nodes[alive]?.verdict?.rule ?? ""))
    world.kernel.fail("serves alone", standing(storm.site));
}

/** What such a machine holds can't be served without the other's: it says so, and that it waits for the other. */
const waits_for_peer: ReadonlySet<string> = new Set([
  "R-GAVE-UP",
  "R-NO-DATA",
  "R-NOT-VOTER",
  "R-REMOVAL",
  "R-NOT-FULL",
]);

/** Until it is as it should be; each help gets its own time. */
async function helped(storm: Storm, isGood: () => boolean): Promise<boolean> {
  const { world, site } = storm;
  const { kernel } = world;
  const since_us = new Map<Node, number>();
  const noFenceLoop = fenceLook(storm);
  let end_us = kernel.now_us + mended_us;
  let helps = 0;
  for (let looks = 1; kernel.now_us < end_us && kernel.violation === undefined; looks += 1) {
    if (isGood()) return true;
    await kernel.run(kernel.now_us + look_us);
    if ((looks * look_us) % switch_us === 0) switchAllOn(storm);
    noFenceLoop();
    if (!isCalm(storm)) since_us.clear();
    // A machine that dies in the moment in which it is woken can leave a last word behind. Nobody hears it.
    const caller = site.nodes.find((node) => node.id !== site.dark && calls(node, since_us, kernel.now_us));
    if (caller === undefined || helps >= helps_max) continue;
    helps += 1;
    since_us.clear();
    end_us = kernel.now_us + mended_us;
    help(storm, caller);
  }
  return kernel.violation === undefined && isGood();
}

/** To be called at each look: counts how often each machine is fenced from here on. */
function fenceLook({ world, site }: Storm): () => void {
  const seen = site.fenced_us.map((at_us) => ({ at_us, times: 0 }));
  return () => {
    for (const [id, look] of seen.entries()) {
      const at_us = site.fenced_us[id === 0 ? 0 : 1];
      if (at_us === look.at_us) continue;
      look.at_us = at_us;
      look.times += 1;
      if (look.times > fences_max)
        world.kernel.fail("fence loop", `machine ${id} was fenced ${look.times} times with no fault left`);
    }
  };
}

function switchAllOn({ world, site }: Storm): void {
  for (const { id } of world.machines) {
    if (id === site.dark) continue;
    if (!world.pdu.isOn(id)) world.pdu.handle({ kind: "on", machine: id }, () => undefined);
    else switchOn(world, id);
  }
}

/** All that should be there is up: a machine that boots, or a BMC, is no reason to call anybody. */
const isCalm = ({ world, site }: Storm): boolean =>
  world.machines.every(({ id, up }) => id === site.dark || (up && answers({ world, site }, id, id)));

/** It has called a person for long enough: by its sentence, or by that of a takeover which it can't carry out. */
function calls(node: Node, since_us: Map<Node, number>, now_us: number): boolean {
  if (node.verdict?.decision.do !== "needs-human" && namedInVain(node) === undefined) {
    since_us.delete(node);
    return false;
  }
  const from_us = since_us.get(node) ?? now_us;
  since_us.set(node, from_us);
  return now_us - from_us >= standing_us;
}

function help({ world, site, kind, admin, tally }: Storm, node: Node): void {
  if (node.verdict?.decision.do !== "needs-human") {
    admin.help(node);
    return;
  }
  const rule = node.verdict.rule;
  tally.calls.set(rule, (tally.calls.get(rule) ?? 0) + 1);
  const wrong = kind.heals
    ? `nothing was lost, and yet ${rule} calls a person`
    : falsehood({ world, site }, node.id, rule);
  if (wrong !== undefined) world.kernel.fail("a reason that is not true", `${wrong}: ${standing(site)}`);
  else admin.help(node);
}
