import { readFile } from "node:fs/promises";
import { DuetError, fail } from "../../base/problem.ts";
import { now_ms, until } from "../../machine/clock.ts";
import { exists, replaceSynced } from "../../machine/files.ts";
import { lastingAttributes } from "../../machine/fence-times.ts";
import {
  clusterProperty,
  clusterState,
  liveConfiguration,
  loadConfiguration,
  replaceSections,
} from "../../machine/pacemaker.ts";
import { run } from "../../machine/process.ts";
import { markProperty } from "../../render/cib.ts";
import { orderedMachines } from "../../render/corosync.ts";
import { withServices } from "../../render/services.ts";
import type { Site } from "../../site/site.ts";
import { quorumFlags } from "../../machine/corosync.ts";
import { configurationFile, corosyncFile } from "../drift/here.ts";
import { corosyncDrift, pacemakerDrift } from "../drift/judge.ts";
import { installedIn } from "./services.ts";

const online_ms = 120_000;
const look_ms = 10_000;
/** So long does the second machine leave the loading to the first, which may not be at it: setup can be run on one of them. */
const leave_ms = 15_000;

/**
 * Pacemaker that starts with nothing waits 20 s for other machines before it elects a leader. With duet's configuration
 * in its place beforehand it knows better. A configuration that is there is never touched: it may be newer than ours.
 * The machines are in it too: the fencer skips, for good, a device that it can't place on a known machine when it starts.
 */
export async function seedConfiguration(site: Site): Promise<void> {
  const file = "/var/lib/pacemaker/cib/cib.xml";
  if (await exists(file)) return;
  const { stdout: empty } = await run(["cibadmin", "--empty"]);
  const nodes = orderedMachines(site).map((m, i) => `<node id="${i + 1}" uname="${m.name}"/>`);
  const known = empty.replace("<nodes/>", `<nodes>${nodes.join("")}</nodes>`);
  // Under another name until it is Pacemaker's: cut off in between, a file that it can't read would stay for good.
  const beside = `${file}.duet`;
  await replaceSynced(beside, replaceSections(known, await readFile(configurationFile, "utf8")), 0o600);
  await run(["chown", "hacluster:haclient", beside]);
  await run(["mv", "--no-target-directory", beside, file]);
  await run(["sync", "/var/lib/pacemaker/cib"]);
}

/** Both machines at once, or nothing is configured: a site is never made smaller because a machine is late. */
export async function allOnline(
  site: Site,
  seen: typeof clusterState = clusterState,
  deadline_ms = online_ms,
): Promise<void> {
  const names = site.machines.map((m) => m.name);
  let missing: readonly string[] = names;
  try {
    await until(
      `${names.join(" and ")} online in one cluster`,
      async () => {
        const state = await seen();
        const isOnline = (name: string) => state?.nodes.some((node) => node.name === name && node.online);
        missing = names.filter((name) => isOnline(name) !== true);
        return state?.quorate === true && missing.length === 0;
      },
      { deadline_ms, every_ms: 250 },
    );
  } catch (error) {
    if (!(error instanceof DuetError)) throw error;
    fail(
      "DUET-E-SETUP-PEER-AWAY",
      missing.join(" and ") || "the cluster",
      `not online after ${deadline_ms / 1000} s; the site stays one of ${names.join(" and ")}, and nothing was changed`,
      "see that it has power, and the wires between the two; setup goes on by itself when it is there",
    );
  }
}

/**
 * One machine loads it, the other waits until it is there: two at once would only get in each other's way. Which services
 * are in it the machines themselves have said.
 */
export async function configure(site: Site, machine: string, say: (detail: string) => void): Promise<void> {
  const rendered = await readFile(configurationFile, "utf8");
  if (!rendered.includes(`name="${markProperty}"`))
    fail(
      "DUET-E-SETUP-NOT-RENDERED",
      configurationFile,
      "it was not written by `duet render`",
      "render the site again",
    );
  const begun_ms = now_ms();
  const mayLoad = () => orderedMachines(site)[0]?.name === machine || now_ms() - begun_ms > leave_ms;
  say("nothing to change");
  await until(
    "this site's configuration in the cluster",
    async () => {
      const lasting = await lastingAttributes();
      if (lasting === undefined) return false;
      refuseShrinking(site, [...lasting.keys()]);
      const installed = installedIn(site, lasting);
      if (installed === undefined) return false;
      const { xml, mark } = withServices(rendered, site, installed);
      // Somebody may have changed what was loaded, and left the mark as it is.
      if ((await clusterProperty(markProperty)) === mark && (await isAsLoaded(xml))) return true;
      if (mayLoad()) await loadUnlessChanged(xml);
      say("");
      return false;
    },
    { deadline_ms: 90_000, every_ms: 250 },
  );
}

async function isAsLoaded(xml: string): Promise<boolean> {
  const cib = await liveConfiguration(look_ms);
  return cib !== undefined && pacemakerDrift(cib, xml).length === 0;
}

/** Corosync's settings are a file of the machine's: setup changes none of them, and goes on with none that are others. */
export async function refuseDrift(machine: string): Promise<void> {
  const conf = await readFile(corosyncFile, "utf8");
  const [what] = corosyncDrift((await quorumFlags(look_ms)) ?? [], conf);
  if (what === undefined) return;
  fail(
    "DUET-E-STATUS-DRIFT",
    machine,
    what,
    "put back /etc/corosync/corosync.conf as `duet render` wrote it, then `corosync-cfgtool -R`, and run setup again",
  );
}

/** Somebody else's change in the same moment: the next look decides anew. */
async function loadUnlessChanged(xml: string): Promise<void> {
  try {
    await loadConfiguration(xml);
  } catch (error) {
    if (!(error instanceof DuetError)) throw error;
  }
}

export function refuseShrinking(site: Site, known: readonly string[]): void {
  const gone = known.filter((name) => site.machines.every((m) => m.name !== name));
  if (gone.length === 0) return;
  fail(
    "DUET-E-SETUP-SHRINK",
    gone.join(", "),
    "the cluster has this machine, and the site file of this one does not: nothing was changed",
    "render the site again with both machines, and put the files on both",
  );
}
