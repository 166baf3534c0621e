import { open, readFile, rename, stat } from "node:fs/promises";
import { dirname } from "node:path";

export function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR");
}

/** The file's text, or undefined where there is none; every other failure is thrown. */
export async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

export async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

/** Replace a file so that a crash leaves the old or the new one: synced beside it, renamed, folder synced. */
export async function replaceSynced(path: string, content: string | Uint8Array, mode = 0o644): Promise<void> {
  const beside = `${path}.tmp`;
  const file = await open(beside, "w", mode);
  try {
    await file.chmod(mode);
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(beside, path);
  await syncFolder(dirname(path));
}

export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
