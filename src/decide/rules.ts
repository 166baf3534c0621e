import type { Table } from "./rule.ts";
import { etcdTable } from "./rules-etcd.ts";
import { fenceTable } from "./rules-fence.ts";
import { leaveTable } from "./rules-leave.ts";
import { startTable } from "./rules-start.ts";
import { tagsTable } from "./rules-tags.ts";
import { takeoverTable } from "./rules-takeover.ts";

/** All that duet decides by. */
export interface Tables {
  readonly start: Table;
  readonly takeover: Table;
  readonly fence: Table;
  readonly leave: Table;
  readonly etcd: Table;
  readonly tags: Table;
}

export const tables: Tables = {
  start: startTable,
  takeover: takeoverTable,
  fence: fenceTable,
  leave: leaveTable,
  etcd: etcdTable,
  tags: tagsTable,
};

export const tableNames = ["start", "takeover", "fence", "leave", "etcd", "tags"] as const;
export type TableName = (typeof tableNames)[number];
