import { now_ms, sleep } from "../../machine/clock.ts";
import { readIfThere } from "../../machine/files.ts";
import { loadKubeApi } from "../../machine/kube-api.ts";
import { processesIn } from "../../machine/processes.ts";
import { paths } from "../../base/paths.ts";
import { kubeconfigFile } from "../../render/kubernetes/names.ts";
import { leasesOf, releaseAll } from "../api/leases.ts";
import { containerIn, usual, type Wish, wishOf } from "./container.ts";
import { isOfPod, kindOf, type PodProcess, type Signal, signalsAt, times } from "./order.ts";
import { markUnready } from "./unready.ts";

const look_ms = 100;
const names_max = 5;
/** Each call of the API; the first that takes longer is the last. */
const free_ms = 1_000;

/** What ending pods needs of its machine. */
export interface PodDoors {
  readonly look: () => Promise<readonly PodProcess[]>;
  readonly send: (signal: Signal) => void;
  /** Tells the API that these pods are not ready any more; what came of it. */
  readonly mark: () => Promise<string>;
  /** Of what was held by those that have ended; what is free now. */
  readonly free: () => Promise<readonly string[]>;
  readonly now_ms: () => number;
  readonly rest: (ms: number) => Promise<void>;
}

/**
 * Containers outlive their kubelet and their CRI-O, which are stopped by now: an API server of a machine that has left would hold its port,
 * and what it knew in memory, and a shutdown would wait for it. What is still there in the end can't be ended at all.
 */
export async function endPods(
  say: (detail: string) => void,
  { look, send, mark, free, now_ms: now, rest }: PodDoors = doorsHere(),
): Promise<void> {
  const begun_ms = now();
  const asked = new Map<number, number>();
  const killed = new Map<number, string>();
  let left: readonly PodProcess[] = [];
  let marked: Promise<string> | undefined;
  let freed: readonly string[] | undefined;
  for (;;) {
    left = await look();
    // Beside the first signals: an API that does not answer must neither hold up the end of the pods nor break it off.
    if (left.some(isApi)) marked ??= mark().catch(String);
    // Whoever led for both machines has ended, and its API server is still there: the other machine's need not wait for the lease.
    if (freed === undefined && asked.size > 0 && isApiLast(left)) {
      await marked;
      freed = await free();
    }
    const elapsed_ms = now() - begun_ms;
    if (left.length === 0 || elapsed_ms >= times.all_ms + times.killed_ms) break;
    for (const each of signalsAt(elapsed_ms, left, asked)) {
      send(each);
      const name = left.find(({ pid }) => pid === each.pid)?.name ?? "";
      if (each.signal === "SIGKILL") killed.set(each.pid, name);
      else asked.set(each.pid, elapsed_ms);
    }
    await rest(look_ms);
  }
  const ended = left.length === 0 ? "all ended" : `${left.length} still there`;
  const after = `after ${((now() - begun_ms) / 1000).toFixed(1)} s`;
  const names = [...new Set(killed.values())].slice(0, names_max).join(" ");
  const force = killed.size === 0 ? "" : `, ${killed.size} killed (${names})`;
  const leases = freed === undefined || freed.length === 0 ? "" : `, freed the leases ${freed.join(" ")}`;
  const api = marked === undefined ? "" : `, ${await marked}`;
  say(
    asked.size + killed.size === 0 ? "none" : `${asked.size} told, ${ended} ${after}${force}${api}${leases}`,
  );
}

const isApi = ({ kind }: PodProcess): boolean => kind === "api";
const isApiLast = (left: readonly PodProcess[]): boolean =>
  left.some(isApi) && !left.some(({ kind }) => kind === "other");

const ownName = async (): Promise<string> => (await readIfThere(paths.machine))?.trim() ?? "";

function doorsHere(): PodDoors {
  const wishes = new Map<string, Promise<Wish>>();
  const wishFor = (id: string): Promise<Wish> => {
    const known = wishes.get(id) ?? wishOf(id);
    wishes.set(id, known);
    return known;
  };
  return {
    look: async () =>
      await Promise.all(
        (await processesIn(isOfPod)).map(async ({ pid, parent, name, cgroup }) => {
          const id = containerIn(cgroup);
          return {
            pid,
            parent,
            name,
            kind: kindOf({ name }),
            wish: id === undefined ? usual : await wishFor(id),
          };
        }),
      ),
    send: ({ pid, signal }) => {
      try {
        process.kill(pid, signal);
      } catch {
        // It has ended by itself.
      }
    },
    mark: async () => await markUnready(await loadKubeApi(kubeconfigFile("kubelet")), await ownName()),
    free: async () =>
      await releaseAll(
        leasesOf(() => loadKubeApi(kubeconfigFile("duet")), free_ms),
        await ownName(),
      ),
    now_ms,
    rest: sleep,
  };
}
