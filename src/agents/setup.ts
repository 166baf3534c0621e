import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { paths } from "../base/paths.ts";
import { fail } from "../base/problem.ts";
import { now_ms, until } from "../machine/clock.ts";
import { exists, makeFolder, readIfThere, replaceSynced } from "../machine/files.ts";
import {
  clusterProperty,
  clusterState,
  fenceDevices,
  forgetFailures,
  isProven,
  loadConfiguration,
  replaceSections,
} from "../machine/pacemaker.ts";
import { run } from "../machine/process.ts";
import type { Progress } from "../machine/progress.ts";
import { loadSite } from "../machine/site-file.ts";
import { markProperty } from "../render/cib.ts";
import { orderedMachines } from "../render/corosync.ts";
import type { Site } from "../site/site.ts";
import { ensureCertificates } from "./certificates.ts";
import { loadHands } from "./etcd/machine.ts";

const configurationFile = "/etc/duet/cib.xml";
const fence_retry_ms = 8_000;
const attribute_ms = 5_000;
const doneFile = "/var/lib/duet/setup-done";

/**
 * Makes a machine that Ignition wrote to one of its site. Every step can be repeated: cut off anywhere, it is run again
 * from the start and finds done what is done.
 */
export async function setup(progress: Progress): Promise<void> {
  const { site, machine } = await thisMachine();
  await progress.step("trust the BMCs' certificates", trustAuthorities);
  await progress.step("make etcd's certificates", (say) => certify(site, machine, say));
  await progress.step("see whether this machine has ever held data", noteFirstStart);
  await progress.step("check Corosync's configuration", () => run(["corosync", "-t"]));
  await progress.step("give Pacemaker its first configuration", () => seedConfiguration(site));
  await progress.step("start Corosync and Pacemaker", startCluster);
  await progress.step(`wait for ${peers(site, machine)}`, () => allOnline(site));
  await progress.step("load the cluster's configuration", (say) => configure(site, machine, say));
  await progress.step("check it with crm_verify", () => run(["crm_verify", "--live-check"]));
  await progress.step(`see that ${peers(site, machine)} can be fenced from here`, () =>
    fenceable(site, machine),
  );
  await progress.step("see etcd whole on both machines", (say) => whole(say));
  await mkdir("/var/lib/duet", { recursive: true });
  await replaceSynced(doneFile, `${new Date().toISOString()}\n`);
}

/** A timer runs this each week: for years it finds nothing to do. */
export async function renewCertificates(progress: Progress): Promise<void> {
  const { site, machine } = await thisMachine();
  await progress.step("renew etcd's certificates", (say) => certify(site, machine, say));
}

async function thisMachine(): Promise<{ readonly site: Site; readonly machine: string }> {
  const machine = (await readIfThere(paths.machine))?.trim();
  if (machine === undefined)
    fail(
      "DUET-E-SETUP-NOT-RENDERED",
      paths.machine,
      "this machine was not made by `duet render`: its own name is missing",
      "run `duet setup` on a machine that was installed with the site's Ignition file",
    );
  return { site: await loadSite(paths.site), machine };
}

async function certify(site: Site, name: string, say: (detail: string) => void): Promise<void> {
  const machine = site.machines.find((m) => m.name === name);
  if (machine === undefined)
    fail(
      "DUET-E-SETUP-NOT-RENDERED",
      paths.machine,
      `this machine is ${name}, and the site file does not name it`,
      "render the site again",
    );
  const made = await ensureCertificates(machine, new Date());
  say(made.length === 0 ? "nothing to change" : made.join(", "));
}

/** A new cluster is made where nobody has data, and only if this says so: data that is lost is not the same as none yet. */
async function noteFirstStart(say: (detail: string) => void): Promise<void> {
  const held = (await exists(paths.state)) || (await exists(join(paths.etcdData, "member")));
  if (held || (await exists(paths.kept))) return say("it has");
  await makeFolder("/var/lib/duet");
  await replaceSynced(paths.firstStart, "");
}

const peers = (site: Site, machine: string): string =>
  site.machines.flatMap((m) => (m.name === machine ? [] : [m.name])).join(", ");

/** Rebuilding the system's store takes a second: only where a certificate of ours is not in it yet. */
async function trustAuthorities(): Promise<void> {
  const store = (await readIfThere("/etc/ssl/certs/ca-certificates.crt")) ?? "";
  for (let index = 1; await exists(`/usr/local/share/ca-certificates/duet-bmc-${index}.crt`); index++) {
    const pem = await readFile(`/usr/local/share/ca-certificates/duet-bmc-${index}.crt`, "utf8");
    if (store.includes(pem.trim())) continue;
    await run(["update-ca-certificates"], { deadline_ms: 60_000 });
    return;
  }
}

/**
 * Pacemaker that starts with nothing waits 20 s for other machines before it elects a leader. With duet's configuration
 * in its place beforehand it knows better. A configuration that is there is never touched: it may be newer than ours.
 * The machines are in it too: the fencer skips, for good, a device that it can't place on a known machine when it starts.
 */
async function seedConfiguration(site: Site): Promise<void> {
  const file = "/var/lib/pacemaker/cib/cib.xml";
  if (await exists(file)) return;
  const { stdout: empty } = await run(["cibadmin", "--empty"]);
  const nodes = orderedMachines(site).map((m, i) => `<node id="${i + 1}" uname="${m.name}"/>`);
  const known = empty.replace("<nodes/>", `<nodes>${nodes.join("")}</nodes>`);
  await replaceSynced(file, replaceSections(known, await readFile(configurationFile, "utf8")), 0o600);
  await run(["chown", "hacluster:haclient", file]);
}

async function startCluster(): Promise<void> {
  // Wanted at each later boot too; they wait for this machine's addresses. `enable` would do the same, five reloads slower.
  await run(["systemctl", "add-wants", "multi-user.target", "corosync.service", "pacemaker.service"]);
  await run(["systemctl", "start", "corosync.service", "pacemaker.service"], { deadline_ms: 90_000 });
}

/** Both machines at once, or nothing is configured: a site is never made smaller because a machine is late. */
async function allOnline(site: Site): Promise<void> {
  const names = site.machines.map((m) => m.name);
  await until(
    `${names.join(" and ")} online in one cluster`,
    async () => {
      const state = await clusterState();
      return (
        state?.quorate === true &&
        names.every((n) => state.nodes.some((node) => node.name === n && node.online))
      );
    },
    { deadline_ms: 120_000, every_ms: 250 },
  );
}

/** One machine loads it, the other waits until it is there: two at once would only get in each other's way. */
async function configure(site: Site, machine: string, say: (detail: string) => void): Promise<void> {
  const configuration = await readFile(configurationFile, "utf8");
  const mark = new RegExp(`name="${markProperty}" value="([0-9a-f]+)"`).exec(configuration)?.[1];
  if (mark === undefined)
    fail(
      "DUET-E-SETUP-NOT-RENDERED",
      configurationFile,
      "it was not written by `duet render`",
      "render the site again",
    );
  if (orderedMachines(site)[0]?.name === machine) {
    if ((await clusterProperty(markProperty)) === mark) say("nothing to change");
    else await loadConfiguration(configuration);
  }
  await until(
    `configuration ${mark} in the cluster`,
    async () => (await clusterProperty(markProperty)) === mark,
    {
      deadline_ms: 60_000,
      every_ms: 250,
    },
  );
}

/** A cluster whose fencer knows no way to its peer looks whole until the day it is needed. */
async function fenceable(site: Site, machine: string): Promise<void> {
  for (const peer of site.machines) {
    if (peer.name === machine) continue;
    const device = `fence-${peer.name}`;
    let tried_ms = now_ms();
    await until(
      `a fence device for ${peer.name} that is registered here and has logged in to its BMC`,
      async () => {
        if ((await fenceDevices(peer.name)).length > 0 && (await isProven(device))) return true;
        // A BMC that did not answer, or a wrong password, makes Pacemaker wait for minutes: it may be mended by now.
        if (now_ms() - tried_ms > fence_retry_ms) {
          await forgetFailures(device);
          tried_ms = now_ms();
        }
        return false;
      },
      { deadline_ms: 60_000, every_ms: 250 },
    );
  }
}

/** Two full voters, each with a turn in the race: from here on either may be lost. */
async function whole(say: (detail: string) => void): Promise<void> {
  const { effects } = await loadHands();
  await until(
    "both machines full voters of one etcd",
    async () => {
      const own = await effects.disk.readState();
      const peer = await effects.attributes.readPeer(attribute_ms);
      const mine = own.ok && own.value.full && own.value.turn !== undefined;
      const theirs = peer.ok && peer.value?.holding.full === true && peer.value.turn !== undefined;
      say(mine ? (theirs ? "both are full" : "the peer is not full yet") : "this machine is not full yet");
      return mine && theirs;
    },
    { deadline_ms: 120_000, every_ms: 500 },
  );
}
