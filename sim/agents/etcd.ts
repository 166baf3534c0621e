import { perform } from "../../src/act/perform.ts";
import { publishFacts } from "../../src/act/publish.ts";
import { runSteps } from "../../src/act/steps.ts";
import type { Times } from "../../src/act/times.ts";
import type { Facts } from "../../src/decide/facts.ts";
import type { Decision } from "../../src/decide/decision.ts";
import { Life } from "../kernel/life.ts";
import type { ActionContext, Operation, Outcome, ResourceAgent } from "../pacemaker/agent.ts";
import { scoreAttribute } from "../pacemaker/controller.ts";
import type { World } from "../world.ts";
import { effectsOf } from "./effects.ts";
import { gatherFacts, membershipOf } from "./facts.ts";
import type { Node } from "./node.ts";
import { nodeOf, type Site } from "./site.ts";

const rounds_max = 12;
const settle_us = 20_000;

/** ocf:duet:etcd on both machines. Actions publish, look and wake; what takes long is done by the one-shot. */
export function duetAgent(world: World, site: Site): ResourceAgent {
  for (const id of [0, 1]) {
    const node = nodeOf(world, site, id);
    world.corosync.onView(id, () => wake(node));
    world.attributes.onChange(id, () => wake(node));
  }
  return {
    run: (operation, context) => act(nodeOf(world, site, context.machine), operation, context),
  };
}

async function act(node: Node, operation: Operation, context: ActionContext): Promise<Outcome> {
  const { world, memory } = node;
  await world.kernel.tasks.sleep(context.life, settle_us);
  switch (operation) {
    case "start":
      memory.started = true;
      wake(node);
      return "ok";
    case "promote":
      memory.promoted = true;
      wake(node);
      return "ok";
    case "demote":
      memory.promoted = false;
      return "ok";
    case "stop":
      return await stop(node, context.life);
    case "notify":
      notified(node, context);
      wake(node);
      return "ok";
    case "monitor":
      // A word may have been lost, or overtaken by an older one.
      memory.publish = true;
      wake(node);
      if (!memory.started) return "not running";
      return memory.promoted ? "promoted" : "ok";
  }
}

/** Only news: what it says proves nothing. */
function notified(node: Node, { notification }: ActionContext): void {
  const { site, memory, peer } = node;
  if (site.plant.notifyIsProof !== true || notification === undefined) return;
  const { operation, machines } = notification;
  const membership = membershipOf(node);
  if (operation === "stop" && machines.includes(peer) && !membership.peer)
    memory.remembered = { ...memory.remembered, provenIn: membership.ring };
}

/** Starts the one-shot, or lets the one that runs look once more. */
export function wake(node: Node): void {
  const { memory, world, id } = node;
  if (!memory.started || memory.leaving || !world.machine(id).up) return;
  memory.again = true;
  if (memory.busy) return;
  memory.busy = true;
  const life = new Life(world.machine(id).life);
  memory.worker = life;
  world.kernel.tasks.start(async () => {
    for (let round = 0; round < rounds_max && memory.again && memory.started; round += 1) {
      memory.again = false;
      await work(node, life);
    }
    memory.busy = false;
  });
}

/** Publishes, decides, and does what was decided. */
async function work(node: Node, life: Life): Promise<void> {
  const { world, id, memory } = node;
  const effects = effectsOf(node, life);
  await world.kernel.tasks.sleep(life, settle_us);
  if (!world.corosync.view(id).quorate) return;
  const facts = await gatherFacts(node, life);
  await publishOnce(node, life, facts);
  const decision = choose(node, facts);
  const steps = perform(effects, node.times, decision);
  if (steps !== undefined && decision.do !== "prove-off") {
    await runSteps(steps, (step) => node.step(step));
    memory.again = true;
    await publishFacts(effects, node.times);
  }
  score(node);
}

function choose(node: Node, facts: Facts): Decision {
  const start = node.decide("start", facts).decision;
  if (start.do === "serve-as-is") return node.decide("tags", facts).decision;
  // It ran, and is to run on: the same steps, but the failures count.
  if (start.do === "start-plain" && !facts.etcd.running) {
    const again = node.decide("etcd", facts).decision;
    if (again.do !== "restart-in-place") return again;
  }
  if (start.do === "start-plain" && facts.etcd.running && facts.self.full) return { do: "wait" };
  return start;
}

/** Each publication wakes the peer: only news are published, and what a monitor repeats. */
async function publishOnce(node: Node, life: Life, facts: Facts): Promise<void> {
  const { world, id, site } = node;
  const text = world.attributes.get(id, id, "duet-facts");
  const serving = facts.etcd.running && facts.etcd.leader;
  const last = text === undefined ? undefined : site.published.get(text);
  const same =
    text?.startsWith(`${world.corosync.view(id).ring} `) === true &&
    JSON.stringify(last) === JSON.stringify({ holding: facts.self, serving, leaving: false });
  const repeat = node.memory.publish;
  node.memory.publish = false;
  if (!same || repeat)
    await effectsOf(node, life).attributes.publish(
      { holding: facts.self, serving, leaving: false },
      node.times.attribute_ms,
    );
}

/** Pacemaker promotes what runs. */
function score({ world, id }: Node): void {
  world.attributes.set(id, scoreAttribute, world.unit(id).running === undefined ? undefined : "10");
}

/** A stop that overran would be answered by a fence: all of it together is shorter than Pacemaker's patience. */
const leaveTimes = ({ times }: Node): Times => ({
  ...times,
  etcd_call_ms: 2_500,
  etcd_stop_ms: 5_000,
  tries_max: 4,
});

/** Leaves first where that is allowed, and stops in any case. */
async function stop(node: Node, life: Life): Promise<Outcome> {
  const { memory } = node;
  memory.leaving = true;
  // The one-shot is ended wherever it is: it is made for that.
  memory.worker?.end();
  memory.busy = true;
  const effects = effectsOf(node, life);
  const { decision } = node.decide("leave", await effects.facts());
  const steps = perform(effects, leaveTimes(node), decision);
  if (steps !== undefined) await runSteps(steps, (step) => node.step(step));
  await effects.unit.stop(leaveTimes(node).etcd_stop_ms);
  memory.started = false;
  memory.promoted = false;
  memory.leaving = false;
  memory.busy = false;
  score(node);
  return "ok";
}
