import * as v from "valibot";
import { getObject, type KubeApi, type KubeResult, mergeObject } from "../../machine/kube-api.ts";
import { controllerLeases, leasesPath } from "../../render/kubernetes/names.ts";

/** As long as etcd may take for one. */
const call_ms = 3_000;

/** Who works for both machines, of those of whom one works at a time. */
export interface Lease {
  /** A machine's name, `_` and a number of the process; undefined: nobody. */
  readonly holder: string | undefined;
  /** When it said last that it lives, by its own clock; undefined: it does not tell. */
  readonly renewed_ms: number | undefined;
  /** A change that somebody else made in the meantime is found by it. */
  readonly resourceVersion: string;
}

export interface LeaseDoors {
  /** Undefined: nobody ever had it. */
  readonly lease: (name: string) => Promise<KubeResult<Lease | undefined>>;
  /** Refused where somebody else has changed it since. */
  readonly release: (name: string, resourceVersion: string) => Promise<KubeResult<unknown>>;
}

const shape = v.object({
  metadata: v.object({ resourceVersion: v.string() }),
  spec: v.optional(v.object({ holderIdentity: v.nullish(v.string()), renewTime: v.nullish(v.string()) }), {}),
});

const pathOf = (name: string): string => `${leasesPath}/${name}`;
const none: KubeResult<never> = {
  ok: false,
  failure: { kind: "unreachable", said: "this machine has no credentials for its API yet" },
};

/** `connect` is asked each time: certificates are renewed while this runs. */
export const leasesOf = (
  connect: () => Promise<KubeApi | undefined>,
  deadline_ms: number = call_ms,
): LeaseDoors => ({
  lease: async (name) => {
    const api = await connect();
    if (api === undefined) return none;
    const found = await getObject(api, pathOf(name), shape, deadline_ms);
    if (!found.ok) return found.failure.status === 404 ? { ok: true, value: undefined } : found;
    const { metadata, spec } = found.value;
    const holder = spec.holderIdentity ?? "";
    const renewed_ms = Date.parse(spec.renewTime ?? "");
    return {
      ok: true,
      value: {
        holder: holder === "" ? undefined : holder,
        renewed_ms: Number.isNaN(renewed_ms) ? undefined : renewed_ms,
        resourceVersion: metadata.resourceVersion,
      },
    };
  },
  release: async (name, resourceVersion) => {
    const api = await connect();
    if (api === undefined) return none;
    // As a leader does it that steps down by itself.
    const body = { metadata: { resourceVersion }, spec: { holderIdentity: "" } };
    return await mergeObject(api, pathOf(name), body, deadline_ms);
  },
});

/** By a process of this machine, whether it still runs or not. No machine's name has a `_` in it. */
export const isHeldBy = ({ holder }: Lease, machine: string): boolean =>
  holder?.startsWith(`${machine}_`) === true;

/** What came of it. `others`: somebody else has it, or nobody; there is nothing to do. */
export type Released = KubeResult<"released" | "others">;

/** Only a lease that nobody can still hold: whoever calls this knows that. */
export async function releaseIf(
  { lease, release }: LeaseDoors,
  name: string,
  isFree: (lease: Lease) => boolean,
): Promise<Released> {
  const found = await lease(name);
  if (!found.ok) return found;
  if (found.value === undefined || !isFree(found.value)) return { ok: true, value: "others" };
  const done = await release(name, found.value.resourceVersion);
  return done.ok ? { ok: true, value: "released" } : done;
}

/** Those of a machine whose controllers have ended, one after the other; those that were released. With the first that fails it is over: the rest runs out by itself. */
export async function releaseAll(doors: LeaseDoors, machine: string): Promise<readonly string[]> {
  const released: string[] = [];
  for (const name of controllerLeases) {
    const done = await releaseIf(doors, name, (lease) => isHeldBy(lease, machine));
    if (!done.ok) break;
    if (done.value === "released") released.push(name);
  }
  return released;
}
