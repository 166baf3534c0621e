import assert from "node:assert/strict";
import { test } from "node:test";
import { parseScenario } from "./parse.ts";
import { isRemembered } from "./with-api-memory.ts";

/** What comes after the API's clients have begun. */
function remembered(steps: readonly string[], head = ""): boolean {
  const text = `# A\n\nworlds: sim, lab\n${head}\nstart both machines\n${steps.join("\n")}\n`;
  const { scenario, problems } = parseScenario(text, "a.txt");
  assert.ok(scenario !== undefined, JSON.stringify(problems));
  return isRemembered(scenario.header, scenario.steps.slice(1));
}
const back = ["power on the peer", "until 1+1"];

test("the API server of a machine that nobody took away remembers", () => {
  for (const steps of [
    ["wait 1 minute"],
    ["cut the power of the leader", "until the survivor serves", ...back],
    ["cut the power of node2", ...back, "cut the power of node2", ...back, "reboot the peer in good order"],
    ["break node1", "until node2 serves", "repair node1", ...back],
    ["reboot the follower in good order", "until 1+1"],
    ["shut down the leader in good order", ...back],
    ["hang node2", "until node1 serves", ...back],
    ["cut the wire between the machines", "until the survivor serves", "heal the wire between the machines"],
    ["cut the wire between the machines", "heal the wire between the machines", "cut the power of the peer"],
    ["cut the power of the leader", ...back, "kill kubelet on the peer", "cut the power of the peer"],
    ["cut link 1", "heal link 1", "cut link 2"],
    ["let kubelet on node2 fail to start", "kill kubelet on node2", "kill CRI-O on node1"],
    ["jump the clock of node2 by 1 hour", "cut the power of node1"],
  ])
    assert.ok(remembered(steps), steps.join(", "));
});

test("of two that were taken away, at once or in turn, none is sure to remember", () => {
  for (const steps of [
    ["cut the power of both machines"],
    ["shut down both machines at once"],
    ["flicker the feed of both machines 3 times in 1 minute"],
    // Its API server may still be about to start when etcd is whole again.
    ["cut the power of node2", ...back, "cut the power of node1"],
    ["cut the power of the leader", ...back, "cut the power of the leader"],
    ["cut the power of node1", ...back, "cut the power of the survivor"],
    ["cut the wire between the machines", "heal the wire between the machines", "cut the power of node2"],
    ["cut the power of node2", ...back, "cut the wire between the machines"],
    ["cut the power of node2", ...back, "kill kubelet on node1", "cut the power of the peer"],
    ["cut link 1", "cut link 2 one way from node1", "heal link 1", "cut the power of node1"],
  ])
    assert.ok(!remembered(steps), steps.join(", "));
});

test("an etcd that was killed takes no API server along, and is back at 1+1", () => {
  const killed = (who: string) => `kill etcd on ${who}`;
  assert.ok(remembered([killed("the leader"), "until 1+1", killed("the follower"), "until 1+1"]));
  assert.ok(remembered([killed("node1"), "until 1+1", "cut the power of node2"]));
  assert.ok(!remembered([killed("node1"), killed("node2")]));
  assert.ok(!remembered([killed("node1"), "cut the power of node2"]));
  assert.ok(remembered([killed("node1"), "cut the power of node1", ...back]));
  assert.ok(!remembered([killed("node1"), "cut the power of node1", ...back, killed("node2")]));
});

test("where etcd may be without a leader for long, an API server may have begun anew", () => {
  for (const steps of [
    ["hang node1", "until node2 serves"],
    ["hang the leader", "until the survivor serves"],
    ["cut the feed of node2", "until node1 serves"],
    ["the BMC of node2 is slow by 5 seconds", "cut the power of node2"],
    ["the BMC of node2 hangs in TLS", "cut the power of node2"],
    ["unplug node1 from the management wire", "cut the power of node2"],
    ["cut the management wire", "cut the power of node2"],
    ["cut everything", "heal everything"],
    ["freeze etcd on node2"],
    ["kill corosync on node2"],
    ["fill the disk of node2"],
    ["use up the space of etcd"],
    ["flap the wire between the machines 5 times in 1 minute"],
    ["cut the power of node2", "expect nobody serves"],
    ["the admin says that node2 is down"],
  ])
    assert.ok(!remembered(steps), steps.join(", "));
  const cut = ["cut the power of node2", "until node1 serves"];
  assert.ok(remembered(cut, "bmc: off 6 seconds, on 46 seconds\n"));
  assert.ok(!remembered(["kill kubelet on node2"], "escalate\n"));
  assert.ok(!remembered(cut, "bmc: off 30 seconds, on 1 second\n"));
});
