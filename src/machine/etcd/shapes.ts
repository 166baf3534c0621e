import * as v from "valibot";

/**
 * etcd's answers as its JSON gateway gives them, as far as duet reads them: fields that are zero, false or empty are left out,
 * and 64-bit numbers are strings. One that came as a number would be rounded to another member's id: that is refused.
 */
const u64 = v.pipe(v.string(), v.regex(/^[0-9]{1,20}$/));
const count = v.optional(
  v.pipe(
    u64,
    v.transform((text) => Number(text)),
    v.safeInteger(),
  ),
  "0",
);

/** Hexadecimal, as etcd's own tools print it: everywhere in duet but in etcd's requests. */
const id = v.pipe(
  u64,
  v.transform((text) => BigInt(text).toString(16)),
);

const header = v.object({ cluster_id: id, member_id: id, raft_term: count });

export const status_shape = v.object({
  header,
  version: v.string(),
  /** Left out where there is none. */
  leader: v.optional(id),
  isLearner: v.optional(v.boolean(), false),
  raftTerm: count,
  raftIndex: count,
  raftAppliedIndex: count,
  dbSize: count,
  dbSizeInUse: count,
  errors: v.optional(v.array(v.string()), []),
});

const member = v.object({
  ID: id,
  /** Left out until it has started for the first time. */
  name: v.optional(v.string(), ""),
  peerURLs: v.optional(v.array(v.string()), []),
  clientURLs: v.optional(v.array(v.string()), []),
  isLearner: v.optional(v.boolean(), false),
});

export const members_shape = v.object({ header, members: v.optional(v.array(member), []) });

/** Some versions leave out a header of a kind that others give; nothing in it is read. */
export const empty_shape = v.object({});

const base64 = v.pipe(v.string(), v.base64());
const text = v.pipe(
  base64,
  v.transform((encoded) => Buffer.from(encoded, "base64").toString()),
);

export const range_shape = v.object({
  kvs: v.optional(v.array(v.object({ key: text, value: v.optional(text, ""), mod_revision: count })), []),
  count,
});

export const delete_shape = v.object({ deleted: count });

/** A lease's number is only handed on: it stays as it came. */
export const lease_shape = v.object({ ID: u64 });

export const txn_shape = v.object({ succeeded: v.optional(v.boolean(), false) });

/** `not_decided` right after the first start of a cluster. */
export const versions_shape = v.object({ etcdserver: v.string(), etcdcluster: v.string() });

export const health_shape = v.object({
  health: v.picklist(["true", "false"]),
  reason: v.optional(v.string(), ""),
});
