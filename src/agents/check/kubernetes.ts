import * as v from "valibot";
import { run } from "../../machine/process.ts";
import { hasKubernetes, kubernetesPaths, type KubernetesSite } from "../../render/kubernetes/names.ts";
import type { Site } from "../../site/site.ts";
import {
  isOldKubelet,
  kubernetesPrograms,
  minorOf,
  newKubelet,
  oldKubelet,
  versionOf,
} from "../kubernetes/programs.ts";
import type { Finding } from "./finding.ts";

/** What a machine of a site with `kubernetes:` tells of it. */
export const kubernetesReport = v.object({
  /** By program: its version; null where it is not there. */
  programs: v.record(v.string(), v.nullable(v.string())),
  /** Images of the site that are not there; null where nobody on the machine can tell. */
  missing: v.nullable(v.array(v.string())),
});
export type KubernetesReport = v.InferOutput<typeof kubernetesReport>;

const call_ms = 5_000;
const not_found = 127;

export async function lookAtKubernetes(site: Site): Promise<KubernetesReport | undefined> {
  if (!hasKubernetes(site)) return undefined;
  const programs: Record<string, string | null> = {};
  for (const name of kubernetesPrograms) programs[name] = (await versionOf(name)) ?? null;
  return { programs, missing: await missingImages(site) };
}

/** CRI-O's own client knows best; without it podman, which has the same store. */
async function missingImages({ kubernetes: { images } }: KubernetesSite): Promise<string[] | null> {
  const endpoint = `unix://${kubernetesPaths.crioSocket}`;
  const all = [...new Set(Object.values(images))];
  return (
    (await without(all, (image) => ["crictl", "--runtime-endpoint", endpoint, "inspecti", "-q", image])) ??
    (await without(all, (image) => ["podman", "image", "exists", image]))
  );
}

/** Undefined answers are none: a program that is not there, or can't reach what it asks, says nothing about an image. */
async function without(
  images: readonly string[],
  command: (image: string) => readonly [string, ...string[]],
): Promise<string[] | null> {
  const missing: string[] = [];
  for (const image of images) {
    const { status, stderr } = await run(command(image), { accept: "any", deadline_ms: call_ms }).catch(
      () => ({
        status: not_found,
        stderr: "",
      }),
    );
    if (status === not_found || /connection refused|no such file|Unavailable/i.test(stderr)) return null;
    if (status !== 0) missing.push(image);
  }
  return missing;
}

const install = "install it from your distribution's or the project's packages; its unit need not be enabled";

export function judgeKubernetes(
  subject: string,
  site: Site,
  report: KubernetesReport | undefined,
): readonly Finding[] {
  if (!hasKubernetes(site) || report === undefined) return [];
  const { version } = site.kubernetes;
  const findings: Finding[] = [];
  for (const name of kubernetesPrograms) {
    const found = report.programs[name] ?? null;
    if (found === null)
      findings.push({
        subject,
        check: name,
        mark: "fail",
        detail: "the site has `kubernetes:`, and this program is not there",
        fix: install,
        code: "DUET-E-KUBERNETES-PROGRAMS",
      });
    else if (name === "kubelet" && isOldKubelet(found))
      findings.push({
        subject,
        check: name,
        mark: "fail",
        detail: oldKubelet(found),
        fix: newKubelet,
        code: "DUET-E-KUBERNETES-PROGRAMS",
      });
    else if (name === "kubelet" && !goesWith(found, version))
      findings.push({
        subject,
        check: name,
        mark: "warn",
        detail: `it is ${found}, and the API server is to be ${version}`,
        fix: "a kubelet is of the API server's minor version, or up to three older; change it, or `kubernetes.version`",
      });
    else findings.push({ subject, check: name, mark: "ok", detail: found });
  }
  return [...findings, imagesFinding(subject, report.missing)];
}

function imagesFinding(subject: string, missing: readonly string[] | null): Finding {
  const check = "images";
  if (missing === null)
    return {
      subject,
      check,
      mark: "note",
      detail: "neither crictl nor podman there can tell whether Kubernetes' images are on the machine",
    };
  if (missing.length === 0)
    return { subject, check, mark: "ok", detail: "all of Kubernetes' images are there" };
  return {
    subject,
    check,
    mark: "warn",
    detail: `not on the machine: ${missing.join(", ")}`,
    fix: "nothing to do where the machine reaches their registry: CRI-O fetches them; else load them, or name others with `kubernetes.images`",
  };
}

/** Kubernetes' own rule for the two. A version that can't be read is not judged. */
export function goesWith(kubelet: string, apiserver: string): boolean {
  const behind = minorOf(apiserver) - minorOf(kubelet);
  return Number.isNaN(behind) || (behind >= 0 && behind <= 3);
}
