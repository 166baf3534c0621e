import { canonicalAddress, family, urlOf } from "./address.ts";
import { bmcCallDefault_ms, preferred_leader, timeout_bounds, timeouts_default } from "./defaults.ts";
import type { Draft, Spot } from "./draft.ts";
import { formatDuration } from "./duration.ts";
import { networkFamily, networkOverlap, networkSize } from "./rules-kubernetes.ts";
import type { Path } from "./source.ts";

/** Rules that more than one value of the file decides, in the order in which they are told. */
export interface Rule {
  readonly code: string;
  /** The rule in one sentence; docs/site.md has the same. */
  readonly rule: string;
  readonly check: (draft: Draft) => readonly Breach[];
}

export interface Breach {
  readonly at: Path;
  readonly part?: "key" | "value";
  readonly what: string;
  readonly fix: string;
}

const machines_wanted: Readonly<Record<string, number>> = { "dual-replica": 2, pair: 2, single: 1 };
const counted = (count: number, one: string, more: string) => `${count} ${count === 1 ? one : more}`;

export const rules: readonly Rule[] = [
  {
    code: "DUET-E-SITE-MACHINES",
    rule: "dual-replica and pair have exactly two machines, single has one",
    check: machineCount,
  },
  {
    code: "DUET-E-SITE-DUPLICATE-NAME",
    rule: "every machine has a name of its own",
    check: (draft) =>
      repeated(
        draft.machines.flatMap((machine) => machine.name ?? []),
        (name) => name,
      ).map(([again, first]) => ({
        at: again.at,
        what: `this name is already used on line ${draft.line(first.at)}: every machine has a name of its own`,
        fix: "give one of the two another name",
      })),
  },
  {
    code: "DUET-E-SITE-SHARED-BMC",
    rule: "every machine has a BMC of its own",
    check: (draft) =>
      repeated(
        draft.machines.flatMap((machine) => machine.bmc ?? []),
        urlOf,
      ).map(([again, first]) => ({
        at: again.at,
        what: `this BMC is already that of the machine on line ${draft.line(first.at)}: every machine has a BMC of its own, or fencing would switch off the wrong one`,
        fix: "write the address of this machine's own BMC",
      })),
  },
  {
    code: "DUET-E-SITE-SHARED-OUTLET",
    rule: "every machine has outlets of its own, and names each once",
    check: sharedOutlets,
  },
  {
    code: "DUET-E-SITE-DUPLICATE-ADDRESS",
    rule: "an address is used once in a site",
    check: duplicateAddresses,
  },
  {
    code: "DUET-E-SITE-LINKS",
    rule: "all machines have the same number of links",
    check: linkCount,
  },
  {
    code: "DUET-E-SITE-FAMILY",
    rule: "a link is IPv4 on all machines or IPv6 on all; the API's address is of a family that the machines have",
    check: (draft) => [...linkFamilies(draft), ...apiFamily(draft)],
  },
  {
    code: "DUET-E-SITE-NETWORK",
    rule: "the networks of pods and services are of the family of the machines' first link, with room for two machines and not more than Kubernetes takes",
    check: (draft) => [...networkFamily(draft), ...networkSize(draft)],
  },
  {
    code: "DUET-E-SITE-OVERLAP",
    rule: "the networks of pods and services share no address with each other or with anything else of the site",
    check: networkOverlap,
  },
  {
    code: "DUET-E-SITE-PREFERRED",
    rule: "fencing prefers one of the machines, or leader",
    check: preferredKnown,
  },
  {
    code: "DUET-E-SITE-TRUST",
    rule: "the stock fence agent knows no fingerprint: with it each BMC is trusted by `ca`, the system's store or `nothing`",
    check: stockTrust,
  },
  {
    code: "DUET-E-SITE-DURATION",
    rule: "every time-out is within its bounds",
    check: (draft) => draft.timeouts.flatMap(outOfBounds),
  },
  {
    code: "DUET-E-SITE-FENCE-TIME",
    rule: "a fence lasts at least two calls to a BMC: one that asks for Off, one that reads it",
    check: fenceTime,
  },
];

/** Each value that was there before, with the first that has it. */
function repeated<T>(spots: readonly Spot<T>[], same: (value: T) => string): readonly [Spot<T>, Spot<T>][] {
  const first = new Map<string, Spot<T>>();
  const pairs: [Spot<T>, Spot<T>][] = [];
  for (const spot of spots) {
    const earlier = first.get(same(spot.value));
    if (earlier === undefined) first.set(same(spot.value), spot);
    else pairs.push([spot, earlier]);
  }
  return pairs;
}

function sharedOutlets({ machines, line }: Draft): readonly Breach[] {
  const spots = machines.flatMap(({ pdus }, machine) =>
    pdus.flatMap(({ at, value }) =>
      value.outlet === undefined ? [] : [{ at, value: { ...value, machine } }],
    ),
  );
  return repeated(spots, (pdu) => `${urlOf(pdu)} ${pdu.outlet}`).map(([again, first]) =>
    again.value.machine === first.value.machine
      ? {
          at: again.at,
          what: `this outlet is already named on line ${line(first.at)}: a list has each outlet that feeds the machine once`,
          fix: "write the other outlet that feeds this machine, or leave this one out if there is no other",
        }
      : {
          at: again.at,
          what: `this outlet is already that of the machine on line ${line(first.at)}: switching it off would take both machines down`,
          fix: "write the outlet that feeds this machine alone",
        },
  );
}

function machineCount(draft: Draft): readonly Breach[] {
  const count = draft.machines.length;
  const wanted = draft.topology === undefined ? undefined : machines_wanted[draft.topology];
  if (wanted === undefined || count === 0 || count === wanted) return [];
  const at = count > wanted ? (draft.machines[wanted]?.at ?? draft.machines_at) : draft.machines_at;
  const topology = draft.topology ?? "";
  return [
    {
      at,
      part: "key",
      what: `a ${topology} site has exactly ${counted(wanted, "machine", "machines")}, and this file has ${count}`,
      fix:
        wanted === 1
          ? "keep one machine, the control plane; workers are added later"
          : `describe two machines${count === 1 ? ", or write `topology: single`" : "; a further one would add no safety to a control plane of two"}`,
    },
  ];
}

const hosts = (spots: readonly (Spot<{ readonly host: string }> | undefined)[]) =>
  spots.flatMap((spot) =>
    spot === undefined || canonicalAddress(spot.value.host) === undefined
      ? []
      : [{ at: spot.at, value: spot.value.host }],
  );
const once = (spots: readonly Spot<string>[]) =>
  spots.filter((spot, index) => spots.findIndex((other) => other.value === spot.value) === index);

/** Exact, by the canonical form: 10.0.0.1 is not 10.0.0.10, and 2001:db8:0::1 is 2001:db8::1. */
function duplicateAddresses(draft: Draft): readonly Breach[] {
  const all = [
    ...draft.machines.flatMap((machine) => machine.addresses),
    // Two BMCs behind one address with two ports are two BMCs, and a PDU has an outlet for each machine: within
    // their kind the rules above decide.
    ...once(hosts(draft.machines.map((machine) => machine.bmc))),
    ...once(hosts(draft.machines.flatMap((machine) => machine.pdus))),
    ...(draft.api === undefined ? [] : [draft.api]),
  ];
  return repeated(all, (address) => address).map(([again, first]) => ({
    at: again.at,
    what: `the address ${again.value} is already used on line ${draft.line(first.at)}: an address is used once in a site`,
    fix: "write the address that this one really has",
  }));
}

function linkCount(draft: Draft): readonly Breach[] {
  const whole = draft.machines.filter((machine) => machine.addresses_whole);
  const [first, ...others] = whole;
  if (first === undefined) return [];
  return others
    .filter((machine) => machine.addresses.length !== first.addresses.length)
    .map((machine) => ({
      at: machine.addresses_at,
      what: `this machine has ${counted(machine.addresses.length, "address", "addresses")}, the one on line ${draft.line(first.addresses_at)} has ${first.addresses.length}: a link needs an address on both machines`,
      fix: "give every machine one address for each link, in the same order",
    }));
}

function linkFamilies(draft: Draft): readonly Breach[] {
  const [first, ...others] = draft.machines.filter((machine) => machine.addresses_whole);
  if (first === undefined) return [];
  return others.flatMap((machine) =>
    machine.addresses.flatMap((address, link) => {
      const peer = first.addresses[link];
      if (peer === undefined || family(peer.value) === family(address.value)) return [];
      return {
        at: address.at,
        what: `link ${link + 1} is IPv${family(peer.value)} on line ${draft.line(peer.at)} and IPv${family(address.value)} here: a link is of one family`,
        fix: `write an IPv${family(peer.value)} address here, or put both machines' addresses in the same order`,
      };
    }),
  );
}

function apiFamily(draft: Draft): readonly Breach[] {
  const { api } = draft;
  const addresses = draft.machines.flatMap((machine) => machine.addresses);
  if (
    api === undefined ||
    addresses.length === 0 ||
    draft.machines.some((machine) => !machine.addresses_whole)
  )
    return [];
  if (addresses.some((address) => family(address.value) === family(api.value))) return [];
  return [
    {
      at: api.at,
      what: `the API's address is IPv${family(api.value)}, and no machine has an address of that family`,
      fix: `write an IPv${family(api.value) === 4 ? 6 : 4} address from the machines' network`,
    },
  ];
}

function preferredKnown(draft: Draft): readonly Breach[] {
  const { preferred } = draft;
  const names = draft.machines.flatMap((machine) => machine.name?.value ?? []);
  if (preferred === undefined || preferred.value === preferred_leader || names.includes(preferred.value))
    return [];
  // A machine whose name was not understood may be the one that is meant.
  if (names.length < draft.machines.length) return [];
  return [
    {
      at: preferred.at,
      what: "`preferred` must be the name of one of the machines, or leader",
      fix: "write the name exactly as at the machine, or leave `preferred` out: then the name that sorts first wins",
    },
  ];
}

function stockTrust({ agent, machines }: Draft): readonly Breach[] {
  if (agent?.value !== "fence_redfish") return [];
  return machines.flatMap(({ fingerprint }) =>
    fingerprint === undefined
      ? []
      : {
          at: fingerprint.at,
          what: "`fence_redfish` can't check a fingerprint, and could not fence this machine",
          fix: "write `trust: { ca: FILE }`, or leave `agent` out: duet's own agent checks it",
        },
  );
}

function outOfBounds(spot: Spot<number> & { readonly name: string }): readonly Breach[] {
  const bound = new Map(Object.entries(timeout_bounds)).get(spot.name);
  if (bound === undefined || (spot.value >= bound.min_ms && spot.value <= bound.max_ms)) return [];
  const range = `${formatDuration(bound.min_ms)} to ${formatDuration(bound.max_ms)}`;
  return [
    {
      at: spot.at,
      what: `\`${spot.name}\` must be ${range}: ${bound.why}`,
      fix: `write a time from ${range}, or leave it out`,
    },
  ];
}

function fenceTime(draft: Draft): readonly Breach[] {
  const named = (name: string) => draft.timeouts.find((spot) => spot.name === name);
  const fence = named("fence");
  const call = named("bmc_call");
  const fence_ms = fence?.value ?? timeouts_default.fence_ms;
  const call_ms = call?.value ?? bmcCallDefault_ms(fence_ms);
  const at = fence?.at ?? call?.at;
  const told = [fence, call].some((spot) => spot !== undefined && outOfBounds(spot).length > 0);
  if (at === undefined || told || fence_ms >= 2 * call_ms) return [];
  return [
    {
      at,
      what: `\`fence\` (${formatDuration(fence_ms)}) must be at least twice \`bmc_call\` (${formatDuration(call_ms)}): one call asks for Off, another reads it`,
      fix: `write a \`fence\` of ${formatDuration(2 * call_ms)} or more, or a shorter \`bmc_call\``,
    },
  ];
}
