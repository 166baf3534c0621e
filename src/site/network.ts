import { isIPv4 } from "node:net";
import { canonicalAddress, type Family, family } from "./address.ts";

/** A range of addresses, such as 198.18.0.0/16. */
export interface Network {
  readonly family: Family;
  readonly prefix: number;
  /** Its first address, as a number. */
  readonly base: bigint;
}

const widths = { 4: 32, 6: 128 } as const;
export const widthOf = (of: Family): number => widths[of];

/** Undefined for what is none, also where bits behind the prefix are set: nobody knows which half of such a text is wrong. */
export function parseNetwork(text: string): Network | undefined {
  const [, before = "", digits = ""] = /^([0-9a-fA-F:.]+)\/(\d{1,3})$/.exec(text) ?? [];
  const address = canonicalAddress(before);
  if (address === undefined) return undefined;
  const of = family(address);
  const prefix = Number(digits);
  if (prefix > widths[of]) return undefined;
  const base = numberOf(address);
  const found = { family: of, prefix, base };
  return base % sizeOf(found) === 0n ? found : undefined;
}

/** That of an address with the length of its prefix, such as 192.0.2.11/24. */
export function networkAround(text: string): Network | undefined {
  const [address = "", digits = ""] = text.split("/");
  const known = canonicalAddress(address);
  const prefix = Number(digits);
  if (known === undefined || !/^\d{1,3}$/.test(digits) || prefix > widths[family(known)]) return undefined;
  const found = { family: family(known), prefix };
  const number = numberOf(known);
  return { ...found, base: number - (number % sizeOf(found)) };
}

export const networkText = ({ family: of, prefix, base }: Network): string =>
  `${addressText(base, of)}/${prefix}`;

/** Its address of this number; 0 is the network's own. */
export const nthAddress = ({ family: of, base }: Network, number: number): string =>
  addressText(base + BigInt(number), of);

/** The part of this number, from 0, when it is cut into parts of this prefix. */
export const part = (network: Network, prefix: number, number: number): Network => ({
  family: network.family,
  prefix,
  base: network.base + BigInt(number) * sizeOf({ ...network, prefix }),
});

/** Of a canonical address. */
export const contains = (network: Network, address: string): boolean =>
  family(address) === network.family &&
  numberOf(address) >= network.base &&
  numberOf(address) < network.base + sizeOf(network);

export const overlap = (one: Network, other: Network): boolean =>
  one.family === other.family && one.base < other.base + sizeOf(other) && other.base < one.base + sizeOf(one);

const sizeOf = ({ family: of, prefix }: Pick<Network, "family" | "prefix">): bigint =>
  1n << BigInt(widths[of] - prefix);

function numberOf(address: string): bigint {
  if (isIPv4(address)) return address.split(".").reduce((sum, each) => sum * 256n + BigInt(each), 0n);
  const [left = "", right] = address.split("::");
  const groups = (text: string) => (text === "" ? [] : text.split(":"));
  const [head, tail] = [groups(left), groups(right ?? "")];
  const middle = Array<string>(8 - head.length - tail.length).fill("0");
  return [...head, ...middle, ...tail].reduce((sum, each) => sum * 65_536n + BigInt(`0x${each}`), 0n);
}

function addressText(number: bigint, of: Family): string {
  const [size, radix] = of === 4 ? ([4, 256n] as const) : ([8, 65_536n] as const);
  const digits: bigint[] = [];
  for (let rest = number; digits.length < size; rest /= radix) digits.unshift(rest % radix);
  if (of === 4) return digits.join(".");
  const text = digits.map((each) => each.toString(16)).join(":");
  return canonicalAddress(text) ?? text;
}
