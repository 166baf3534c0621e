import { type Bmc as Side, type Failure, failed } from "../../act/effects.ts";
import { now_ms } from "../../machine/clock.ts";
import { loadCredentials } from "../../machine/credentials.ts";
import { loadTrust } from "../../machine/trust.ts";
import { RedfishClient } from "../../redfish/client.ts";
import { type Failure as RedfishFailure, problemOf } from "../../redfish/failure.ts";
import { OutletClient } from "../../redfish/pdu.ts";
import type { Service } from "../../redfish/transport.ts";
import type { Endpoint, Machine, Site } from "../../site/site.ts";

/** From where the two BMCs are called. */
export interface Seat {
  readonly site: Site;
  readonly me: string;
  /** What the paths in the site file are relative to. */
  readonly folder: string;
}

type Opened = Omit<Service, "deadline_ms">;

/**
 * Clients of this machine's BMC, its peer's, and the outlet that feeds the peer. Each is made for one effect, and all that it
 * calls ends within that effect's time: a command that goes out late may be one outside of this machine's turn.
 */
export class Ways {
  readonly site: Site;
  readonly mine: Machine;
  readonly theirs: Machine;
  readonly #folder: string;
  /** Found once: to look for a System costs two more calls each time. */
  readonly #systems = new Map<Side, string>();

  constructor({ site, me, folder }: Seat) {
    const mine = site.machines.find(({ name }) => name === me);
    const [theirs, ...more] = site.machines.filter(({ name }) => name !== me);
    if (mine === undefined || theirs === undefined || more.length > 0)
      throw new Error(`bug: the machines of this site are not ${me} and one other`);
    this.site = site;
    this.mine = mine;
    this.theirs = theirs;
    this.#folder = folder;
  }

  /** Throws DuetError where credentials or certificates can't be read. */
  async bmc(side: Side, deadline_ms: number): Promise<RedfishClient> {
    const end_ms = now_ms() + deadline_ms;
    const { bmc } = this[side];
    const opened = await open(bmc, this.#folder);
    const known = bmc.system ?? this.#systems.get(side);
    if (known !== undefined) return new RedfishClient(timed({ ...opened, system: known }, end_ms));
    const client = new RedfishClient(timed(opened, end_ms));
    const found = await client.system();
    if (found.ok) this.#systems.set(side, found.value);
    return client;
  }

  /** Sees that what the calls need can be read, without a call. Throws DuetError where it can't. */
  async check(): Promise<void> {
    const { bmc, pdu } = this.theirs;
    await open(bmc, this.#folder);
    if (pdu !== undefined) await open(pdu, this.#folder);
  }

  /** Of the peer; undefined where the site names none. */
  async outlet(deadline_ms: number): Promise<OutletClient | undefined> {
    const end_ms = now_ms() + deadline_ms;
    const { pdu } = this.theirs;
    if (pdu === undefined) return undefined;
    return new OutletClient(timed({ ...(await open(pdu, this.#folder)), outlet: pdu.outlet }, end_ms));
  }
}

/** Anew for each effect: a password that was changed on the BMC and in the file counts at once. */
async function open({ url, credentials, trust }: Endpoint, folder: string): Promise<Opened> {
  return {
    url,
    credentials: await loadCredentials(credentials, folder),
    trust: await loadTrust(trust, folder),
  };
}

/** A service that has for each further call what is left of the whole time. */
const timed = <T extends object>(fixed: T, end_ms: number): T & Pick<Service, "deadline_ms"> => ({
  ...fixed,
  get deadline_ms() {
    return Math.max(1, Math.round(end_ms - now_ms()));
  },
});

const kinds: Readonly<Record<RedfishFailure["kind"], Failure["kind"]>> = {
  unreachable: "unreachable",
  deadline: "deadline",
  untrusted: "failed",
  login: "refused",
  "not-redfish": "failed",
  status: "failed",
  changed: "changed",
  "several-systems": "failed",
  unsupported: "refused",
};

/** `deadline_ms`: of the whole effect; the last call had only what was left of it. */
export function told(failure: RedfishFailure, where: string, deadline_ms: number): ReturnType<typeof failed> {
  const whole: RedfishFailure = failure.kind === "deadline" ? { ...failure, deadline_ms } : failure;
  return failed(kinds[failure.kind], `${where}: ${problemOf(whole, where).what}`);
}
