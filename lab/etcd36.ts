import { join } from "node:path";
import type { Progress } from "../src/machine/progress.ts";
import { ensureGoPrograms, type GoPrograms } from "./go.ts";

/**
 * etcd 3.6 is in no Debian yet: it is built from its Go modules. Tests run it here, and the machines of labs with Kubernetes have
 * it; one build is for both, so that what only tests need is in it too.
 */
export const etcd36: GoPrograms = {
  name: "etcd36",
  module_folder: join(import.meta.dirname, "etcd36"),
  programs: {
    etcd: "go.etcd.io/etcd/server/v3",
    etcdctl: "go.etcd.io/etcd/etcdctl/v3",
    etcdutl: "go.etcd.io/etcd/etcdutl/v3",
    "etcd-dump-logs": "go.etcd.io/etcd/v3/tools/etcd-dump-logs",
    oracle: "./oracle",
  },
  title: "etcd 3.6 from its Go modules (once, about a minute)",
};

/** Gives the folder with these programs. */
export const ensureEtcd36 = (progress: Progress): Promise<string> => ensureGoPrograms(etcd36, progress);
