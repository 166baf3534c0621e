import { readFile } from "node:fs/promises";
import { paths } from "../base/paths.ts";
import { DuetError, exit, fail } from "../base/problem.ts";
import { lastingAttributes } from "../machine/fence-times.ts";
import { exists, readIfThere, replaceSynced } from "../machine/files.ts";
import type { Progress } from "../machine/progress.ts";
import { loadSite, siteFolder } from "../machine/site-file.ts";
import { footprint } from "../render/footprint.ts";
import { hasKubernetes } from "../render/kubernetes/names.ts";
import { readState } from "../facts/state.ts";
import { readingDisk } from "./hands/disk.ts";
import { dataAt, finishSwap } from "./hands/staged.ts";
import { mayRun } from "./hands/unit.ts";
import { placesOf } from "./hands/reach.ts";
import { Ways } from "./hands/ways.ts";
import { loadHands } from "./etcd/machine.ts";
import { readAssetTags } from "./hands/asset-tags.ts";
import { lookAgain, takePass } from "./planned/pass.ts";
import { servicesAttribute } from "./setup/services.ts";
import { syncOwn } from "./setup/sync.ts";
import { isLast, isUp, leaveCluster, peerRefusal, peerUnfit } from "./uninstall/leave.ts";
import { uninstalledIn } from "./uninstall/mark.ts";
import { dropPlan, type Plan, readPlan, sidesOf, writePlan } from "./uninstall/plan.ts";
import { endPods } from "./pods/end.ts";
import { giveBack, leftovers, removeAll, stopUnits } from "./uninstall/remove.ts";
import { startEtcdScript } from "./uninstall/start-etcd.ts";
import { putTextsBack } from "./uninstall/tags.ts";

export interface UninstallOptions {
  /** Why it goes on though the peer is no full voter, or a BMC can't be reached. */
  readonly force?: string;
}

/**
 * What is to be done here; undefined where it was done before. Changes nothing. One that was cut off is gone on with: its plan is
 * there, and if the cluster is left already nobody can be asked about the peer any more.
 */
export async function planUninstall({ force }: UninstallOptions): Promise<Plan | undefined> {
  if (process.getuid?.() !== 0) notHere("it needs root");
  const begun = await readPlan();
  if (begun !== undefined && !(await isUp("pacemaker.service")))
    return { ...begun, force: force ?? begun.force };
  const machine = (await readIfThere(paths.machine))?.trim();
  if (machine === undefined) {
    if (await exists(paths.uninstalled)) return undefined;
    return notHere(`this is no machine of duet's: there is no ${paths.machine}`);
  }
  await loadSite(paths.site);
  const site = await readFile(paths.site, "utf8");
  const { theirs } = sidesOf({ site, machine });
  const lasting = (await lastingAttributes()) ?? new Map<string, ReadonlyMap<string, string>>();
  const marked = uninstalledIn(lasting).includes(theirs.name);
  const unfit = await peerUnfit((await loadHands()).effects);
  const last = isLast(unfit, marked);
  const problem = peerRefusal({ machine, last, force: force ?? null }, theirs.name, unfit);
  if (problem !== undefined) throw new DuetError([problem], exit.notHere);
  const services = lasting.get(machine)?.get(servicesAttribute)?.split(" ") ?? [];
  return {
    format: 1,
    machine,
    site,
    begun: new Date().toISOString(),
    last,
    force: force ?? null,
    services: services.filter((each) => each !== "none" && each !== ""),
    tags: begun?.tags ?? null,
  };
}

const notHere = (what: string): never =>
  fail(
    "DUET-E-UNINSTALL-NOT-HERE",
    "duet uninstall",
    what,
    "run it as root on a machine that was installed with the files of `duet render`",
    exit.notHere,
  );

/** For who is asked for consent: everything that will be done, and everything that stays. */
export async function describe(plan: Plan): Promise<readonly string[]> {
  const { site, mine, theirs } = sidesOf(plan);
  const { files, folders, units, stays } = footprint(site, mine);
  const peer = theirs.name;
  return [
    plan.last
      ? `duet comes off ${mine.name}, the last machine of site ${site.name}`
      : `duet comes off ${mine.name}; ${peer} goes on alone, with no second copy, until you uninstall it too`,
    ...(plan.force === null ? [] : [`forced: ${plan.force}`]),
    "",
    "it does",
    `  ${plan.last ? "stop etcd" : `leave the cluster through ${peer}`}, then stop Pacemaker and Corosync, also at boot`,
    `  stop and remove ${units.join(", ")}`,
    `  write ${paths.startEtcd}: how etcd is started on its data without duet`,
    `  put the earlier text back into the asset tag of ${plan.last ? "both BMCs" : `the BMC of ${mine.name}`}`,
    ...files.map((path) => `  remove ${path}`),
    ...folders.map((path) => `  remove ${path}/`),
    "  remove Pacemaker's configuration below /var/lib/pacemaker/cib/",
    ...(hasKubernetes(site)
      ? ["  end every pod here, and remove the units of CRI-O and the kubelet where setup has made them"]
      : []),
    ...plan.services.map((each) => `  let systemd start ${each} at boot again`),
    "",
    "it leaves",
    `  ${paths.etcdData}, ${paths.kept}: etcd's data, and copies from before`,
    `  ${paths.state}, ${paths.record}: whose data this is, and what happened`,
    ...(hasKubernetes(site)
      ? [
          "  /var/lib/kubelet, /var/lib/containers, /var/log/pods: what CRI-O and the kubelet keep, with the pods' volumes",
        ]
      : []),
    ...stays.map(({ path, why }) => `  ${path}: ${why}`),
    "  /usr/local/bin/duet: it came with a package or the image, and goes with that",
  ];
}

export interface Uninstalled {
  readonly machine: string;
  readonly last: boolean;
  readonly force: string | null;
  readonly tags: readonly string[];
  readonly startEtcd: string;
}

/** In an order that is safe at each point where it may be cut off; every step can be repeated. */
export async function uninstall(plan: Plan, progress: Progress): Promise<Uninstalled> {
  const { site, mine, theirs } = sidesOf(plan);
  const print = footprint(site, mine);
  if (!plan.last && (await isUp("pacemaker.service"))) await takeTurn(plan);
  await writePlan(plan);
  const how = plan.last ? "stop etcd and the cluster" : `leave the cluster through ${theirs.name}`;
  await progress.step(how, (say) => leaveCluster(plan, say));
  await progress.step("stop duet's units", () => stopUnits(print));
  if (hasKubernetes(site)) await progress.step("end the pods that are left", endPods);
  await progress.step(`write ${paths.startEtcd}`, () => writeStartEtcd(mine.name, theirs.name));
  const tags = plan.tags ?? (await progress.step("put the asset tags back", () => tagsBack(plan)));
  await writePlan({ ...plan, tags: [...tags] });
  for (const each of tags) progress.say(`    ${each}`);
  await progress.step("remove duet's files", (say) => removeAll(print, say));
  await progress.step("give the services back", () => giveBack(plan.services));
  await progress.step("have all of it on the disk", syncOwn);
  const left = await leftovers(print);
  if (left.length > 0) throw new Error(`bug: still there: ${left.join(", ")}`);
  const result = { machine: mine.name, last: plan.last, force: plan.force, tags, startEtcd: paths.startEtcd };
  await replaceSynced(paths.uninstalled, `${JSON.stringify({ at: new Date().toISOString(), ...result })}\n`);
  await dropPlan();
  return result;
}

/** Nobody else goes by plan meanwhile, and the peer is still as it was when somebody consented. */
async function takeTurn(plan: Plan): Promise<void> {
  const { site, mine, theirs } = sidesOf(plan);
  const seat = { me: mine.name, places: placesOf(site, mine.name) };
  const errand = { words: "uninstall", machine: mine.name, force: plan.force !== null };
  await lookAgain(await takePass(seat, errand), async () => {
    const problem = peerRefusal(plan, theirs.name, await peerUnfit((await loadHands()).effects));
    if (problem !== undefined) throw new DuetError([problem], exit.notHere);
  });
}

/** With etcd stopped: what its log says decides how it can be started. */
async function writeStartEtcd(machine: string, peer: string): Promise<void> {
  if ((await dataAt(paths)) !== paths.etcdData) await finishSwap(paths.etcdData);
  const log = await readingDisk({ paths, isRunning: () => mayRun(), note: () => undefined }).inspect();
  if (!log.ok)
    fail("DUET-E-UNINSTALL-LEAVE", paths.etcdData, log.failure.said, "see to the disk, then try again");
  const state = await readState(paths.state).catch((error: unknown) => {
    if (error instanceof DuetError) return undefined;
    throw error;
  });
  const at = new Date().toISOString();
  const script = startEtcdScript({ machine, peer, at, log: log.value, lineage: state?.lineage });
  await replaceSynced(paths.startEtcd, script, 0o700);
}

async function tagsBack(plan: Plan): Promise<readonly string[]> {
  const { site, mine } = sidesOf(plan);
  const ways = new Ways({ site, me: mine.name, folder: siteFolder(paths.site) });
  return await putTextsBack(ways, await readAssetTags(), plan);
}
