import type { Facts } from "../../src/decide/facts.ts";
import { outage, type Plant, seeing } from "./plant.ts";

const look_us = 500_000;

/** It was started, so it runs. */
const startedIsRunning = (facts: Facts): Facts =>
  facts.self.full && facts.self.standing === "voter" && facts.peer.seen === "now"
    ? { ...facts, etcd: { ...facts.etcd, running: true, leader: true } }
    : facts;

/** Waiting for the wrong thing, or for ever. */
export const waitPlants: readonly Plant[] = [
  {
    name: "start-waits-for-peer",
    sentence: "the agent's start returns when the peer's etcd runs",
    pitfalls: [10],
    stoppedBy: "the agent's actions wait for nothing on the peer",
    checks: outage,
    favours: ["both machines lose power, and come back at different times"],
    agent: (agent, world, site) => ({
      run: async (operation, context) => {
        const { machine, life } = context;
        const peer = 1 - machine;
        const waits = () =>
          operation === "start" &&
          !site.firstStart &&
          world.corosync.view(machine).members.includes(peer) &&
          world.unit(peer).running === undefined;
        while (waits()) await world.kernel.tasks.sleep(life, look_us);
        return await agent.run(operation, context);
      },
    }),
  },
  {
    name: "no-deadline",
    sentence: "the peer's BMC is asked without a deadline",
    pitfalls: [27],
    stoppedBy: "every effect ends within its deadline",
    checks: outage,
    favours: ["a BMC's fault: unreachable"],
    effects: (effects, { node: { world, id, peer }, life }) => ({
      ...effects,
      facts: async () => {
        await world.askBmc(life, id, peer, { kind: "read" }, Number.MAX_SAFE_INTEGER);
        return await effects.facts();
      },
    }),
  },
  {
    name: "waiting-is-running",
    sentence: "an etcd that was asked to start counts as running for ever",
    pitfalls: [13],
    stoppedBy: "R-ETCD-RESTART: the process is looked at, not the answer of the last action",
    checks: outage,
    favours: ["etcd is killed"],
    ...seeing(startedIsRunning),
  },
];
