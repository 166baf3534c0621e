import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { paths } from "../base/paths.ts";
import { exit, fail } from "../base/problem.ts";
import { lastingAttributes } from "../machine/fence-times.ts";
import { exists, makeFolder, readIfThere, replaceSynced, syncFolder } from "../machine/files.ts";
import { run } from "../machine/process.ts";
import type { Progress } from "../machine/progress.ts";
import { loadSite, siteFolder } from "../machine/site-file.ts";
import { hasKubernetes } from "../render/kubernetes/names.ts";
import type { Site } from "../site/site.ts";
import { ensureCertificates } from "./certificates.ts";
import { loadHands } from "./etcd/machine.ts";
import { noteBegun } from "./hands/first-start.ts";
import { Reach } from "./hands/reach.ts";
import { waits, Ways } from "./hands/ways.ts";
import { keepAssetTags } from "./setup/asset-tags.ts";
import { allOnline, configure, refuseDrift, seedConfiguration } from "./setup/configure.ts";
import { fenceTest, fenceTestOnce } from "./proof/disruptive.ts";
import { fenceable, proveFencing } from "./setup/fencing.ts";
import { certifyKubernetes, prepareKubernetes, seeKubernetes } from "./setup/kubernetes.ts";
import { whole, writeThroughBoth } from "./setup/ready.ts";
import { noteDone, noteFailed } from "./setup/report.ts";
import { handOver, wantsFolder } from "./setup/services.ts";
import { syncOwn } from "./setup/sync.ts";
import { proveWitness } from "./setup/witness.ts";
import { takeMarkBack } from "./uninstall/mark.ts";
import { needsHuman, readWitness } from "./hands/witness.ts";

const whole_ms = 120_000;

export interface SetupOptions {
  /** Consent to switch the peer off once, now, whatever the site file says and was measured before. */
  readonly fenceTest?: boolean;
  /** Test the peer's BMC once more, whatever was seen before: is its tag still there after a reset? */
  readonly witnessTest?: boolean;
}

export interface SetupDone {
  readonly machine: string;
  readonly site: string;
  /** Why starting alone needs a person here; null where it does not. */
  readonly needsHuman: string | null;
}

/** One step, told while it runs. */
type Step = (name: string, work: (say: (detail: string) => void) => Promise<unknown>) => Promise<void>;

/**
 * Makes a machine that Ignition wrote to one of its site. Every step can be repeated: cut off anywhere, it is run again
 * from the start and finds done what is done. Why it failed is told to whoever runs it, and kept for `duet check`.
 */
export async function setup(progress: Progress, options: SetupOptions = {}): Promise<SetupDone> {
  // Elsewhere nothing is noted: a folder of duet's would make another machine look like one that was begun.
  const machine = await ownName();
  let now = "read the site file";
  const step: Step = async (name, work) => {
    now = name;
    await progress.step(name, work);
  };
  try {
    const site = await allSteps(step, machine, options);
    await noteDone(new Date());
    const human = needsHuman(site, await readWitness());
    if (human !== undefined) progress.say(human);
    return { machine, site: site.name, needsHuman: human ?? null };
  } catch (error) {
    await noteFailed(error, now, new Date());
    throw error;
  }
}

async function allSteps(step: Step, machine: string, options: SetupOptions): Promise<Site> {
  const site = await siteOf(machine);
  const ways = new Ways({ site, me: machine, folder: siteFolder(paths.site), files: paths });
  const peer = ways.theirs.name;
  await step("trust the BMCs' certificates", trustAuthorities);
  await step("make etcd's certificates", (say) => certify(ways, say));
  await prepareKubernetes(step, site, ways.mine);
  await step("see whether this machine has ever held data", noteFirstStart);
  await step("keep what stands in the BMCs' asset tags", async (say) => {
    // Run by systemd it comes back each few seconds: a wrong password in the site's files would lock the BMC's user out.
    const bySystemd = process.env["INVOCATION_ID"] !== undefined;
    const firstStart = await exists(paths.firstStart);
    await keepAssetTags({ ways, say, firstStart, ...(bySystemd ? { waitsAfter: waits.look } : {}) });
  });
  await step("check Corosync's configuration", () => run(["corosync", "-t"]));
  await step("give Pacemaker its first configuration", () => seedConfiguration(site));
  await step("start Corosync and Pacemaker", startCluster);
  await step(`wait for ${peer}`, () => allOnline(site));
  await step("see what Corosync runs with", () => refuseDrift(machine));
  await step("hand CRI-O and the kubelet to Pacemaker", (say) => handOver(machine, say));
  await step("load the cluster's configuration", (say) => configure(site, machine, say));
  await forgetUninstall(machine);
  await step("check it with crm_verify", () => run(["crm_verify", "--live-check"]));
  await step(`see that ${peer} can be fenced from here`, () => fenceable(peer));
  await step(`prove each way to switch ${peer} off, and measure it`, (say) => proveFencing(ways, say));
  const { effects } = await loadHands();
  await step("see etcd whole on both machines", (say) => whole(effects, say, whole_ms));
  const reach = new Reach(site, ways.mine, ways.theirs);
  await step("write through both machines", (say) => writeThroughBoth(reach, machine, say));
  await seeKubernetes(step, site);
  const again = options.witnessTest === true;
  if (site.witness === "on")
    await step(`see that the BMC of ${peer} keeps its tag`, (say) =>
      proveWitness({ ways, effects, say, again }),
    );
  // A first boot leaves much unsynced: with a power cut now the machine's ssh host keys would be empty files for good.
  await step("have all of it on the disk", syncOwn);
  const test =
    options.fenceTest === true ? fenceTest : site.fencing.test === "setup" ? fenceTestOnce : undefined;
  if (test !== undefined)
    await step(`switch ${peer} off once, to measure it`, (say) => test({ ways, effects, say }));
  return site;
}

/** A timer runs this each week: for years it finds nothing to do. */
export async function renewCertificates(progress: Progress): Promise<void> {
  const machine = await ownName();
  const site = await siteOf(machine);
  const ways = new Ways({ site, me: machine, folder: siteFolder(paths.site) });
  await progress.step("renew etcd's certificates", (say) => certify(ways, say));
  if (hasKubernetes(site))
    await progress.step("renew Kubernetes' certificates", (say) => certifyKubernetes(site, ways.mine, say));
}

async function ownName(): Promise<string> {
  const machine = (await readIfThere(paths.machine))?.trim();
  if (machine === undefined)
    return fail(
      "DUET-E-SETUP-NOT-RENDERED",
      paths.machine,
      "this machine was not made by `duet render`: its own name is missing",
      "run `duet setup` on a machine that was installed with the site's Ignition file",
      exit.notHere,
    );
  if (process.getuid?.() === 0) return machine;
  return fail(
    "DUET-E-SETUP-ROOT",
    machine,
    "setting a machine up needs root",
    "run it as root",
    exit.notHere,
  );
}

async function siteOf(machine: string): Promise<Site> {
  const site = await loadSite(paths.site);
  if (site.machines.length !== 2 || site.machines.every(({ name }) => name !== machine))
    fail(
      "DUET-E-SETUP-NOT-RENDERED",
      paths.machine,
      `the site file does not name ${machine} and one other`,
      "render the site again",
      exit.badInput,
    );
  return site;
}

async function certify({ mine }: Ways, say: (detail: string) => void): Promise<void> {
  const made = await ensureCertificates(mine, new Date());
  say(made.length === 0 ? "nothing to change" : made.join(", "));
}

/** A new cluster is made where nobody has data, and only if this says so: data that is lost is not the same as none yet. */
async function noteFirstStart(say: (detail: string) => void): Promise<void> {
  const held = (await exists(paths.state)) || (await exists(join(paths.etcdData, "member")));
  const isFirst = await exists(paths.firstStart);
  // Of a machine that an earlier duet set up.
  if (held && !isFirst) await noteBegun();
  if (held || (await exists(paths.kept))) return say("it has");
  if (await exists(paths.begun)) return say("it has, and it is gone or not mounted");
  await makeFolder("/var/lib/duet");
  await replaceSynced(paths.firstStart, "");
}

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

/** One that was uninstalled and is installed again is no longer gone. */
async function forgetUninstall(machine: string): Promise<void> {
  await takeMarkBack(machine, await lastingAttributes());
  for (const path of [paths.uninstall, paths.uninstalled, paths.startEtcd]) await rm(path, { force: true });
}

async function startCluster(): Promise<void> {
  // Wanted at each later boot too; they wait for this machine's addresses. `enable` would do the same, five reloads slower.
  await run(["systemctl", "add-wants", "multi-user.target", "corosync.service", "pacemaker.service"]);
  await syncFolder(wantsFolder);
  await run(["systemctl", "start", "corosync.service", "pacemaker.service"], { deadline_ms: 90_000 });
}
