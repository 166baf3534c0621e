import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { lackedByLab } from "../../lab/scenario-labs.ts";
import { moments_here } from "../../lab/scenario-moments.ts";
import { scenariosForCi } from "../../lab/testing-scenarios.ts";
import { Progress } from "../machine/progress.ts";
import { formatScenario } from "./format.ts";
import { parseScenario } from "./parse.ts";
import { type Kind, phrases } from "./phrases.ts";

const folder = join(import.meta.dirname, "..", "..", "scenarios");
const files = readdirSync(folder).map((name) => ({ name, text: readFileSync(join(folder, name), "utf8") }));
const parsed = files.map(({ name, text }) => ({ name, text, ...parseScenario(text, `scenarios/${name}`) }));

test("every scenario is understood and formatted, has a title and a reason, and says its worlds", () => {
  for (const { name, text, scenario, problems } of parsed) {
    assert.deepEqual(problems, []);
    assert.match(name, /^[a-z0-9-]+\.txt$/);
    assert.equal(formatScenario(text), text, `run: duet scenario format scenarios/${name}`);
    assert.ok(scenario !== undefined && scenario.header.title !== "" && scenario.header.why !== "", name);
    assert.match(text, /^worlds: /m, name);
  }
});

test("no two scenarios have one title, or the same steps", () => {
  const seen = new Map<string, string>();
  for (const { name, scenario } of parsed) {
    const { header } = scenario ?? { header: undefined };
    const story = JSON.stringify([scenario?.steps.map(({ text }) => text), header?.pdu, header?.bmc]);
    for (const key of [header?.title ?? "", story]) {
      assert.equal(seen.get(key), undefined, `${name} repeats ${seen.get(key)}`);
      seen.set(key, name);
    }
  }
});

test("a story that should lose nothing says so, and one with moments is the simulator's, and the lab's where it can be", () => {
  for (const { name, text, scenario } of parsed) {
    const accepts = /accepting the loss|chooses the data/.test(text);
    if (/^clients write/m.test(text) && !accepts) assert.match(text, /^expect nothing lost$/m, name);
    if (text.includes("API clients write"))
      assert.match(text, /^expect the API's history whole( but for 410 Gone)?$/m, name);
    if (scenario?.header.kubernetes === true) {
      assert.deepEqual(scenario.header.worlds, ["lab"], name);
      const never = /^expect the address was never on both machines$/m.test(text);
      assert.equal(never, scenario.header.address, name);
    }
    const moments = scenario?.steps.flatMap(({ at }) => (at === undefined ? [] : [at])) ?? [];
    if (moments.length === 0) continue;
    const inLab = moments.every((moment) => moments_here.has(moment));
    assert.deepEqual(scenario?.header.worlds, inLab ? ["sim", "lab"] : ["sim"], name);
  }
});

test("a story of the API bounds each call to either machine's API server, unless nobody reaches one of them", () => {
  for (const { name, text } of parsed) {
    if (!/^API clients write$/m.test(text) || name === "kube-cable-pulled.txt") continue;
    assert.match(text, /^expect each API write to end in 50 seconds$/m, name);
    assert.match(text, /^expect each API read to end in 61 seconds$/m, name);
  }
});

test("the files of the seeds' timelines are there", () => {
  const names = files.map(({ name }) => name.replace(".txt", ""));
  const seeds = ["cold-boot", "network-failure", "node-failure", "kubelet-failure", "etcd-failure"];
  for (const name of seeds) {
    const found = parsed.find((each) => each.name === `${name}.txt`);
    assert.ok(found?.scenario?.header.ci, `scenarios/${name}.txt is not told by \`npm test\``);
  }
  assert.ok(names.includes("two-failures"));
});

test("the lab can play every story that is for it, and its tests play each that is for CI", () => {
  const progress = new Progress();
  const here = parsed.flatMap(({ scenario }) => (scenario?.header.worlds.includes("lab") ? [scenario] : []));
  assert.ok(here.length >= 130);
  for (const scenario of here) assert.deepEqual(lackedByLab(scenario, progress), [], scenario.file);
  for (const kubernetes of [false, true]) {
    const wanted = here.filter(({ header }) => header.ci && header.kubernetes === kubernetes);
    const played = scenariosForCi(progress, kubernetes);
    assert.ok(wanted.length > 0);
    assert.deepEqual(played.map(({ file }) => file).toSorted(), wanted.map(({ file }) => file).toSorted());
  }
});

/** Each is a failure that duet promises to survive or to refuse, in the worlds that are named: none of them goes away unseen. */
const promised = {
  both: [
    "cold-boot",
    "network-failure",
    "node-failure",
    "etcd-failure",
    "leader-cut",
    "leader-hangs",
    "leader-loses-its-feed",
    "follower-cut",
    "follower-hangs",
    "follower-loses-its-feed",
    "machine-lost",
    "race-and-inert-boot",
    "one-link-cut",
    "one-way-cut",
    "one-way-cut-other",
    "one-switch-links-first",
    "one-switch-management-first",
    "flapping-wire",
    "feed-lost-no-pdu",
    "feed-lost-pdu-dead",
    "bmc-hangs",
    "bmc-lies",
    "bmc-is-slow",
    "bmc-refuses-login",
    "slow-bmc-failover",
    "slow-bmc-race",
    "unequal-bmcs",
    "unequal-bmcs-other",
    "lost-during-rejoin",
    "survivor-lost-during-rejoin",
    "wire-cut-during-rejoin",
    "lost-at-promote",
    "lost-at-marker",
    "lost-before-full",
    "lost-after-full",
    "joiner-lost-at-promote",
    "joiner-lost-before-full",
    "joiner-lost-after-full",
    "etcd-start-failure",
    "etcd-frozen",
    "etcd-frozen-briefly",
    "corosync-frozen",
    "corosync-frozen-other",
    "disk-full",
    "disk-slow",
    "disk-read-only",
    "corrupt-log",
    "data-wiped",
    "stock-fence",
    "two-failures",
    "two-failures-alone",
    "power-back-together",
    "power-back-node1-first",
    "power-back-node2-first",
    "power-back-far-apart",
    "power-back-lone-start",
    "one-never-returns",
    "one-never-returns-node1",
    "power-flickers",
    "stale-first",
    "stale-first-dead-bmc",
    "stale-first-bmc-stays-dead",
    "stale-first-own-bmc-dead",
    "stale-first-blank-bmcs",
    "stale-first-foreign-tag",
    "stale-first-replaced-bmc",
    "stale-first-other-site",
    "admin-both-at-once",
    "admin-both-boot",
    "admin-both-cut-off",
    "admin-on-stale",
    "admin-unreadable-tag",
    "admin-accepts-loss",
    "admin-unblocks-quorum",
    "admin-confirms-fence",
    "boot-into-cut",
    "choose-data",
    "choice-is-over",
    "choice-is-over-standby",
    "choice-then-surrender",
    "choice-then-wipe",
    "two-histories",
    "peer-back-in-turn",
    "reboot-leader",
    "reboot-follower",
    "stop-leader",
    "stop-follower",
    "off-in-turn-node1-first",
    "off-in-turn-node2-first",
    "off-in-turn-node1-first-node2-back",
    "off-in-turn-node2-first-node1-back",
    "standby-then-loss",
    "both-shut-down",
  ],
  sim: [
    "power-back-an-hour-apart",
    "power-back-lone-start-an-hour-apart",
    "peer-back-at-grant",
    "peer-back-while-deciding",
    "choice-alone-is-refused",
    "choose-data-after-surrender",
    "planned-gap",
    "tags-cant-be-written",
  ],
  lab: [
    "kubelet-failure",
    "kubelet-no-stop",
    "kubelet-stop-failure",
    "feed-lost",
    "links-pulled",
    "clock-jump",
    "nospace-alone",
    "setup-interrupted",
    "credentials-rotated-alone",
    "credentials-handed-over",
    "orderly-reboot",
    "kube-apiserver-frozen",
    "kube-apiserver-killed",
    "kube-apiserver-start-failure",
    "kube-cable-pulled",
    "kube-cold-boot",
    "kube-confirmed-by-hand",
    "kube-controller-leader-lost",
    "kube-crio-killed",
    "kube-crio-no-stop",
    "kube-crio-start-failure",
    "kube-crio-stop-failure",
    "kube-feed-lost",
    "kube-holder-hangs",
    "kube-holder-lost",
    "kube-kubelet-killed",
    "kube-kubelet-no-stop",
    "kube-kubelet-start-failure",
    "kube-kubelet-stop-failure",
    "kube-network-failure",
    "kube-no-address",
    "kube-no-proof",
    "kube-node-failure",
    "kube-node-hangs",
    "kube-planned-reboot",
    "kube-planned-stop",
  ],
} as const;

test("each failure that is promised to be survived or refused has its story, in each of its worlds", () => {
  for (const where of ["both", "sim", "lab"] as const)
    for (const story of promised[where]) {
      const found = parsed.find(({ name }) => name === `${story}.txt`);
      assert.ok(found?.scenario !== undefined, `scenarios/${story}.txt is not there`);
      const { worlds } = found.scenario.header;
      for (const world of where === "both" ? (["lab", "sim"] as const) : [where])
        assert.ok(worlds.includes(world), `scenarios/${story}.txt: ${world}`);
    }
});

/** Nobody serves for more than a minute in these: what clients are told meanwhile is part of the promise. */
const long_outages = [
  "bmc-accepts-only",
  "bmc-graceful-off",
  "bmc-hangs",
  "bmc-lies",
  "bmc-refuses-login",
  "bmc-stale-state",
  "feed-lost-no-pdu",
  "feed-lost-pdu-dead",
  "one-switch-links-first",
  "one-switch-management-first",
];

test("in an outage of more than a minute writes fail with errors in bounded time, and serializable reads go on", () => {
  for (const story of long_outages) {
    const text = parsed.find(({ name }) => name === `${story}.txt`)?.text ?? "";
    for (const line of [
      /^until writes through \w+ fail with errors$/m,
      /^expect each write to end in \d+ seconds$/m,
      /^expect serializable reads to go on$/m,
    ])
      assert.match(text, line, story);
  }
});

/** Shorter ones, and those that a story meets beside others: somebody's etcd has no leader, or no room, for some seconds. */
const outages = [
  ...long_outages,
  "bmc-is-slow",
  "corosync-frozen",
  "corosync-frozen-other",
  "corrupt-log",
  "disk-full",
  "etcd-failure",
  "etcd-start-failure",
  "flapping-wire",
  "follower-cut",
  "follower-hangs",
  "follower-loses-its-feed",
  "joiner-lost-after-full",
  "joiner-lost-at-promote",
  "joiner-lost-before-full",
  "kubelet-no-stop",
  "leader-cut",
  "leader-hangs",
  "leader-loses-its-feed",
  "lost-after-full",
  "lost-at-marker",
  "lost-at-promote",
  "lost-before-full",
  "lost-during-rejoin",
  "network-failure",
  "node-failure",
  "nospace-alone",
  "one-way-cut",
  "one-way-cut-other",
  "slow-bmc-race",
  "unequal-bmcs",
  "unequal-bmcs-other",
];

test("in an outage, however short, no write hangs", () => {
  for (const story of outages) {
    const text = parsed.find(({ name }) => name === `${story}.txt`)?.text ?? "";
    assert.match(text, /^expect each write to end in 10 seconds$/m, story);
  }
});

/** Machines that come back, that must not, and those that go and come by plan: what a person is told meanwhile is part of the promise. */
const returns = [
  "two-failures",
  "two-failures-alone",
  "power-back-together",
  "power-back-node1-first",
  "power-back-node2-first",
  "power-back-far-apart",
  "power-back-lone-start",
  "one-never-returns",
  "one-never-returns-node1",
  "power-flickers",
  "stale-first",
  "stale-first-dead-bmc",
  "stale-first-bmc-stays-dead",
  "stale-first-own-bmc-dead",
  "stale-first-blank-bmcs",
  "stale-first-foreign-tag",
  "stale-first-replaced-bmc",
  "stale-first-other-site",
  "admin-both-at-once",
  "admin-both-boot",
  "admin-on-stale",
  "admin-unreadable-tag",
  "admin-accepts-loss",
  "peer-back-in-turn",
  "reboot-leader",
  "reboot-follower",
  "off-in-turn-node1-first",
  "off-in-turn-node2-first",
  "off-in-turn-node1-first-node2-back",
  "off-in-turn-node2-first-node1-back",
  "both-shut-down",
  "standby-then-loss",
  "credentials-rotated-alone",
  "credentials-handed-over",
];

test("each story of a return asks for the sentence of the status", () => {
  for (const story of returns) {
    const text = parsed.find(({ name }) => name === `${story}.txt`)?.text ?? "";
    assert.match(text, /^(in the lab: )?(until|expect) the status says "/m, `scenarios/${story}.txt`);
  }
});

/** The promised two minutes, and the gap of a stop that was planned. Any other limit is patience, and what was measured is the bench's. */
const timed = ["network-failure", "node-failure", "planned-gap", "reboot-follower", "reboot-leader"];

test("how soon somebody serves again, and how long nobody may, is asserted by the stories that docs/scenarios.md names, and no other", () => {
  for (const { name, scenario } of parsed) {
    const asserts = scenario?.steps.some(
      ({ ask }) => ask.kind === "expect-gap" || (ask.kind === "until-serves" && ask.limited),
    );
    if (asserts === true) assert.ok(timed.includes(name.replace(".txt", "")), `${name} asserts a time`);
  }
});

test("a phrase that no scenario uses is a phrase that nobody tried", () => {
  const used = new Set<Kind>(
    parsed.flatMap(({ scenario }) => scenario?.steps.map(({ ask }) => ask.kind) ?? []),
  );
  const unused = Object.keys(phrases).filter((kind) => ![...used].some((each) => each === kind));
  assert.deepEqual(unused, []);
});
