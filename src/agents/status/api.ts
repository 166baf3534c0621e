import { apiResource } from "../../base/paths.ts";
import { loadKubeApi, readyz } from "../../machine/kube-api.ts";
import { addressOf } from "../../render/api-address.ts";
import { hasKubernetes, kubeconfigFile } from "../../render/kubernetes/names.ts";
import type { Site } from "../../site/site.ts";
import { source_ms } from "./attempt.ts";
import { type ApiSight, type ClusterSight, type Known, known, unknown, valueOf } from "./report.ts";
import type { ApiStatus, Views } from "./status.ts";

/** What this machine's own API server says now; null: the site has none of duet's. */
export async function apiHere(site: Site): Promise<Known<ApiSight | null>> {
  if (!hasKubernetes(site)) return known(null);
  const address = addressOf(site) ?? null;
  const api = await loadKubeApi(kubeconfigFile("duet"));
  if (api === undefined)
    return known({ address, ready: false, why: "this machine has no credentials for it yet" });
  const answer = await readyz(api, source_ms);
  if (answer.ok) return known({ address, ready: true, why: "" });
  const { said, checks = [] } = answer.failure;
  return known({ address, ready: false, why: said, checks: [...checks] });
}

/** Where the address stands, and which API servers answer. Null: nobody that could be asked has one. */
export function apiOf(views: Views): ApiStatus | null {
  const reports = views.machines.flatMap((name) => valueOf(views.reports[name]) ?? []);
  const sights = reports.flatMap(({ api }) => valueOf(api) ?? []);
  const [sight] = sights;
  if (sight === undefined) return null;
  const told = quorateSight(views)?.cluster;
  const holder = Object.entries(told?.runs ?? {}).find(([, runs]) => runs.includes(apiResource))?.[0];
  return {
    address: sight.address,
    on:
      sight.address === null
        ? null
        : told?.runs === undefined
          ? unknown("no Pacemaker that takes part tells")
          : known(holder ?? null),
    answers: views.machines.map((name) => ({ name, ready: readyOf(name, views, told) })),
  };
}

/** By its own word now; else by what it last told Pacemaker, which is not told while there is no choice. */
function readyOf(
  name: string,
  { reports }: Views,
  told: ClusterSight | undefined,
): ApiStatus["answers"][number]["ready"] {
  const own = valueOf(valueOf(reports[name])?.api);
  if (own !== undefined && own !== null)
    return known({ ready: own.ready, why: own.why, checks: own.checks ?? [] });
  const word = told?.nodes[name] === "online" ? told.answers?.[name] : undefined;
  return word === undefined
    ? unknown(`whether its API server answers is told by \`duet status\` on ${name}`)
    : known({ ready: word, why: word ? "" : "by its own word", checks: [] });
}

/**
 * What a Pacemaker knows that takes part, and when by its machine's clock. One without quorum runs nothing and knows nothing of what its
 * peer runs; one that has just come up has not heard it yet.
 */
export function quorateSight({ machines, reports }: Views): QuorateSight | undefined {
  return machines
    .flatMap((name) => valueOf(reports[name]) ?? [])
    .filter(({ corosync }) => valueOf(corosync)?.quorate === true)
    .flatMap(({ machine, pacemaker, at_ms }) =>
      pacemaker.known && pacemaker.value.nodes[machine] !== "pending"
        ? [{ cluster: pacemaker.value, at_ms }]
        : [],
    )[0];
}

export interface QuorateSight {
  readonly cluster: ClusterSight;
  readonly at_ms: number;
}

/** One sentence for each thing that is known. */
export function apiText({ address, on, answers }: ApiStatus): string {
  const where =
    address === null || on === null
      ? []
      : [
          !on.known
            ? `where ${address} is, is unknown`
            : on.value === null
              ? `${address} is on NO machine`
              : `${address} is on ${on.value}`,
        ];
  const each = answers.map(({ name, ready }) => {
    if (!ready.known) return `${name}: unknown`;
    const { ready: answersNow, why } = ready.value;
    return `${name}: ${answersNow ? "ready" : `NOT READY${why === "" ? "" : ` (${why})`}`}`;
  });
  return [...where, ...each].join("; ");
}
