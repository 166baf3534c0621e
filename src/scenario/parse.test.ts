import assert from "node:assert/strict";
import { test } from "node:test";
import { faultKinds } from "../../lab/bmc/fault.ts";
import { match } from "./grammar.ts";
import { within_ms_default } from "./phrases.ts";
import { parseScenario } from "./parse.ts";
import { toldIn } from "./scenario.ts";
import { slots } from "./slots.ts";
import { samples } from "./words.ts";

const sample = `# Node failure
start both machines
until 1+1
clients write
cut the power of the leader
until the survivor serves
expect 1+0
power on the peer
until 1+1
expect nothing lost
`;

const wrong = (text: string) => parseScenario(text, "x.txt").problems;
const stepsOf = (text: string) => parseScenario(text, "x.txt").scenario?.steps ?? [];

test("the sample of the design reads as it stands", () => {
  const { scenario, problems } = parseScenario(sample, "x.txt");
  assert.deepEqual(problems, []);
  assert.ok(scenario !== undefined);
  assert.equal(scenario.header.title, "Node failure");
  assert.deepEqual(scenario.header.worlds, ["sim", "lab"]);
  assert.deepEqual(
    scenario.steps.map(({ ask }) => ask.kind),
    [
      "start-both",
      "until-1+1",
      "clients-write",
      "cut-power",
      "until-serves",
      "expect-1+0",
      "power-on",
      "until-1+1",
      "expect-nothing-lost",
    ],
  );
  assert.deepEqual(
    scenario.steps.map(({ line }) => line),
    [2, 3, 4, 5, 6, 7, 8, 9, 10],
  );
});

test("every phrase is understood as itself, and no phrase as another", () => {
  for (const { kind, text } of samples()) {
    const found = match(text);
    assert.ok(found?.ok === true, text);
    assert.equal(found.ask.kind, kind);
    assert.equal(found.text, text);
  }
});

test("values are typed, and a wait has its limit", () => {
  const [start, write, wait, cut, until] = stepsOf(
    "start both machines\nclients write 2000 per second\nwait 3 minutes\ncut link 2 one way from node1\nuntil node1 serves within 120 seconds\n",
  );
  assert.equal(start?.ask.within_ms, within_ms_default);
  assert.ok(write?.ask.kind === "clients-rate");
  assert.equal(write.ask.number, 2000);
  assert.ok(wait?.ask.kind === "wait");
  assert.equal(wait.ask.duration, 180_000);
  assert.ok(cut?.ask.kind === "cut-one-way");
  assert.deepEqual([cut.ask.wire, cut.ask.machine], ["link2", "node1"]);
  assert.equal(until?.ask.within_ms, 120_000);
});

test("a moment takes a deed, and nothing else", () => {
  const [, armed] = stepsOf("start both machines\nat the promote entry: cut the power of the leader\n");
  assert.equal(armed?.at, "promote");
  assert.equal(armed.ask.kind, "cut-power");
  assert.deepEqual(
    wrong("start both machines\nat the removal: expect 1+1\n").map(({ where }) => where),
    ["x.txt:2:17"],
  );
  assert.match(wrong("at the removl: hang node1\n")[0]?.fix ?? "", /`at the removal: …`/);
});

test("a look of the lab's own is one step of a story of both worlds, and nothing is done in it", () => {
  const story = "start both machines\nIn  the lab:  expect  kubelet runs on node1\nuntil 1+1\n";
  const [start, look, wait] = stepsOf(story);
  assert.deepEqual([start?.only, look?.only, wait?.only], [undefined, "lab", undefined]);
  assert.equal(look?.ask.kind, "expect-runs");
  assert.equal(look.text, "in the lab: expect kubelet runs on node1");
  const { scenario } = parseScenario(story, "x.txt");
  assert.ok(scenario);
  const told = (world: "sim" | "lab") => toldIn(scenario, world).steps.map(({ ask: { kind } }) => kind);
  assert.deepEqual(told("sim"), ["start-both", "until-1+1"]);
  assert.deepEqual(told("lab"), ["start-both", "expect-runs", "until-1+1"]);
  const places = (text: string) => wrong(text).map(({ where }) => where);
  assert.deepEqual(places("start both machines\nin the lab: cut link 1\n"), ["x.txt:2:13"]);
  assert.deepEqual(places("start both machines\nin the lab: until kubelet rns on node1\n"), ["x.txt:2:27"]);
  assert.deepEqual(places("worlds: lab\nstart both machines\nin the lab: until 1+1\n"), ["x.txt:3:1"]);
  assert.deepEqual(places("start both machines\nin the lab: until the peer is on\n"), ["x.txt:2:1"]);
});

test("what is wrong is told all at once, with line, column and the nearest right words", () => {
  const problems = wrong(
    "start both machines\n  cut the pwer of node2\nthe BMC of node1 is unreachble\ncut the power of node3\nwait 0 seconds\nbanana\nuntil nod1 serves within 20 seconds\n",
  );
  assert.deepEqual(
    problems.map(({ where, fix }) => [where, fix]),
    [
      ["x.txt:2:11", "did you mean `cut the power of node2`?"],
      ["x.txt:3:21", "did you mean `the BMC of node1 is unreachable`?"],
      ["x.txt:4:18", "did you mean `cut the power of node1`?"],
      ["x.txt:5:6", "write another value"],
      ["x.txt:6:1", "`duet scenario words` lists the steps"],
      ["x.txt:7:7", "did you mean `until node1 serves within 20 seconds`?"],
    ],
  );
  assert.match(
    problems[2]?.what ?? "",
    /`cut the power of MACHINE`, where MACHINE is a machine: `node1`, `node2`/,
  );
});

test("the head: worlds, ci, pdu, the BMCs' times, the fence agent and Kubernetes, each once and above the steps", () => {
  const { scenario } = parseScenario(
    "# A\n# why\n# and so\n\nworlds: lab\nci\npdu\nbmc: off 6 seconds, on 46 seconds\nfencing: fence_redfish\nkubernetes\nescalate\n\nstart both machines # now\n",
    "x.txt",
  );
  assert.deepEqual(scenario?.header, {
    title: "A",
    why: "why and so",
    worlds: ["lab"],
    ci: true,
    pdu: true,
    bmc: { node1: { off_ms: 6000, on_ms: 46_000 }, node2: { off_ms: 6000, on_ms: 46_000 } },
    fencing: "fence_redfish",
    kubernetes: true,
    address: true,
    escalate: true,
  });
  const problems = wrong(
    "wrlds: sim\nworlds: metal\nci\nci\nbmc: slow\nfencing: axe\nstart both machines\npdu\n",
  );
  assert.deepEqual(
    problems.map(({ code, where }) => `${code} ${where}`),
    [1, 2, 4, 5, 6, 8].map((line) => `DUET-E-SCENARIO-HEADER x.txt:${line}:1`),
  );
  assert.match(problems[0]?.fix ?? "", /`worlds`/);
});

test("a BMC may have times of its own, above those of both or without them", () => {
  const bmcs = (...head: readonly string[]) =>
    parseScenario(`${head.join("\n")}\nstart both machines\n`, "x.txt").scenario?.header.bmc;
  const [quick, slow] = [
    { off_ms: 1000, on_ms: 1000 },
    { off_ms: 6000, on_ms: 46_000 },
  ];
  const own = "bmc of node2: off 6 seconds, on 46 seconds";
  assert.deepEqual(bmcs(), { node1: quick, node2: quick });
  assert.deepEqual(bmcs(own), { node1: quick, node2: slow });
  assert.deepEqual(bmcs(own, "bmc: off 2 seconds, on 3 seconds"), {
    node1: { off_ms: 2000, on_ms: 3000 },
    node2: slow,
  });
  const problems = wrong(`${own}\nbmc of node3: off 1 second, on 1 second\nbmc of node1: slow\n${own}\n`);
  assert.deepEqual(
    problems.map(({ code, where, fix }) => [code, where, fix]),
    [
      ["x.txt:2:1", "write `bmc of node1: …`, or `bmc of node2: …`"],
      ["x.txt:3:1", "write `bmc of node1: off 6 seconds, on 46 seconds`"],
      ["x.txt:4:1", "remove one of the two"],
    ].map((rest) => ["DUET-E-SCENARIO-HEADER", ...rest]),
  );
});

test("a part that nobody can play yet is a mistake of the writer's", () => {
  const problems = wrong(
    "start both machines\nuntil the survivor serves\ncut the power of node1\npower on the peer\n",
  );
  assert.deepEqual(
    problems.map(({ code, where }) => [code, where]),
    [["DUET-E-SCENARIO-ROLE", "x.txt:2:1"]],
  );
});

test("an empty file, a huge one and a line without end are problems, not surprises", () => {
  assert.equal(wrong("# only a title\n")[0]?.code, "DUET-E-SCENARIO-FILE");
  assert.ok(wrong("start both machines\n".repeat(2000)).some(({ code }) => code === "DUET-E-SCENARIO-FILE"));
  assert.match(wrong(`start ${"x".repeat(5000)}\n`)[0]?.what ?? "", /at most 300 characters/);
});

test("the faults of a BMC are those of the lab", () => {
  const said = slots.FAULT.samples.map((phrase) => JSON.stringify(slots.FAULT.read(phrase)));
  // `slow` takes a time, so it has a phrase of its own.
  const known = Object.keys(faultKinds).filter((kind) => kind !== "slow");
  assert.deepEqual(said.toSorted(), known.map((kind) => JSON.stringify(kind)).toSorted());
});

test("with `kubernetes` the API has an address, unless its line says that it has none", () => {
  const headed = (line: string) =>
    parseScenario(`# A\n\nworlds: lab\n${line}\n\nstart both machines\n`, "a.txt");
  const said = (line: string) => {
    const header = headed(line).scenario?.header;
    return [header?.kubernetes, header?.address];
  };
  assert.deepEqual(said("kubernetes"), [true, true]);
  assert.deepEqual(said("kubernetes: Without  address"), [true, false]);
  assert.deepEqual(said("ci"), [false, false]);
  assert.match(headed("kubernetes: yes").problems[0]?.what ?? "", /stands alone, or says `without address`/);
});
