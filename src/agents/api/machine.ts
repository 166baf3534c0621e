import { apiAttribute, apiResource, etcdPorts, paths } from "../../base/paths.ts";
import { fail } from "../../base/problem.ts";
import { ApiEye } from "../../machine/api-eye.ts";
import { attributeOf, setScore } from "../../machine/attributes.ts";
import { now_ms, sleep } from "../../machine/clock.ts";
import { membership } from "../../machine/corosync.ts";
import { deleteIfUnchanged, type Result, range } from "../../machine/etcd/client.ts";
import { readIfThere } from "../../machine/files.ts";
import { type KubeApi, type KubeResult, loadKubeApi } from "../../machine/kube-api.ts";
import { forgetFailures } from "../../machine/pacemaker.ts";
import { loadSite } from "../../machine/site-file.ts";
import { addressRefused } from "../../render/address-agent.ts";
import { addressOf } from "../../render/api-address.ts";
import { detectionOf, nodeIdOf } from "../../render/corosync.ts";
import { localUrl } from "../../render/etcd.ts";
import { kubeconfigFile, localApi, serverKey } from "../../render/kubernetes/names.ts";
import type { Site } from "../../site/site.ts";
import { factsAttribute, saidIn } from "../hands/attributes.ts";
import { loadTls } from "../hands/local-etcd.ts";
import { MemoryFile } from "../hands/memory.ts";
import { encodeMemory } from "../hands/memory-text.ts";
import { Notes } from "../hands/notes.ts";
import { encodeSaying } from "../hands/saying.ts";
import { type Parts, runApart } from "./apart.ts";
import { cableOf } from "./cable.ts";
import { follow, type FollowDoors } from "./follow.ts";
import { keepTaints, type TaintDoors } from "./keep-taints.ts";
import { leasesOf } from "./leases.ts";
import { nodesOf } from "./nodes.ts";
import { isAddressFree, type RefusedDoors, retryAddress } from "./refused.ts";
import { orUndefined, sightHere } from "./sight.ts";

/** Of Corosync's and Pacemaker's own tools. */
const call_ms = 2_000;
/** One write. */
const etcd_ms = 3_000;
const tell = (line: string) => process.stderr.write(`${line}\n`);

interface Place {
  readonly site: Site;
  readonly me: string;
  readonly peerName: string;
  /** In Corosync's list. */
  readonly peerId: number;
}

/** What systemd keeps running where the site has a control plane. */
export async function runApiWatch(): Promise<void> {
  const me = (await readIfThere(paths.machine))?.trim() ?? "";
  const site = await loadSite(paths.site);
  const peerName = site.machines.find(({ name }) => name !== me)?.name;
  if (peerName === undefined || site.machines.length !== 2)
    return fail(
      "DUET-E-SETUP-NOT-RENDERED",
      paths.machine,
      `${paths.site} does not name ${me} and one other`,
      "render the site again",
    );
  const place = { site, me, peerName, peerId: nodeIdOf(site, peerName) };
  const { token_ms, consensus_ms } = detectionOf(site);
  // Where somebody else has the address nobody is told how the API server does.
  const following: Parts =
    addressOf(site) === undefined
      ? {}
      : {
          "the watch over the API server": () =>
            follow(followDoors(place), { detection_ms: token_ms + consensus_ms }),
          "the address that was kept from here": () => retryAddress(refusedDoors(place)),
        };
  await runApart(
    { ...following, "the out-of-service taints": () => keepTaints(taintDoors(place)) },
    { sleep, tell },
  );
}

/** As duet on this machine, by its own API server. Read anew each time: its certificate is renewed. */
const ownApi = (): Promise<KubeApi | undefined> => loadKubeApi(kubeconfigFile("duet"));

function followDoors({ site, me, peerId }: Place): FollowDoors {
  const eye = new ApiEye(new URL(localApi(site)), async () => (await ownApi())?.tls ?? {});
  return {
    look: (path, deadline_ms) => eye.look(path, deadline_ms),
    rest: (ms) => eye.rest(ms),
    said: () => attributeOf(me, apiAttribute, call_ms),
    say: (value) => setScore(apiAttribute, value, call_ms),
    peerHere: async () => (await membership(call_ms)).members.includes(peerId),
    plugged: cableOf(addressOf(site) ?? ""),
    now_ms,
    tell,
  };
}

function refusedDoors({ me, peerId }: Place): RefusedDoors {
  const memory = new MemoryFile();
  const notes = new Notes();
  const learnt = () => {
    const { remembered, spoken, falseOff_ms } = memory.read();
    return encodeMemory({ remembered, spoken, falseOff_ms, ring: undefined }, "");
  };
  let known = learnt();
  const isRefused = () => notes.has(addressRefused);
  return {
    isRefused,
    isFree: async () => {
      known = learnt();
      const now = await orUndefined(() => membership(call_ms));
      if (now === undefined) return false;
      return isAddressFree({ ring: now.ring, peerHere: now.members.includes(peerId) }, memory.read());
    },
    forget: () => notes.drop(addressRefused),
    keep: () => notes.set(addressRefused),
    tryAgain: async () => (await orUndefined(() => forgetFailures(apiResource, me))) === true,
    rest: (ms) => notes.until(() => isRefused() && learnt() !== known, ms),
    tell,
  };
}

/**
 * Its entry in etcd goes by itself 15 s after it was last renewed, and a new leader of etcd gives each its whole time again. The API server
 * here looks each 10 s who has one.
 */
function serverDoors({ site, peerName }: Place): Pick<TaintDoors, "server" | "dropServer"> {
  const address = site.machines.find(({ name }) => name === peerName)?.addresses[0] ?? "";
  const key = serverKey(address);
  const own = async () => ({ url: localUrl(site, etcdPorts.client), tls: await loadTls("client") });
  const answered = <T>(result: Result<T>): KubeResult<T> =>
    result.ok ? result : { ok: false, failure: { kind: "unreachable", said: result.failure.said } };
  return {
    server: async () => {
      const found = answered(await range(await own(), { key, read: "linearizable" }, etcd_ms));
      return found.ok ? { ok: true, value: found.value[0]?.revision } : found;
    },
    dropServer: async (revision) =>
      answered(await deleteIfUnchanged(await own(), { key, revision }, etcd_ms)),
  };
}

function taintDoors(place: Place): TaintDoors {
  const { me, peerName, peerId } = place;
  const memory = new MemoryFile();
  const notes = new Notes();
  /** What duet has learnt of its peer: a proof, or another word of it. */
  const learnt = () => {
    const { provenIn, heard } = memory.read().remembered;
    return `${provenIn ?? ""} ${heard === undefined ? "" : encodeSaying(heard)}`;
  };
  let known = learnt();
  return {
    me,
    peerName,
    sight: async () => {
      known = learnt();
      return await sightHere({ memory, peerId });
    },
    peerSaid: async (ring) => {
      const text = await orUndefined(() => attributeOf(peerName, factsAttribute, call_ms));
      return saidIn(text, ring)?.holding;
    },
    ...nodesOf(ownApi),
    ...leasesOf(ownApi),
    clock_ms: () => Date.now(),
    ...serverDoors(place),
    rest: (ms) => notes.until(() => learnt() !== known, ms),
    tell,
  };
}
