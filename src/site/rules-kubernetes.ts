import { canonicalAddress, family } from "./address.ts";
import type { Draft, Spot } from "./draft.ts";
import { network_bounds, networksDefault } from "./kubernetes.ts";
import { contains, networkText, overlap, parseNetwork } from "./network.ts";
import type { Breach } from "./rules.ts";

type Named = Draft["networks"][number];

const firstFamily = ({ machines }: Draft) => {
  const first = machines.find((machine) => machine.addresses_whole)?.addresses[0];
  return first === undefined ? undefined : { family: family(first.value), at: first.at };
};

export function networkFamily(draft: Draft): readonly Breach[] {
  const first = firstFamily(draft);
  if (first === undefined) return [];
  return draft.networks
    .filter(({ value }) => value.family !== first.family)
    .map(({ at, name, value }) => ({
      at,
      what: `\`${name}\` is IPv${value.family}, and the machines' first link is IPv${first.family} (line ${draft.line(first.at)})`,
      fix: `write an IPv${first.family} network, such as ${networksDefault(first.family)[name]}, or leave it out`,
    }));
}

export function networkSize(draft: Draft): readonly Breach[] {
  return draft.networks.flatMap(({ at, name, value }) => {
    const { min, max } = network_bounds[value.family][name];
    if (value.prefix >= min && value.prefix <= max) return [];
    const why =
      name === "services"
        ? "Kubernetes takes no larger one, and in a smaller one services would run out of addresses"
        : `each machine gets one /${network_bounds[value.family].machine} of it`;
    return [
      {
        at,
        what: `\`${name}\` must be a /${min} to a /${max}: ${why}`,
        fix: `write a network such as ${networksDefault(value.family)[name]}`,
      },
    ];
  });
}

/** A pod that has the address of a machine, or a service that has a pod's, can't be reached by somebody. */
export function networkOverlap(draft: Draft): readonly Breach[] {
  const all = draft.kubernetes === undefined ? [] : networksOf(draft);
  return [...ofEachOther(draft, all), ...all.flatMap((each) => ofAddresses(draft, each))];
}

/** With those that are left out, told where `kubernetes:` stands. */
function networksOf(draft: Draft): readonly Named[] {
  const first = firstFamily(draft);
  return (["pods", "services"] as const).flatMap((name) => {
    const written = draft.networks.find((each) => each.name === name);
    if (written !== undefined) return [written];
    const value = first === undefined ? undefined : parseNetwork(networksDefault(first.family)[name]);
    return value === undefined ? [] : [{ name, value, at: draft.kubernetes ?? [] }];
  });
}

function ofEachOther(draft: Draft, all: readonly Named[]): readonly Breach[] {
  const [pods, services] = all;
  if (pods === undefined || services === undefined || !overlap(pods.value, services.value)) return [];
  const [spot, other] = draft.networks.some(({ name }) => name === "services")
    ? [services, pods]
    : [pods, services];
  return [
    {
      at: spot.at,
      what: `\`${spot.name}\` shares addresses with \`${other.name}\` (${networkText(other.value)})`,
      fix: "write two networks that do not overlap",
    },
  ];
}

function ofAddresses(draft: Draft, { name, value, at }: Named): readonly Breach[] {
  const hosts = draft.machines.flatMap(({ bmc, pdus }) => [bmc, ...pdus]).flatMap((each) => each ?? []);
  const spots: readonly Spot<string>[] = [
    ...draft.machines.flatMap((machine) => machine.addresses),
    ...hosts.map((each) => ({ at: each.at, value: each.value.host })),
    ...(draft.api === undefined ? [] : [draft.api]),
  ];
  const inside = spots.find(
    (each) => canonicalAddress(each.value) !== undefined && contains(value, each.value),
  );
  if (inside === undefined) return [];
  return [
    {
      at,
      what: `\`${name}\` (${networkText(value)}) holds ${inside.value} of line ${draft.line(inside.at)}: its addresses must be nobody's`,
      fix: "write a network that is used for nothing else where the machines are",
    },
  ];
}
