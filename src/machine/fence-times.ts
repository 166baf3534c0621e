import * as v from "valibot";
import { fail } from "../base/problem.ts";
import type { FenceTimes } from "../render/fence-times.ts";
import type { Site } from "../site/site.ts";
import { run } from "./process.ts";
import { allNamed, parseXml } from "./xml.ts";

/**
 * How long it takes to fence each machine, as a lasting attribute of that machine in Pacemaker's configuration: both machines have
 * both, and both have the same. A machine that comes back with an older configuration brings older times back to both.
 */
const attribute = "duet-fence-times";
export const query_ms = 3_000;
const write_ms = 20_000;

const ms = v.pipe(v.number(), v.minValue(0), v.maxValue(3_600_000));
const when = v.pipe(v.string(), v.isoTimestamp());
export const fenceTimesShape = v.object({
  bmc: v.string(),
  calls: v.number(),
  call_ms_median: ms,
  call_ms_worst: ms,
  read_at: when,
  off: v.optional(v.object({ worst_ms: ms, at: when })),
});

export async function writeFenceTimes(machine: string, times: FenceTimes): Promise<void> {
  await writeLasting(machine, attribute, JSON.stringify(times));
}

/** By machine. Undefined: Pacemaker does not tell, which is another answer than that nothing was measured. */
export async function readFenceTimes(site: Site): Promise<ReadonlyMap<string, FenceTimes> | undefined> {
  const given = await lastingAttributes();
  return given === undefined ? undefined : fenceTimesIn(site, given);
}

/** What was measured of a BMC that the machine has no more is gone. */
export function fenceTimesIn(site: Site, given: LastingAttributes): ReadonlyMap<string, FenceTimes> {
  const found = new Map<string, FenceTimes>();
  for (const { name, bmc } of site.machines) {
    const text = given.get(name)?.get(attribute);
    const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), fenceTimesShape), text);
    if (!parsed.success || parsed.output.bmc !== bmc.url) continue;
    const { off, ...calls } = parsed.output;
    found.set(name, { ...calls, ...(off === undefined ? {} : { off }) });
  }
  return found;
}

/** Of each machine that the cluster knows, by name. */
export type LastingAttributes = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** From this machine's own copy of the configuration. Undefined where Pacemaker is not up. */
export async function lastingAttributes(deadline_ms = query_ms): Promise<LastingAttributes | undefined> {
  const { status, stdout } = await run(["cibadmin", "--query", "--local", "--scope", "nodes"], {
    accept: "any",
    deadline_ms,
  });
  return status === 0 ? parseLasting(stdout) : undefined;
}

export function parseLasting(xml: string): LastingAttributes {
  return new Map(
    allNamed(parseXml(xml), "node").map((node) => [
      node.getAttribute("uname") ?? "",
      new Map(
        allNamed(node, "nvpair").map((pair) => [
          pair.getAttribute("name") ?? "",
          pair.getAttribute("value") ?? "",
        ]),
      ),
    ]),
  );
}

export async function writeLasting(machine: string, name: string, value: string): Promise<void> {
  const { status, stderr } = await run(
    ["crm_attribute", "--node", machine, "--lifetime", "forever", "--name", name, "--update", value],
    { accept: "any", deadline_ms: write_ms },
  );
  if (status === 0) return;
  fail(
    "DUET-E-PACEMAKER-SILENT",
    "pacemaker",
    `Pacemaker does not take ${name} of ${machine} (status ${status}): ${stderr.trim().split("\n").at(-1) ?? ""}`,
    "see `systemctl status pacemaker`",
  );
}
