import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { run } from "../src/machine/process.ts";
import { allNamed, type Element, parseXml } from "../src/machine/xml.ts";
import { imageRoot } from "./testing-image.ts";

/** Pacemaker's own checker and its own scheduler, from the lab's image. No machine is started. */

/** A folder of this test file's, gone with it. */
export const folder = await mkdtemp(join(tmpdir(), "duet-scheduler-"));
after(() => rm(folder, { recursive: true }));

/** A program of the image; our folder is its /tmp. */
const inImage = async (program: string, ...args: readonly string[]) =>
  await run(
    [
      "unshare",
      "--mount",
      "sh",
      "-c",
      'mount --bind "$1" "$2/tmp" && shift && exec chroot "$@"',
      "sh",
      folder,
      await imageRoot(),
      "env",
      "CIB_shadow_dir=/tmp",
      program,
      ...args,
    ],
    { deadline_ms: 60_000 },
  );

/** Both machines known, and nothing known of what runs. */
export function cibOf(configuration: string): string {
  const nodes = '<nodes><node id="1" uname="node1"/><node id="2" uname="node2"/></nodes>';
  // A schema that Pacemaker 2.1 has, too.
  const head =
    'validate-with="pacemaker-3.7" crm_feature_set="3.13.0" epoch="1" num_updates="0" admin_epoch="0"';
  return `<cib ${head} have-quorum="1">${configuration.replace("<resources>", `${nodes}<resources>`)}<status/></cib>`;
}

/** What crm_verify finds wrong. */
export async function complaints(cib: string): Promise<string> {
  await writeFile(join(folder, "verify.xml"), cib);
  const { stdout, stderr } = await inImage("crm_verify", "--xml-file", "/tmp/verify.xml", "--verbose");
  return `${stdout}${stderr}`.trim();
}

/** The transient attributes of the two machines, as attrd writes them, in place of what was there. */
export type Said = readonly [node1: Attributes, node2: Attributes];
type Attributes = Readonly<Record<string, string>>;

export function saying(cib: string, said: Said): string {
  const silent = cib.replaceAll(/<transient_attributes[^]*?<\/transient_attributes>/g, "");
  return silent.replaceAll(/<node_state id="([12])"[^>]*>/g, (state, id: string) => {
    const pairs = Object.entries(said[Number(id) - 1] ?? {});
    if (pairs.length === 0) return state;
    const all = pairs.map(
      ([name, value]) => `<nvpair id="s-${id}-${name}" name="${name}" value="${value}"/>`,
    );
    return `${state}<transient_attributes id="${id}"><instance_attributes id="s-${id}">${all.join("")}</instance_attributes></transient_attributes>`;
  });
}

/** The cluster after everything that the scheduler wants is done, and after what happens besides. */
export async function done(cib: string, ...happens: readonly string[]): Promise<string> {
  await writeFile(join(folder, "from.xml"), cib);
  await inImage(
    "crm_simulate",
    "--xml-file",
    "/tmp/from.xml",
    "--simulate",
    ...happens,
    "--save-output",
    "/tmp/to.xml",
  );
  return await readFile(join(folder, "to.xml"), "utf8");
}

export interface Plan {
  /** In the scheduler's own words. */
  readonly deeds: readonly string[];
  /** What must be done before the first action of this key, by their keys. */
  readonly before: (key: string) => readonly string[] | undefined;
}

/** What Pacemaker would do now. */
export async function plan(cib: string, ...happens: readonly string[]): Promise<Plan> {
  await writeFile(join(folder, "scene.xml"), cib);
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
  const graph = parseXml(await readFile(join(folder, "graph.xml"), "utf8"));
  return {
    deeds,
    before: (key) => {
      const found = allNamed(graph, "synapse").find((each) => keysIn(each, "action_set").includes(key));
      return found === undefined ? undefined : keysIn(found, "inputs");
    },
  };
}

const keysIn = (synapse: Element, part: "action_set" | "inputs"): readonly string[] =>
  allNamed(synapse, part).flatMap((each) =>
    ["rsc_op", "pseudo_event", "crm_event"].flatMap((kind) =>
      allNamed(each, kind).map((event) => event.getAttribute("operation_key") ?? ""),
    ),
  );
