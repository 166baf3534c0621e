import { open, unlink } from "node:fs/promises";
import { release } from "node:os";
import { join } from "node:path";
import * as v from "valibot";
import { lookAtWays } from "../alerts/try.ts";
import { etcdPorts, etcdUnit, paths } from "../../base/paths.ts";
import { DuetError, exit, fail } from "../../base/problem.ts";
import { now_ms } from "../../machine/clock.ts";
import { fenceTimesShape, readFenceTimes } from "../../machine/fence-times.ts";
import { versions } from "../../machine/etcd/client.ts";
import { installedEtcd } from "../../machine/etcd/program.ts";
import { exists, isMissing } from "../../machine/files.ts";
import { loadSite, siteFolder } from "../../machine/site-file.ts";
import { localUrl } from "../../render/etcd.ts";
import type { Site } from "../../site/site.ts";
import { canRaise } from "../hands/bump.ts";
import { loadTls } from "../hands/local-etcd.ts";
import { pairTurn_ms } from "../hands/times.ts";
import { readWitness, tagTestShape } from "../hands/witness.ts";
import { agreedOn } from "../hands/witness-agreed.ts";
import { readSaid } from "../hands/witness-said.ts";
import { proofShape, readProof } from "../proof/kept.ts";
import { driftHere } from "../drift/here.ts";
import { readSetupReport, setupReport } from "../setup/report.ts";
import { kubernetesReport, lookAtKubernetes } from "./kubernetes.ts";

const disk = v.object({
  folder: v.string(),
  writes: v.number(),
  p50_ms: v.number(),
  p99_ms: v.number(),
  max_ms: v.number(),
});
export type DiskReport = v.InferOutput<typeof disk>;

/** What `duet probe --json` prints on a machine, and `duet check` reads. */
export const probeReport = v.object({
  clock: v.object({ start_ms: v.number(), end_ms: v.number() }),
  disk,
  versions: v.object({ duet: v.string(), node: v.string(), kernel: v.string() }),
  /** Where it is a machine of a site: how far its setup has come. */
  setup: v.optional(setupReport),
  /** What it knows of whether the BMCs keep their tags, by machine. */
  witness: v.optional(v.record(v.string(), tagTestShape)),
  /** What its own site file says of the witness, and whether it may go by the tags again where it said `off` before. */
  says: v.optional(v.object({ witness: v.picklist(["on", "off"]), apart: v.boolean() })),
  /** What its cluster knows of how long a fence takes, by machine, and the turn of the race that follows from it. */
  fencing: v.optional(v.object({ times: v.record(v.string(), fenceTimesShape), turn_ms: v.number() })),
  /** Whether there is an etcdutl that can raise etcd's revisions. */
  etcdutl: v.optional(v.boolean()),
  /** Where its site has `kubernetes:`: the programs and images that a control plane takes. */
  kubernetes: v.optional(kubernetesReport),
  /** Its etcd: what its unit would start, what runs, what the cluster works by; null: that can't be told. */
  etcd: v.optional(
    v.object({
      installed: v.nullable(v.string()),
      running: v.nullable(v.string()),
      cluster: v.nullable(v.string()),
    }),
  ),
  /** Settings that run otherwise than duet loaded them. */
  drift: v.optional(v.object({ pacemaker: v.array(v.string()), corosync: v.array(v.string()) })),
  /** Its last harmless test of fencing its peer. */
  proof: v.optional(proofShape),
  /** By each way to tell people: could it be used from here? */
  alerts: v.optional(
    v.array(
      v.object({
        way: v.string(),
        ok: v.boolean(),
        detail: v.string(),
        ms: v.exactOptional(v.number()),
        fix: v.exactOptional(v.string()),
        code: v.exactOptional(v.string()),
      }),
    ),
  ),
});
export type ProbeReport = v.InferOutput<typeof probeReport>;

/** About what etcd writes for a small request. */
const write_bytes = 2300;
/** Enough that the worst one of a hundred is a value and not the maximum: one hiccup of a good disk is no warning. */
export const writes_max = 400;
const lasts_ms_max = 3_000;

export async function probe(folder: string, duet: string): Promise<ProbeReport> {
  const start_ms = Date.now();
  const report = await probeDisk(folder);
  return {
    clock: { start_ms, end_ms: Date.now() },
    disk: report,
    versions: { duet, node: process.versions.node, kernel: release() },
    ...(await ofSite()),
  };
}

const way_ms = 8_000;
const drift_ms = 5_000;

type OfSite = Pick<
  ProbeReport,
  "setup" | "drift" | "fencing" | "proof" | "witness" | "says" | "alerts" | "etcdutl" | "kubernetes" | "etcd"
>;

async function ofSite(): Promise<OfSite> {
  if (!(await exists(paths.machine))) return {};
  const [proof, drift] = await Promise.all([readProof(), driftHere(drift_ms)]);
  const setup = {
    setup: await readSetupReport(),
    witness: await readWitness(),
    etcdutl: await canRaise(),
    ...(proof === undefined ? {} : { proof }),
    ...(drift === undefined
      ? {}
      : { drift: { pacemaker: [...drift.pacemaker], corosync: [...drift.corosync] } }),
  };
  try {
    const site = await loadSite(paths.site);
    const [times, etcd, tried, kubernetes] = await Promise.all([
      readFenceTimes(site),
      etcdHere(site),
      lookAtWays(site, siteFolder(paths.site), way_ms),
      lookAtKubernetes(site),
    ]);
    const known = {
      ...setup,
      says: {
        witness: site.witness,
        apart: agreedOn(await readSaid(), site.witness) === "apart",
      },
      etcd,
      alerts: [...tried],
      ...(kubernetes === undefined ? {} : { kubernetes }),
    };
    if (times === undefined) return known;
    return {
      ...known,
      fencing: { times: Object.fromEntries(times), turn_ms: pairTurn_ms(site, times) },
    };
  } catch (error) {
    // A site file that can't be read is what setup has failed of, and says.
    if (!(error instanceof DuetError)) throw error;
    return setup;
  }
}

async function etcdHere(site: Site): Promise<NonNullable<ProbeReport["etcd"]>> {
  const installed = (await installedEtcd(etcdUnit, etcd_ms)) ?? null;
  const none = { installed, running: null, cluster: null };
  try {
    const at = { url: localUrl(site, etcdPorts.client), tls: await loadTls("client") };
    const said = await versions(at, etcd_ms);
    return said.ok ? { installed, running: said.value.server, cluster: said.value.cluster } : none;
  } catch (error) {
    // Before setup there are no certificates.
    if (isMissing(error)) return none;
    throw error;
  }
}
const etcd_ms = 3_000;

async function probeDisk(folder: string): Promise<DiskReport> {
  const path = join(folder, `.duet-probe-${process.pid}`);
  const file = await open(path, "wx", 0o600).catch((error: unknown) => {
    const why = error instanceof Error && "code" in error ? String(error.code) : String(error);
    fail(
      "DUET-E-PROBE-FOLDER",
      folder,
      `can't write there: ${why}`,
      "name a folder on etcd's disk with --folder",
      exit.badInput,
    );
  });
  try {
    // Gone at once from the folder, so that nothing is left behind however this ends.
    await unlink(path);
    const block = Buffer.alloc(write_bytes, 0x64);
    const times_ms: number[] = [];
    const end_ms = now_ms() + lasts_ms_max;
    while (times_ms.length < writes_max && now_ms() < end_ms) {
      const before_ms = now_ms();
      await file.write(block);
      await file.datasync();
      times_ms.push(now_ms() - before_ms);
    }
    return { folder, ...summary(times_ms) };
  } finally {
    await file.close();
  }
}

const rounded = (ms: number) => Math.round(ms * 1000) / 1000;

export function summary(times_ms: readonly number[]): Omit<DiskReport, "folder"> {
  const sorted = times_ms.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
  return {
    writes: sorted.length,
    p50_ms: rounded(at(0.5)),
    p99_ms: rounded(at(0.99)),
    max_ms: rounded(at(1)),
  };
}
