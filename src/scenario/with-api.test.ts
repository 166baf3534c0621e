import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { lackedByLab } from "../../lab/scenario-labs.ts";
import { Progress } from "../machine/progress.ts";
import { parseScenario } from "./parse.ts";
import type { Scenario } from "./scenario.ts";
import { acceptsLoss } from "./traits.ts";
import { withApi } from "./with-api.ts";

const folder = join(import.meta.dirname, "..", "..", "scenarios");
const read = (name: string): Scenario => {
  const { scenario } = parseScenario(readFileSync(join(folder, name), "utf8"), `scenarios/${name}`);
  assert.ok(scenario !== undefined, name);
  return scenario;
};
const story = (...steps: readonly string[]): Scenario => {
  const { scenario } = parseScenario(`# A\n\nworlds: sim, lab\nci\n\n${steps.join("\n")}\n`, "a.txt");
  assert.ok(scenario !== undefined);
  return scenario;
};
const said = ({ steps }: Scenario): readonly string[] => steps.map(({ text }) => text);

test("clients of the API write from where etcd's do, and are judged where those are", () => {
  const told = story(
    "start both machines",
    "until 1+1",
    "clients write",
    "cut the power of node1",
    "until node2 serves",
    "power on node1",
    "until 1+1",
    "expect nothing lost",
  );
  const { header, ...rest } = withApi(told);
  assert.deepEqual([header.worlds, header.ci, header.kubernetes], [["lab"], false, true]);
  assert.deepEqual(said({ header, ...rest }), [
    "start both machines",
    "until 1+1",
    "a deployment of 4 pods runs",
    "clients write 100 per second",
    "API clients write",
    "cut the power of node1",
    "until node2 serves",
    "until the API answers within 120 seconds",
    "power on node1",
    "until 1+1",
    "expect nothing lost",
    "until the API answers",
    "expect each API write to end in 50 seconds",
    "expect the API's history whole",
    "until 1+1",
    "until the API answers",
    "until the deployment is whole",
    "until nobody is marked out of service",
    "expect the address on one machine",
    "expect the address was never on both machines",
  ]);
});

test("a story that ends with one machine asks for no more than one", () => {
  const told = story(
    "start both machines",
    "until 1+1",
    "clients write 50 per second",
    "break node1",
    "until node2 serves",
    "expect nothing lost",
  );
  assert.deepEqual(said(withApi(told)).slice(2), [
    "a deployment of 4 pods runs",
    "clients write 50 per second",
    "API clients write",
    "break node1",
    "until node2 serves",
    "until the API answers within 120 seconds",
    "expect nothing lost",
    "until the API answers",
    "expect each API write to end in 50 seconds",
    "expect the API's history whole",
    "expect the address was never on both machines",
  ]);
});

test("who serves before the clients begin is not asked for an API, and who serves twice is asked twice", () => {
  const told = story(
    "start node1",
    "until node1 serves",
    "start node2",
    "until 1+1",
    "clients write 50 per second",
    "break node1",
    "until node2 serves within 3 minutes",
    "wait 1 minute",
    "until the survivor serves",
    "expect nothing lost",
  );
  const { steps } = withApi(told);
  // Where the story takes its time until somebody serves, the API's own counts from then.
  assert.deepEqual(
    steps.flatMap(({ text, ask }, index) =>
      text.startsWith("until the API answers within") ? [[steps[index - 1]?.text, text, ask.limited]] : [],
    ),
    [
      ["until node2 serves within 3 minutes", "until the API answers within 180 seconds", true],
      ["until the survivor serves", "until the API answers within 120 seconds", false],
    ],
  );
});

test("where a loss was seen and nobody is waited for to serve, the API has its two minutes from then, behind the proof of Off", () => {
  const asked = (name: string) =>
    withApi(read(name)).steps.flatMap(({ text, ask }, index, steps) =>
      text === "until the API answers within 120 seconds" && ask.limited ? [steps[index - 1]?.text] : [],
    );
  // Behind what is looked at while the peer is off: who is left powers it on.
  for (const name of ["machine-hangs.txt", "fence-needs-login.txt"])
    assert.deepEqual(asked(name), ["expect node2 is off"], name);
  assert.deepEqual(asked("machine-lost.txt"), ["expect exactly one machine is on"]);
  assert.deepEqual(asked("hung-machine-watched.txt"), ["until node2 is off"]);
  assert.deepEqual(asked("idle-pair-loses-again.txt"), ["until node2 is seen lost"]);
  // Off is never shown there, and the way back is the story's.
  assert.deepEqual(asked("feed-lost.txt"), []);
  const loss = [
    "start both machines",
    "until 1+1",
    "clients write",
    "break node1",
    "until node1 is seen lost",
  ];
  const asks = (...steps: readonly string[]) =>
    said(withApi(story(...loss, ...steps, "expect nothing lost"))).filter((text) =>
      text.startsWith("until the API answers within"),
    ).length;
  assert.equal(asks("until node1 is proven off"), 1);
  // What a story asks for itself is not asked for twice, and each loss counts alone.
  assert.equal(asks("until node1 is proven off", "until node2 serves"), 1);
  assert.equal(asks("until node1 is proven off", "hang node2", "until node2 serves"), 2);
  assert.equal(asks("wait 5 seconds"), 0);
});

test("a story ends whole if nobody is lost after its last 1+1, whoever is seen to serve then", () => {
  const isWhole = (...more: readonly string[]) =>
    said(
      withApi(story("start both machines", "until 1+1", "clients write", ...more, "expect nothing lost")),
    ).includes("until the deployment is whole");
  assert.ok(isWhole());
  assert.ok(isWhole("expect node1 serves", "expect node2 serves"));
  assert.ok(
    isWhole(
      "cut the power of node1",
      "until node2 serves",
      "power on node1",
      "until 1+1",
      "expect node1 serves",
    ),
  );
  assert.ok(!isWhole("cut the power of node1", "until node2 serves", "expect 1+0"));
  assert.ok(!isWhole("cut the power of node1", "until node2 serves"));
  assert.ok(!isWhole("cut the feed of both machines", "restore the feed of both machines"));
  assert.ok(said(withApi(read("cold-boot.txt"))).includes("until the deployment is whole"));
  assert.ok(!said(withApi(read("one-never-returns.txt"))).includes("until the deployment is whole"));
});

test("the address is looked after where somebody goes past duet, and not where an admin's word takes the place of a proof", () => {
  const last = (name: string) => said(withApi(read(name))).at(-1);
  for (const name of ["admin-confirms-fence.txt", "admin-unblocks-quorum.txt", "machine-hangs.txt"])
    assert.equal(last(name), "expect the address was never on both machines", name);
  assert.notEqual(last("word-on-a-living-machine.txt"), "expect the address was never on both machines");
});

test("410 Gone is excused where an API server may have forgotten, as far as the story has come", () => {
  const judged = (name: string) =>
    said(withApi(read(name))).filter((text) => text.startsWith("expect the API's history whole"));
  const [strict, gone] = [
    "expect the API's history whole",
    "expect the API's history whole but for 410 Gone",
  ];
  for (const name of ["leader-cut.txt", "network-failure.txt", "etcd-failure.txt", "reboot-leader.txt"])
    assert.deepEqual(judged(name), [strict], name);
  // In the first one machine is away, and the other one's wire is cut as well.
  const others = ["power-back-together.txt", "stale-first.txt", "lost-after-full.txt", "bmc-hangs.txt"];
  for (const name of ["node-failure.txt", ...others]) assert.deepEqual(judged(name), [gone], name);
  // A hang, and a race for whoever wins it.
  assert.deepEqual(judged("stock-fence.txt"), [strict, gone]);
});

test("every story of the lab can be told with the API, and is judged unless an admin gives data away", () => {
  const progress = new Progress();
  const stories = readdirSync(folder)
    .map(read)
    .filter(({ header }) => header.worlds.includes("lab"));
  assert.ok(stories.length > 90);
  for (const told of stories) {
    const { header, steps } = withApi(told);
    assert.equal(header.kubernetes, true, told.file);
    assert.deepEqual(lackedByLab({ ...told, header, steps }, progress), [], told.file);
    const kinds = steps.map(({ ask: { kind } }) => kind);
    assert.ok(kinds.includes("api-clients-write"), told.file);
    const judged = kinds.findLastIndex((kind) => kind.startsWith("expect-api-whole"));
    if (!acceptsLoss(told)) assert.ok(judged > kinds.indexOf("api-clients-write"), told.file);
  }
});
