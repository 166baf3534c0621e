import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { paths } from "../../base/paths.ts";
import { isMissing } from "../../machine/files.ts";

/**
 * How much of its leader's database has come so far. etcd writes it to `tmp…` beside its own database, and tells of it nowhere: until it is
 * whole the learner's log is empty, and its port often closed. Null: it receives none.
 */
export async function receiving_bytes(data: string = paths.etcdData): Promise<number | null> {
  const folder = join(data, "member", "snap");
  const sizes: number[] = [];
  try {
    for (const name of await readdir(folder))
      if (name.startsWith("tmp")) sizes.push((await stat(join(folder, name))).size);
  } catch (error) {
    // Renamed or moved aside in this moment.
    if (!isMissing(error)) throw error;
  }
  return sizes.length === 0 ? null : Math.max(...sizes);
}
