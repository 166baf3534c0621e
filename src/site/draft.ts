import { canonicalAddress, type HostPort, parseEndpoint } from "./address.ts";
import { parseDuration } from "./duration.ts";
import { type Network, parseNetwork } from "./network.ts";
import { isRecord } from "./keys.ts";
import type { Path, Source } from "./source.ts";

/** A value that was understood, and where it stands. */
export interface Spot<T> {
  readonly value: T;
  readonly at: Path;
}

/** What could be understood of a file, also of one that has other faults: so all faults are told at once. */
export interface Draft {
  readonly topology?: string;
  readonly machines: readonly DraftMachine[];
  readonly machines_at: Path;
  readonly api?: Spot<string>;
  /** What is written of the networks of pods and services. */
  readonly networks: readonly (Spot<Network> & { readonly name: "pods" | "services" })[];
  /** Where `kubernetes:` stands, if it does. */
  readonly kubernetes?: Path;
  readonly agent?: Spot<string>;
  readonly preferred?: Spot<string>;
  readonly timeouts: readonly (Spot<number> & { readonly name: string })[];
  readonly line: (at: Path) => number;
}

export interface DraftMachine {
  readonly at: Path;
  readonly name?: Spot<string>;
  readonly addresses: readonly Spot<string>[];
  /** False where an entry was not understood, and counting would accuse the wrong one. */
  readonly addresses_whole: boolean;
  readonly addresses_at: Path;
  readonly bmc?: Spot<HostPort>;
  readonly fingerprint?: Spot<string>;
  /** `outlet` is undefined where it was not understood, and comparing would accuse the wrong one. */
  readonly pdus: readonly Spot<HostPort & { readonly outlet: string | undefined }>[];
}

export function draftOf(source: Source): Draft {
  const { data } = source;
  const topology = text(data, "topology");
  const api = spot(data, ["api", "address"], canonicalAddress);
  const agent = spot(data, ["fencing", "agent"], (value) => value);
  const preferred = spot(data, ["fencing", "preferred"], (value) => value);
  const machines = get(data, "machines");
  const timeouts = ["token", "bmc_call", "fence"].flatMap((name) => {
    const found = spot(data, ["timeouts", name], parseDuration);
    return found === undefined ? [] : [{ ...found, name }];
  });
  const networks = (["pods", "services"] as const).flatMap((name) => {
    const found = spot(data, ["kubernetes", name], parseNetwork);
    return found === undefined ? [] : [{ ...found, name }];
  });
  return {
    networks,
    ...(isRecord(get(data, "kubernetes")) ? { kubernetes: ["kubernetes"] } : {}),
    ...(topology === undefined ? {} : { topology }),
    machines: Array.isArray(machines) ? machines.map((each, index) => draftMachine(data, each, index)) : [],
    machines_at: ["machines"],
    ...(api === undefined ? {} : { api }),
    ...(agent === undefined ? {} : { agent }),
    ...(preferred === undefined ? {} : { preferred }),
    timeouts,
    line: (at) => source.line(at),
  };
}

function draftMachine(data: unknown, machine: unknown, index: number): DraftMachine {
  const at: Path = ["machines", index];
  const listed = get(machine, "addresses");
  const written = Array.isArray(listed) ? listed : [];
  const addresses = written.flatMap((_, link) => {
    const found = spot(data, [...at, "addresses", link], canonicalAddress);
    return found === undefined ? [] : [found];
  });
  const name = spot(data, [...at, "name"], (value) => value);
  const bmc = spot(data, [...at, "bmc", "address"], parseEndpoint);
  const fingerprint = spot(data, [...at, "bmc", "trust", "fingerprint"], (value) => value);
  return {
    at,
    ...(name === undefined ? {} : { name }),
    addresses,
    addresses_whole: written.length > 0 && addresses.length === written.length,
    addresses_at: [...at, "addresses"],
    ...(bmc === undefined ? {} : { bmc }),
    ...(fingerprint === undefined ? {} : { fingerprint }),
    pdus: draftOutlets(data, [...at, "pdu"]),
  };
}

/** One outlet, or a list of them. */
function draftOutlets(data: unknown, at: Path): DraftMachine["pdus"] {
  const written = at.reduce(get, data);
  const each = Array.isArray(written) ? written.map((_, index) => [...at, index]) : [at];
  return each.flatMap((path) => {
    const found = spot(data, [...path, "address"], parseEndpoint);
    if (found === undefined) return [];
    return [{ at: found.at, value: { ...found.value, outlet: text(path.reduce(get, data), "outlet") } }];
  });
}

function get(data: unknown, key: string | number): unknown {
  if (Array.isArray(data)) {
    const entry: unknown = typeof key === "number" ? data[key] : undefined;
    return entry;
  }
  return isRecord(data) && Object.hasOwn(data, key) ? data[key] : undefined;
}

function text(data: unknown, key: string): string | undefined {
  const value = get(data, key);
  return typeof value === "string" ? value : undefined;
}

function spot<T>(data: unknown, at: Path, read: (text: string) => T | undefined): Spot<T> | undefined {
  const found = at.reduce(get, data);
  const value = typeof found === "string" ? read(found) : undefined;
  return value === undefined ? undefined : { value, at };
}
