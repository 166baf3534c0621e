import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { run } from "../src/machine/process.ts";
import { allNamed, parseXml } from "../src/machine/xml.ts";
import { cibConfiguration } from "../src/render/cib.ts";
import { addressPolicy6 } from "../src/render/policy.ts";
import { readSite } from "../src/site/read.ts";
import { minimal } from "../src/site/samples.ts";

// Pacemaker's own checker and its own scheduler, and the agent itself, from the lab's image (DUET_IMAGE_ROOT). No machine is started.

const folder = await mkdtemp(join(tmpdir(), "duet-address-"));
after(() => rm(folder, { recursive: true }));

function root(): string {
  const found = process.env["DUET_IMAGE_ROOT"];
  assert.ok(found !== undefined && found !== "", "set DUET_IMAGE_ROOT to a root folder of the lab's image");
  return found;
}

/** A program of the image; our folder is its /tmp. */
const inImage = (program: string, ...args: readonly string[]) =>
  run(
    [
      "unshare",
      "--mount",
      "sh",
      "-c",
      'mount --bind "$1" "$2/tmp" && shift && exec chroot "$@"',
      "sh",
      folder,
      root(),
      "env",
      "CIB_shadow_dir=/tmp",
      program,
      ...args,
    ],
    { deadline_ms: 60_000 },
  );

function cib(address: string, text: string, fencing = ""): string {
  const { site } = readSite(`${text}kubernetes: {}\napi: { address: "${address}" }\n${fencing}`, "site.yaml");
  assert.ok(site !== undefined);
  const nodes = '<nodes><node id="1" uname="node1"/><node id="2" uname="node2"/></nodes>';
  const configuration = cibConfiguration(site, new Map()).xml.replace("<resources>", `${nodes}<resources>`);
  // A schema that Pacemaker 2.1 has, too.
  const head =
    'validate-with="pacemaker-3.7" crm_feature_set="3.13.0" epoch="1" num_updates="0" admin_epoch="0"';
  return `<cib ${head} have-quorum="1">${configuration}<status/></cib>`;
}
const four = (fencing = "") => cib("192.0.2.10", minimal, fencing);
const six = () => cib("2001:db8::10", minimal.replaceAll("192.0.2.", "2001:db8::"));

test("crm_verify accepts the configuration, for either family and either answer to a failed stop", async () => {
  for (const [name, text] of Object.entries({
    four: four(),
    fence: four("fencing: { stop_failure: fence }\n"),
    six: six(),
  })) {
    await writeFile(join(folder, `${name}.xml`), text);
    const { stdout, stderr } = await inImage("crm_verify", "--xml-file", `/tmp/${name}.xml`, "--verbose");
    assert.equal(`${stdout}${stderr}`.trim(), "");
  }
});

/** What each machine says of its API server, and where the address is; undefined: it says nothing. */
interface Scene {
  readonly on: "node1" | "node2";
  readonly said: readonly [node1: string | undefined, node2: string | undefined];
  readonly lost?: string;
}

/** Both are up, and everything runs: the scheduler itself has said where. The address is led to its place first. */
async function up(on: Scene["on"]): Promise<string> {
  const file = `up-${on}.xml`;
  await writeFile(join(folder, "from.xml"), four());
  const start = ["--simulate", "--node-up", "node1", "--node-up", "node2"];
  await inImage("crm_simulate", "--xml-file", "/tmp/from.xml", ...start, "--save-output", `/tmp/${file}`);
  if (on === "node1") return await readFile(join(folder, file), "utf8");
  await writeFile(
    join(folder, "from.xml"),
    saying(await readFile(join(folder, file), "utf8"), [undefined, "100"]),
  );
  await inImage("crm_simulate", "--xml-file", "/tmp/from.xml", "--simulate", "--save-output", `/tmp/${file}`);
  return saying(await readFile(join(folder, file), "utf8"), [undefined, undefined]);
}

/** As attrd writes it. */
function saying(text: string, said: Scene["said"]): string {
  const silent = text.replaceAll(/<transient_attributes[^]*?<\/transient_attributes>/g, "");
  return silent.replaceAll(/<node_state id="([12])"[^>]*>/g, (state, id: string) => {
    const value = said[Number(id) - 1];
    if (value === undefined) return state;
    const pair = `<nvpair id="s-${id}-api" name="duet-api" value="${value}"/>`;
    return `${state}<transient_attributes id="${id}"><instance_attributes id="s-${id}">${pair}</instance_attributes></transient_attributes>`;
  });
}

const ups = new Map<Scene["on"], string>();

/** What Pacemaker would do then, in its own words, and the graph of it. */
async function plan({ on, said, lost }: Scene) {
  const whole = ups.get(on) ?? (await up(on));
  ups.set(on, whole);
  await writeFile(join(folder, "scene.xml"), saying(whole, said));
  const happens = lost === undefined ? [] : ["--node-fail", lost];
  const { stdout } = await inImage(
    "crm_simulate",
    "--xml-file",
    "/tmp/scene.xml",
    "--run",
    ...happens,
    "--save-graph",
    "/tmp/graph.xml",
  );
  const [, summary = ""] = stdout.split("Transition Summary:");
  const deeds = summary
    .split("\n")
    .flatMap((line) => /^ +\* (.*)$/.exec(line)?.[1]?.replaceAll(/ +/g, " ") ?? []);
  return { deeds, graph: parseXml(await readFile(join(folder, "graph.xml"), "utf8")) };
}

const [yes, no] = ["100", "0"];
const quiet: readonly Scene["said"][] = [
  [yes, yes],
  [yes, no],
  [yes, undefined],
  [no, no],
  [no, undefined],
  [undefined, no],
  [undefined, undefined],
];

test("the address stays where both API servers answer, where neither does, and where only its own does", async () => {
  for (const [node1, node2] of quiet) {
    assert.deepEqual((await plan({ on: "node1", said: [node1, node2] })).deeds, [], `${node1} ${node2}`);
    assert.deepEqual((await plan({ on: "node2", said: [node2, node1] })).deeds, [], `${node2} ${node1}`);
  }
});

test("it moves where only the other one answers, and nothing else moves with it", async () => {
  for (const silent of [no, undefined]) {
    const there = await plan({ on: "node1", said: [silent, yes] });
    assert.deepEqual(there.deeds, ["Move duet-api ( node1 -> node2 )"]);
    const back = await plan({ on: "node2", said: [yes, silent] });
    assert.deepEqual(back.deeds, ["Move duet-api ( node2 -> node1 )"]);
  }
});

test("of a lost machine it is taken only after its fence, whatever the API servers said", async () => {
  for (const said of [
    [yes, yes],
    [yes, no],
    [no, no],
  ] as const) {
    const { deeds, graph } = await plan({ on: "node1", said, lost: "node1" });
    assert.ok(deeds.some((deed) => deed.startsWith("Fence (off) node1")));
    assert.ok(deeds.includes("Move duet-api ( node1 -> node2 )"));
    const start = allNamed(graph, "synapse").find((each) =>
      allNamed(each, "action_set").some((set) =>
        allNamed(set, "rsc_op").some((op) => op.getAttribute("operation_key") === "duet-api_start_0"),
      ),
    );
    assert.ok(start !== undefined);
    const after = allNamed(start, "inputs").flatMap((inputs) =>
      allNamed(inputs, "crm_event").map((event) => event.getAttribute("operation_key")),
    );
    assert.deepEqual(after, ["stonith-node1-off"]);
  }
});

test("what holds it stays put when its peer is lost: no step of it waits for the fence or comes after", async () => {
  const { deeds } = await plan({ on: "node2", said: [yes, no], lost: "node1" });
  assert.ok(deeds.some((deed) => deed.startsWith("Fence (off) node1")));
  assert.ok(!deeds.some((deed) => deed.includes("duet-api")), deeds.join("; "));
});

test("an address that can't be held never stops or fences anything else", async () => {
  const whole = ups.get("node1") ?? (await up("node1"));
  await writeFile(join(folder, "scene.xml"), saying(whole, [yes, yes]));
  for (const failure of ["duet-api_monitor_10000@node1=7", "duet-api_monitor_10000@node1=1"]) {
    const { stdout } = await inImage(
      "crm_simulate",
      "--xml-file",
      "/tmp/scene.xml",
      "--run",
      "--op-inject",
      failure,
    );
    const deeds = [
      ...stdout.matchAll(/^ +\* ((Recover|Move|Stop|Start|Restart|Fence|Promote|Demote) .*)$/gm),
    ];
    assert.deepEqual(
      deeds.map(([, deed]) => deed?.replaceAll(/ +/g, " ")),
      ["Recover duet-api ( node1 )"],
    );
  }
});

const script = join(import.meta.dirname, "api-address.sh");

async function moves(address: string, ...settings: readonly string[]): Promise<readonly string[]> {
  const { stdout } = await run(
    ["unshare", "--mount", "--net", "sh", script, root(), folder, address, ...settings],
    { deadline_ms: 60_000 },
  );
  return stdout.trim().split("\n");
}

const moved = (has: RegExp, lines: readonly string[]): void => {
  assert.match(lines[4] ?? "", has);
  assert.deepEqual(
    lines.filter((_, index) => index !== 4),
    [
      "validate-all on node1: 0",
      // Of a network that nobody here is in.
      "validate-all on node1: 1",
      "monitor on node1: 7",
      "start on node1: 0",
      "reached",
      "the neighbour sends to node1",
      "stop on node1: 0",
      "start on node2: 0",
      "the neighbour sends to node2",
      "reached",
      "monitor on node2: 0",
      "stop on node2: 0",
      "monitor on node2: 7",
      "stop on node2: 0",
    ],
  );
};

test("IPaddr2 finds the interface by the address, and tells the neighbours where it is now", async () => {
  moved(/^has eth0 +inet 192\.0\.2\.10\/24 .* secondary /, await moves("192.0.2.10"));
});

test("and the same for IPv6, where the address is no source of connections", async () => {
  const settings = Object.entries(addressPolicy6).map(([name, { value }]) => `OCF_RESKEY_${name}=${value}`);
  moved(/^has eth0 +inet6 2001:db8::10\/64 .* deprecated /, await moves("2001:db8::10", ...settings));
});
