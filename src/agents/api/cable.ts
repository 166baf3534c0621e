import { networkInterfaces } from "node:os";
import { canonicalAddress } from "../../site/address.ts";
import { contains, networkAround } from "../../site/network.ts";

/** An address of this machine, with the length of its network's prefix. */
export interface OwnAddress {
  readonly address: string;
  /** `192.0.2.11/24`; null where the system does not tell. */
  readonly cidr: string | null;
}

/** Those of interfaces that are up *and carry*: the system lists no others here. Nothing is started for it. */
const carrying = (): readonly OwnAddress[] =>
  Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);

/** Has this machine, on an interface that carries, an address of its own in the network of this one? */
export function isInReach(address: string, own: readonly OwnAddress[]): boolean {
  const wanted = canonicalAddress(address) ?? address;
  return own.some(({ address: mine, cidr }) => {
    if (canonicalAddress(mine) === wanted) return false;
    const network = cidr === null ? undefined : networkAround(cidr);
    return network !== undefined && contains(network, wanted);
  });
}

/**
 * The cable of the API's address. Unplugged counts only what was seen plugged before: a machine whose way into that network is none that an
 * address tells (a route alone) must not lose the address for that.
 */
export function cableOf(address: string, look: () => readonly OwnAddress[] = carrying): () => boolean {
  let seen = false;
  return () => {
    const now = isInReach(address, look());
    seen ||= now;
    return now || !seen;
  };
}
