import { join } from "node:path";
import type { Progress } from "../src/machine/progress.ts";
import { ensureGoPrograms } from "./go.ts";

/** The last of 3.5, from which 3.6 may come; Debian's own is too old for that (docs/upgrade-etcd.md). Gives the folder. */
export const ensureEtcd35 = (progress: Progress): Promise<string> =>
  ensureGoPrograms(
    {
      name: "etcd35",
      module_folder: join(import.meta.dirname, "etcd35"),
      programs: {
        etcd: "go.etcd.io/etcd/server/v3",
        etcdctl: "go.etcd.io/etcd/etcdctl/v3",
        etcdutl: "go.etcd.io/etcd/etcdutl/v3",
      },
      title: "etcd 3.5 from its Go modules (once, about a minute)",
    },
    progress,
  );
