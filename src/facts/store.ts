/** Members as etcd keeps them in JSON: in its old store inside a snapshot, and in the context of a membership change. */

export interface StoredMember {
  readonly learner: boolean;
  readonly urls: readonly string[];
}

export interface Store {
  readonly members: ReadonlyMap<bigint, StoredMember>;
  readonly removed: ReadonlySet<bigint>;
}

/** The members in a snapshot's store; undefined where it has another shape than etcd gives it. */
export function readStore(bytes: Uint8Array): Store | undefined {
  const root = child(child(parse(bytes), "Root"), "Children");
  const cluster = child(child(root, "0"), "Children");
  if (!isRecord(cluster)) return undefined;
  const members = new Map<bigint, StoredMember>();
  for (const [hex, node] of Object.entries(childrenOf(cluster["members"]))) {
    const id = memberId(hex);
    const attributes = child(childrenOf(node)["raftAttributes"], "Value");
    const member = typeof attributes === "string" ? readMember(parse(attributes)) : undefined;
    if (id === undefined || member === undefined) return undefined;
    members.set(id, member);
  }
  const removed = new Set<bigint>();
  for (const hex of Object.keys(childrenOf(cluster["removed_members"]))) {
    const id = memberId(hex);
    if (id === undefined) return undefined;
    removed.add(id);
  }
  return { members, removed };
}

export interface ChangeContext extends StoredMember {
  readonly id: bigint;
  readonly promote: boolean;
}

/** What a membership change says about its member; undefined where it has another shape than etcd gives it. */
export function readContext(bytes: Uint8Array): ChangeContext | undefined {
  const value = parse(bytes);
  const member = readMember(value);
  if (member === undefined || !isRecord(value)) return undefined;
  const { id, isPromote = false } = value;
  if (typeof id !== "bigint" || typeof isPromote !== "boolean") return undefined;
  return { ...member, id, promote: isPromote };
}

function readMember(value: unknown): StoredMember | undefined {
  if (!isRecord(value)) return undefined;
  const { peerURLs = [], isLearner = false } = value;
  if (typeof isLearner !== "boolean") return undefined;
  const urls: unknown[] = Array.isArray(peerURLs) ? peerURLs : peerURLs === null ? [] : [undefined];
  if (!urls.every((url) => typeof url === "string")) return undefined;
  return { learner: isLearner, urls };
}

function memberId(hex: string): bigint | undefined {
  return /^[0-9a-f]{1,16}$/.test(hex) ? BigInt(`0x${hex}`) : undefined;
}

/** JSON whose `id` stays exact: member ids have 64 bits, which a double would round to another member. */
function parse(text: Uint8Array | string): unknown {
  const exact = (key: string, value: unknown, context?: { readonly source?: string }): unknown => {
    const source = context?.source;
    return key === "id" && source !== undefined && /^[0-9]{1,20}$/.test(source) ? BigInt(source) : value;
  };
  try {
    return JSON.parse(typeof text === "string" ? text : Buffer.from(text).toString("utf8"), exact);
  } catch {
    return undefined;
  }
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const child = (value: unknown, name: string): unknown => (isRecord(value) ? value[name] : undefined);

function childrenOf(value: unknown): Readonly<Record<string, unknown>> {
  const children = child(value, "Children");
  return isRecord(children) ? children : {};
}
