import { mkdir, mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { FileSet } from "./testing.ts";
import { segment_bytes } from "./wal.ts";

/** For tests: a member's files on disk, as etcd would leave them, with the newest segment as long as it makes each. */
export async function writeFiles(folder: string, files: FileSet): Promise<string> {
  const segments = [...files.keys()].filter((name) => name.endsWith(".wal"));
  const newest = segments.toSorted().at(-1);
  await mkdir(join(folder, "member", "snap"), { recursive: true });
  for (const [name, bytes] of files) {
    const path = join(folder, "member", name);
    await mkdir(dirname(path), { recursive: true });
    await using file = await open(path, "w");
    await file.writeFile(bytes);
    if (name === newest) await file.truncate(segment_bytes);
  }
  return folder;
}

/** A scratch folder, gone at the end. */
export async function scratchFolder(): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await mkdtemp(join(tmpdir(), "duet-facts-"));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}
