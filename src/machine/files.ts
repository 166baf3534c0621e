import { constants } from "node:fs";
import { type FileHandle, mkdir, open, readFile, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";

/** `ENOENT` and the like, or undefined for an error that is none of the system's. */
export function errnoOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && /^E[A-Z0-9]+$/.test(String(error.code))
    ? String(error.code)
    : undefined;
}

export function isMissing(error: unknown): boolean {
  return ["ENOENT", "ENOTDIR"].includes(errnoOf(error) ?? "");
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

/** What a file holds, or why it can't be had: `why` goes behind "the file can't be read: ". */
export type SmallFile =
  | { readonly ok: true; readonly text: string; readonly mode: number }
  | {
      readonly ok: false;
      readonly kind: "missing" | "refused" | "no-file" | "too-long";
      readonly why: string;
    };

const unread = (kind: "missing" | "refused" | "no-file" | "too-long", why: string): SmallFile => ({
  ok: false,
  kind,
  why,
});

/**
 * Reads a file that a person named and that is small by nature. The path may lead anywhere: a FIFO would hang, /dev/zero
 * would never end, so it must be a regular file, and not more of it is read than shows that it is too long.
 */
export async function readSmall(path: string, bytes_max: number): Promise<SmallFile> {
  let file: FileHandle | undefined;
  try {
    // O_NONBLOCK: opening a FIFO waits for a writer otherwise.
    file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    // Of the open file: the one behind the path may be another by now.
    const found = await file.stat();
    if (found.isDirectory()) return unread("no-file", "it is a folder");
    if (!found.isFile()) return unread("no-file", "it is no regular file");
    const bytes = await readUpTo(file, bytes_max + 1);
    if (bytes.length > bytes_max) return unread("too-long", `it is longer than ${bytes_max} bytes`);
    return { ok: true, text: bytes.toString("utf8"), mode: found.mode & 0o777 };
  } catch (error) {
    const code = errnoOf(error);
    if (code === undefined) throw error;
    if (isMissing(error)) return unread("missing", "there is no such file");
    return unread("refused", code === "EACCES" ? "you may not read it" : code);
  } finally {
    await file?.close();
  }
}

async function readUpTo(file: FileHandle, bytes_max: number): Promise<Buffer> {
  const buffer = Buffer.alloc(bytes_max);
  let length = 0;
  while (length < bytes_max) {
    const { bytesRead } = await file.read(buffer, length, bytes_max - length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return buffer.subarray(0, length);
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
  // A name of its own for each write: two writers at once must not share one. What a dead process of this number left goes.
  const beside = `${path}.${process.pid}.${++replacements}.tmp`;
  await rm(beside, { force: true });
  try {
    const file = await open(beside, "wx", mode);
    try {
      await file.chmod(mode);
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(beside, path);
  } catch (error) {
    await rm(beside, { force: true }).catch(() => undefined);
    throw error;
  }
  await syncFolder(dirname(path));
}

let replacements = 0;

/** `mkdir -p`. Not Node's own recursive one: that never ends where a folder can't be made (`/proc/x`). */
export async function makeFolder(path: string, mode = 0o755): Promise<void> {
  try {
    await mkdir(path, { mode });
  } catch (error) {
    const code = errnoOf(error);
    const above = dirname(path);
    if (code === "EEXIST" && (await stat(path)).isDirectory()) return;
    if (code !== "ENOENT" || above === path || (await exists(above))) throw error;
    await makeFolder(above, mode);
    await mkdir(path, { mode });
  }
}

export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
