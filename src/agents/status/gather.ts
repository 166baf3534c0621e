import { uptime } from "node:os";
import { etcdPorts, etcdUnit, paths } from "../../base/paths.ts";
import { readState, type State } from "../../facts/state.ts";
import { attributeOf } from "../../machine/attributes.ts";
import { membership, waitsForAll } from "../../machine/corosync.ts";
import { type Endpoint, memberList, status, versions } from "../../machine/etcd/client.ts";
import { installedEtcd } from "../../machine/etcd/program.ts";
import { lastingAttributes } from "../../machine/fence-times.ts";
import { exists, readIfThere } from "../../machine/files.ts";
import { unitState } from "../../machine/systemd.ts";
import { orderedMachines } from "../../render/corosync.ts";
import { localUrl, maskFile } from "../../render/etcd.ts";
import type { Machine, Site } from "../../site/site.ts";
import { factsAttribute, saidIn } from "../hands/attributes.ts";
import { connect_ms, linkTo } from "../hands/link.ts";
import { loadTls } from "../hands/local-etcd.ts";
import { MemoryFile } from "../hands/memory.ts";
import { Notes } from "../hands/notes.ts";
import { needsHuman, readWitness } from "../hands/witness.ts";
import { agreedOn } from "../hands/witness-agreed.ts";
import { readSaid } from "../hands/witness-said.ts";
import { uninstalledIn } from "../uninstall/mark.ts";
import { readProof } from "../proof/kept.ts";
import { alertSight } from "../alerts/sight.ts";
import { apiHere } from "./api.ts";
import { type Drift, driftHere } from "../drift/here.ts";
import { attempt, source_ms } from "./attempt.ts";
import { clusterSight } from "./cluster.ts";
import { lastOff, leftByPlan } from "./last-off.ts";
import { refused } from "./machine.ts";
import { readPower } from "./power.ts";
import {
  type EtcdSight,
  type HoldingSight,
  type Known,
  known,
  type Report,
  unknown,
  valueOf,
} from "./report.ts";
import { sayingOf } from "./publish.ts";
import { receiving_bytes } from "./receiving.ts";
import { rotationsHere } from "./rotations.ts";
import { Said } from "./said.ts";
import { readSetupReport } from "../setup/report.ts";
import { UnfinishedNote } from "./unfinished.ts";

const bootFile = "/proc/sys/kernel/random/boot_id";

export interface Place {
  readonly site: Site;
  /** What the paths in the site file are relative to. */
  readonly folder: string;
  readonly me: string;
  readonly duet: string;
  /** Are the BMCs asked for the power? */
  readonly power: boolean;
}

/** What this machine knows, whatever else is down. Changes nothing. */
export async function gatherHere({ site, folder, me, duet, power }: Place): Promise<Report> {
  const mine = site.machines.find(({ name }) => name === me);
  const theirs = site.machines.find(({ name }) => name !== me);
  if (mine === undefined || theirs === undefined) throw new Error(`bug: ${me} has no peer in its site`);
  const [
    corosync,
    pacemaker,
    holding,
    unit,
    own,
    peer,
    peerSays,
    peerSaying,
    powers,
    last,
    left,
    setup,
    boot,
    gone,
    proof,
    rotations,
    alerts,
    api,
    falseOff,
    receiving,
    drift,
  ] = await Promise.all([
    attempt("Corosync", () => corosyncHere(site)),
    attempt("Pacemaker", pacemakerHere),
    attempt("duet's own file", async () => known(await ownHolding())),
    attempt("systemd", unitHere),
    attempt(
      "etcd here",
      async () =>
        await etcdAt({ url: localUrl(site, etcdPorts.client), tls: await loadTls("client") }, source_ms),
    ),
    attempt(`etcd on ${theirs.name}`, () => peerEtcd(theirs)),
    attempt("Pacemaker's attributes", () => saidByPeer(theirs.name)),
    attempt("Pacemaker's attributes", async () => known(await sayingOf(theirs.name, source_ms))),
    powersOf(power ? site.machines : [], folder),
    attempt("the flight recorder", async () => known((await lastOff(paths.record, theirs.name)) ?? null)),
    attempt("the flight recorder", async () => known((await leftByPlan(paths.record)) ?? null)),
    readSetupReport(),
    readIfThere(bootFile),
    attempt("Pacemaker", async () => known(uninstalledIn(await lastingAttributes(source_ms)))),
    attempt("the last test of fencing", async () => known((await readProof()) ?? null)),
    rotationsHere(site, folder),
    attempt("the alerts' folder", async () => known(await alertSight(site))),
    attempt("the API server here", () => apiHere(site)),
    attempt("duet's memory", async () => known(new MemoryFile().read().falseOff_ms ?? null)),
    attempt("etcd's folder", async () => known(await receiving_bytes())),
    attempt("the cluster's settings", async () => known((await driftHere(source_ms)) ?? null)),
  ]);
  const said = await readSaid();
  return {
    format: 1,
    machine: me,
    duet,
    at_ms: Date.now(),
    up_s: Math.round(uptime()),
    setup,
    ...(boot === undefined ? {} : { boot: boot.trim() }),
    corosync,
    pacemaker,
    holding,
    unit,
    etcd: { [mine.name]: own, [theirs.name]: peer },
    peerSays,
    peerSaying,
    power: powers,
    said: new Said().all(),
    unfinished: new UnfinishedNote().read(),
    uninstalled: [...(valueOf(gone) ?? [])],
    alone: needsHuman(site, await readWitness(), agreedOn(said, site.witness) === "apart") ?? null,
    witness: { mine: site.witness, peer: said.theirs?.witness ?? null },
    receiving_bytes: valueOf(receiving) ?? null,
    drift: mutable(valueOf(drift)),
    falseOff_ms: valueOf(falseOff) ?? null,
    peerLeft_ms: valueOf(left) ?? null,
    lastOff: last,
    proof,
    rotations,
    alerts,
    api,
  };
}

const mutable = (drift: Drift | null | undefined) =>
  drift === null || drift === undefined
    ? null
    : { pacemaker: [...drift.pacemaker], corosync: [...drift.corosync] };

async function corosyncHere(site: Site) {
  const [now, waits] = await Promise.all([membership(source_ms), waitsForAll(source_ms)]);
  const names = orderedMachines(site).map(({ name }) => name);
  const members = now.members.map((id) => names[id - 1] ?? `node ${id}`);
  return known({ quorate: now.quorate, members, waits: waits === true && !now.quorate });
}

async function pacemakerHere() {
  const sight = await clusterSight(source_ms);
  return sight === undefined ? unknown("Pacemaker is not up (`systemctl status pacemaker`)") : known(sight);
}

async function unitHere() {
  const [{ active }, masked, installed] = await Promise.all([
    unitState(etcdUnit, source_ms),
    exists(maskFile),
    installedEtcd(etcdUnit, source_ms),
  ]);
  return known({ active, masked, failedStarts: new Notes().failedStarts, installed: installed ?? null });
}

async function ownHolding(): Promise<HoldingSight> {
  const state = await readState(paths.state);
  return { ...holdingOf(state), ...(state?.bump === undefined ? {} : { bump: state.bump }) };
}

const holdingOf = (state: Omit<State, "turn" | "settled" | "bump"> | undefined): HoldingSight => ({
  lineage: state?.lineage ?? null,
  full: state?.full === true,
  takeover: state?.takeover ?? null,
  left: state?.left === true,
  surrendered: state?.surrendered ?? null,
});

async function saidByPeer(peer: string): Promise<Known<HoldingSight | null>> {
  const [text, { ring }] = await Promise.all([
    attributeOf(peer, factsAttribute, source_ms),
    membership(source_ms),
  ]);
  const said = saidIn(text, ring);
  return known(said === undefined ? null : holdingOf(said.holding));
}

async function peerEtcd(peer: Machine): Promise<Known<EtcdSight>> {
  const tls = await loadTls("client");
  const { url, why } = await linkTo(peer, tls);
  if (why !== undefined)
    return unknown(why === "ECONNREFUSED" ? refused : `no connection to its etcd: ${why}`);
  return await etcdAt({ url, tls }, source_ms - connect_ms);
}

/** One without a leader says so at once; the read that needs one would wait until its deadline. */
async function etcdAt(at: Endpoint, deadline_ms: number): Promise<Known<EtcdSight>> {
  const reading = memberList(at, deadline_ms);
  const [said, agreed] = await Promise.all([status(at, deadline_ms), versions(at, deadline_ms)]);
  if (!said.ok) return unknown(/ECONNREFUSED/.test(said.failure.said) ? refused : said.failure.said);
  const { version, memberId, leader, isLearner, index, db_bytes, errors } = said.value;
  const listed = leader === undefined ? undefined : await reading;
  return known({
    version,
    ...(agreed.ok ? { cluster: agreed.value.cluster } : {}),
    id: memberId,
    role: isLearner ? "learner" : leader === memberId ? "leader" : "voter",
    leader: leader ?? null,
    index,
    db_bytes,
    members:
      listed?.ok === true
        ? listed.value.map(({ id, name, isLearner: learner }) => ({ id, name, learner }))
        : null,
    why: listed === undefined ? "it has no leader" : listed.ok ? "" : listed.failure.said,
    alarms: errors.map((each) => each.slice(0, 200)),
  });
}

async function powersOf(machines: readonly Machine[], folder: string): Promise<Report["power"]> {
  const read = await Promise.all(
    machines.map(async (machine) => [machine.name, await readPower(machine, folder, paths.run)] as const),
  );
  return Object.fromEntries(read);
}
