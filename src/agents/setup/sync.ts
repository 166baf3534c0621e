import { run } from "../../machine/process.ts";

const sync_ms = 120_000;

/** What a first boot wrote and did not sync: host keys, certificates, the cluster's configuration, duet's own files. */
const folders = ["/etc", "/root", "/usr/local", "/var/lib"] as const;

/**
 * Only the file systems that hold these: a bare `sync` waits for every one that is mounted, and somebody's dead network disk would
 * hold up the setup for good.
 */
export async function syncOwn(): Promise<void> {
  await run(["sync", "--file-system", ...folders], { deadline_ms: sync_ms });
}
