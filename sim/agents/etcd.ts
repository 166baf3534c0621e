import { leaveFirst } from "../../src/act/leave.ts";
import { powerOnLater } from "../../src/act/power-on.ts";
import { type End, runSteps } from "../../src/act/steps.ts";
import type { Times } from "../../src/act/times.ts";
import { work } from "../../src/act/work.ts";
import type { Facts } from "../../src/decide/facts.ts";
import { Life } from "../kernel/life.ts";
import type { ActionContext, Operation, Outcome, ResourceAgent } from "../pacemaker/agent.ts";
import type { World } from "../world.ts";
import { effectsOf } from "./effects.ts";
import type { Node } from "./node.ts";
import { nodeOf, type Site } from "./site.ts";
import { cleanUp } from "./unit.ts";

const rounds_max = 12;
const settle_us = 20_000;

/** ocf:duet:etcd on both machines. Actions publish, look and wake; what takes long is done by the one-shot. */
export function duetAgent(world: World, site: Site): ResourceAgent {
  for (const id of [0, 1]) {
    const node = nodeOf(world, site, id);
    world.corosync.onView(id, () => wake(node));
    // The one-shot asks Corosync again and again, and ends where that does not answer.
    world.corosync.onStop(id, () => {
      node.memory.worker?.end();
      node.memory.busy = false;
    });
    node.onNews.push(() => wake(node));
  }
  return {
    run: (operation, context) => act(nodeOf(world, site, context.machine), operation, context),
  };
}

async function act(node: Node, operation: Operation, context: ActionContext): Promise<Outcome> {
  const { world, memory } = node;
  await world.kernel.tasks.sleep(context.life, settle_us);
  // Pacemaker runs one action at a time: notes of a stop, found by another, are of one that was killed.
  if (memory.leaving && operation !== "stop") {
    memory.stopFailed = operation !== "start";
    memory.leaving = false;
    memory.busy = false;
  }
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
      // Only news: what it says proves nothing.
      wake(node);
      return "ok";
    case "monitor":
      // A word may have been lost, or overtaken by an older one.
      memory.publish = true;
      wake(node);
      if (!memory.started) return "not running";
      // Then Pacemaker stops it, and a stop that fails is answered by a fence, where there is somebody for that.
      if (isHindered(node)) return "error";
      return memory.promoted ? "promoted" : "ok";
  }
}

/** It can't give its data up, and there is somebody who could fence it. */
function isHindered({ world, id, peer, memory }: Node): boolean {
  if (!world.machine(id).disk.readOnly) memory.unwritten = false;
  return (memory.held || memory.unwritten) && world.corosync.view(id).members.includes(peer);
}

/** Starts the one-shot, or lets the one that runs look once more. */
export function wake(node: Node): void {
  const { memory, world, id } = node;
  const ends = () => !memory.started || world.pacemaker.controller(id) === undefined;
  if (ends() || memory.leaving || !world.machine(id).up) return;
  memory.again = true;
  if (memory.busy) return;
  memory.busy = true;
  const life = new Life(world.machine(id).life);
  memory.worker = life;
  world.kernel.tasks.start(async () => {
    for (let round = 0; round < rounds_max && memory.again && !ends(); round += 1) {
      memory.again = false;
      await look(node, life);
    }
    memory.busy = false;
  });
}

/** As src/agents/etcd/ended-stop.ts: a stop that failed, of an etcd that has ended since, or runs well. */
function forgetEndedStop(node: Node, hasLeader: boolean): void {
  const { world, id, memory } = node;
  if (!memory.stopFailed || (world.unit(id).active && !hasLeader)) return;
  memory.held = false;
  if (!isHindered(node)) cleanUp(node);
}

/** One look of the one-shot, a moment after what woke it: news come in groups. */
async function look(node: Node, life: Life): Promise<void> {
  const { world, memory } = node;
  await world.kernel.tasks.sleep(life, settle_us);
  forgetEndedStop(node, false);
  const repeat = memory.publish;
  memory.publish = false;
  const log = (step: string) => node.step(step);
  const inner = effectsOf(node, life);
  let seen: Facts | undefined;
  const effects = { ...inner, facts: async () => (seen = await inner.facts()) };
  const peerFirst = async () => node.peerFirst;
  const ended = (end: End) => node.noteEnd(end);
  const again = await work(effects, node.times, { repeat, peerFirst, log, ended });
  if (again) memory.again = true;
  else if (seen !== undefined) {
    forgetEndedStop(node, seen.etcd.leader);
    await runSteps(powerOnLater(effects, node.times, seen, node.owedOn), log);
  }
}

/** A stop that overran would be answered by a fence: all of it together is shorter than Pacemaker's patience. */
const leaveTimes = ({ times }: Node): Times => ({
  ...times,
  etcd_call_ms: 1_500,
  etcd_stop_ms: 5_000,
  again_ms: 800,
  tries_max: 8,
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
  await runSteps(leaveFirst(effects, leaveTimes(node), decision), (step) => node.step(step));
  const down = await effects.unit.stop(leaveTimes(node).etcd_stop_ms);
  memory.leaving = false;
  memory.busy = false;
  memory.stopFailed = !down.ok || isHindered(node);
  if (memory.stopFailed) return "error";
  memory.started = false;
  memory.promoted = false;
  await effects.attributes.score(undefined, node.times.attribute_ms);
  return "ok";
}
