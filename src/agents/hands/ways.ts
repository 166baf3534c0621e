import { type Bmc as Side, type Failure, failed } from "../../act/effects.ts";
import { now_ms } from "../../machine/clock.ts";
import { loadLogin } from "../../machine/logins.ts";
import { loadTrust } from "../../machine/trust.ts";
import { type KnownSystem, RedfishClient } from "../../redfish/client.ts";
import { type Failure as RedfishFailure, problemOf } from "../../redfish/failure.ts";
import { OutletClient } from "../../redfish/pdu.ts";
import type { Service } from "../../redfish/transport.ts";
import type { Endpoint, Machine, Site } from "../../site/site.ts";
import { ownSystems, type Systems } from "./systems.ts";

/** From where the two BMCs are called. */
export interface Seat {
  readonly site: Site;
  readonly me: string;
  /** What the paths in the site file are relative to. */
  readonly folder: string;
  /** What was found before; nothing is where none is given. */
  readonly systems?: Systems;
}

type Opened = Omit<Service, "deadline_ms">;

/**
 * Clients of this machine's BMC, its peer's, and the outlet that feeds the peer. Each is made for one effect. A call has what the
 * site file says (`timeouts.bmc_call`): so a silent BMC costs no more, and a slow one is waited for call by call. And all of it
 * ends within the effect's time: a command that goes out late may be one outside of this machine's turn.
 */
export class Ways {
  readonly site: Site;
  readonly mine: Machine;
  readonly theirs: Machine;
  readonly #folder: string;
  readonly #systems: Systems;

  constructor({ site, me, folder, systems = ownSystems() }: Seat) {
    const mine = site.machines.find(({ name }) => name === me);
    const [theirs, ...more] = site.machines.filter(({ name }) => name !== me);
    if (mine === undefined || theirs === undefined || more.length > 0)
      throw new Error(`bug: the machines of this site are not ${me} and one other`);
    this.site = site;
    this.mine = mine;
    this.theirs = theirs;
    this.#folder = folder;
    this.#systems = systems;
  }

  /** One call to a BMC, or to an outlet. */
  get call_ms(): number {
    return this.site.timeouts.bmc_call_ms;
  }

  /** Throws DuetError where credentials or certificates can't be read. */
  async bmc(side: Side, deadline_ms: number): Promise<RedfishClient> {
    const end_ms = now_ms() + deadline_ms;
    const { bmc } = this[side];
    const opened = await open(bmc, this.#folder);
    const known = this.#systems.of(bmc.url);
    const service = {
      ...opened,
      ...(bmc.system === undefined ? {} : { system: bmc.system }),
      ...(known === undefined ? {} : { known }),
      found: (system: KnownSystem) => this.#systems.note(bmc.url, system),
    };
    return new RedfishClient(timed(service, end_ms, this.call_ms));
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
    const service = { ...(await open(pdu, this.#folder)), outlet: pdu.outlet };
    return new OutletClient(timed(service, end_ms, this.call_ms));
  }
}

/** Anew for each effect: a password that was changed on the BMC and in the file counts at once. */
async function open({ url, credentials, trust }: Endpoint, folder: string): Promise<Opened> {
  return {
    url,
    ...(await loadLogin(credentials, folder)),
    trust: await loadTrust(trust, folder),
  };
}

/** A service that has for each further call what is left of the whole time, and no more than a call has. */
const timed = <T extends object>(
  fixed: T,
  end_ms: number,
  call_ms: number,
): T & Pick<Service, "deadline_ms"> => ({
  ...fixed,
  get deadline_ms() {
    return Math.max(1, Math.min(call_ms, Math.round(end_ms - now_ms())));
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

/** `deadline_ms`: of the whole effect. A last call that had only what was left of it is not what was too slow. */
export function told(
  { call_ms }: Ways,
  failure: RedfishFailure,
  where: string,
  deadline_ms: number,
): ReturnType<typeof failed> {
  const cut = failure.kind === "deadline" && failure.deadline_ms < call_ms;
  const whole: RedfishFailure = cut ? { ...failure, deadline_ms } : failure;
  return failed(kinds[failure.kind], `${where}: ${problemOf(whole, where).what}`);
}
