import { closedPort, etcdPorts, paths } from "../../base/paths.ts";
import type { MemberEffects, Outcome } from "../../act/effects.ts";
import type { Etcd, Versions } from "../../decide/facts.ts";
import { readIdentity } from "../../facts/identity.ts";
import { sleep } from "../../machine/clock.ts";
import { type Endpoint, memberList, status, versions } from "../../machine/etcd/client.ts";
import { localUrl, peerUrls } from "../../render/etcd.ts";
import type { Machine, Site } from "../../site/site.ts";
import { elect, electionTeller } from "./elect.ts";
import { linkTo } from "./link.ts";
import { loadTls } from "./local-etcd.ts";
import { memberEffects, type Places } from "./members.ts";
import { failureOf } from "./outcome.ts";

const own_ms = 1_500;
const leader_again_ms = 200;

/** The two machines' etcds, by the links that work now. */
export class Reach {
  readonly #site: Site;
  readonly #mine: Machine;
  readonly #theirs: Machine;

  constructor(site: Site, mine: Machine, theirs: Machine) {
    this.#site = site;
    this.#mine = mine;
    this.#theirs = theirs;
  }

  async own(port: number = etcdPorts.client): Promise<Endpoint> {
    return { url: localUrl(this.#site, port), tls: await loadTls("client") };
  }

  /** The members' own port. */
  async #members(): Promise<Endpoint> {
    return { url: localUrl(this.#site, etcdPorts.peer), tls: await loadTls("peer") };
  }

  async peer(): Promise<Endpoint> {
    const tls = await loadTls("client");
    return { url: (await linkTo(this.#theirs, tls)).url, tls };
  }

  get places(): Places {
    return {
      self: { endpoint: () => this.own(), peerUrls: peerUrls(this.#mine) },
      inside: { endpoint: () => this.own(closedPort), peerUrls: peerUrls(this.#mine) },
      peer: { endpoint: () => this.peer(), peerUrls: peerUrls(this.#theirs) },
    };
  }

  /** Each call finds its way anew: a link may have died since the last one. */
  get members(): MemberEffects {
    const { places } = this;
    const by = async <T>(
      ask: (members: ReturnType<typeof memberEffects>) => Promise<Outcome<T>>,
    ): Promise<Outcome<T>> => {
      try {
        return await ask(memberEffects(places));
      } catch (error) {
        return failureOf(error);
      }
    };
    return {
      list: (...given) => by((members) => members.list(...given)),
      addLearner: (...given) => by((members) => members.addLearner(...given)),
      promote: (...given) => by((members) => members.promote(...given)),
      remove: (...given) => by((members) => members.remove(...given)),
      elect: (at, deadline_ms) =>
        by(async (members) => {
          const tell = electionTeller(await this.#members(), readIdentity(paths.etcdData));
          const own = await places[at].endpoint();
          const led = async (ms: number) => {
            const said = await status(own, ms);
            return said.ok && said.value.leader !== undefined;
          };
          const serves = async (ms: number) => (await members.list(at, ms)).ok;
          return await elect({ tell, led, serves }, deadline_ms);
        }),
      moveLeader: (...given) => by((members) => members.moveLeader(...given)),
      writeMarker: (...given) => by((members) => members.writeMarker(...given)),
    };
  }

  /**
   * By a linearizable read. One that has lost its quorum would let it wait until the deadline, and this machine with it, which is
   * perhaps who is missing there; but it says at once that it has no leader.
   */
  async peerServes(deadline_ms: number): Promise<boolean> {
    const at = await this.peer().catch(unasked);
    if (at === undefined) return false;
    const over = new AbortController();
    const read = memberList(at, deadline_ms).then(({ ok }) => ok);
    const leaderless = async (): Promise<boolean> => {
      while (!over.signal.aborted) {
        const said = await status(at, deadline_ms);
        if (said.ok && said.value.leader === undefined) return false;
        await sleep(leader_again_ms);
      }
      return await read;
    };
    try {
      return await Promise.race([read, leaderless()]);
    } finally {
      over.abort();
    }
  }

  /** Of the peer's etcd and of its cluster; undefined where it does not tell. */
  async peerVersions(deadline_ms: number): Promise<Pick<Versions, "peer" | "cluster"> | undefined> {
    const at = await this.peer().catch(unasked);
    if (at === undefined) return undefined;
    const said = await versions(at, deadline_ms);
    return said.ok ? { peer: said.value.server, cluster: said.value.cluster } : undefined;
  }

  /** Through this machine's own etcd. */
  async reads(deadline_ms: number): Promise<boolean> {
    const at = await this.own().catch(unasked);
    return at !== undefined && (await memberList(at, deadline_ms)).ok;
  }

  /**
   * Whether this machine's etcd knows a leader, and whether that is itself. Clients are let in once it has joined its cluster:
   * one that has not, and waits for its peer, knows none.
   */
  async leads(): Promise<"self" | "other" | "nobody"> {
    const at = await this.own().catch(unasked);
    if (at === undefined) return "nobody";
    const said = await status(at, own_ms);
    if (!said.ok || said.value.leader === undefined) return "nobody";
    return said.value.leader === said.value.memberId ? "self" : "other";
  }
}

/** Without its certificate a machine can ask nothing of any etcd, and must still be able to fence, to stop and to say what it holds. */
function unasked(error: unknown): undefined {
  failureOf(error);
  return undefined;
}

/** For who asks etcd something of its own, on this machine. */
export function placesOf(site: Site, me: string): Places {
  const mine = site.machines.find(({ name }) => name === me);
  const theirs = site.machines.find(({ name }) => name !== me);
  if (mine === undefined || theirs === undefined) throw new Error(`bug: the site does not name ${me}`);
  return new Reach(site, mine, theirs).places;
}

/**
 * `lives`: it answers at the members' port, which it does with no leader too. One answer is enough, at either port, and silence is
 * asked once more: on a busy machine a healthy etcd misses a probe, and one that does not run is ended and started again.
 */
export async function etcdNow(
  isRunning: () => Promise<Outcome<boolean>>,
  lives: (deadline_ms: number) => Promise<boolean>,
  reach: Pick<Reach, "leads">,
): Promise<Pick<Etcd, "running" | "leader">> {
  const up = await isRunning();
  // Of a silent systemd nothing follows: an etcd that serves must not be ended for it.
  if (up.ok && !up.value) return { running: false, leader: false };
  const [answers, leads] = await Promise.all([lives(own_ms), reach.leads()]);
  const leader = leads !== "nobody";
  return { running: answers || leader || (await lives(own_ms)), leader };
}
