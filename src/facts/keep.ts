import { createHash } from "node:crypto";
import { type FileHandle, link, mkdir, open, readdir, readFile, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { fail } from "../base/problem.ts";
import { exists, replaceSynced, syncFolder } from "../machine/files.ts";

/** In the form of `sha256sum`, so that anybody can check a copy without duet. */
export const sums_name = "SHA256SUMS";

const piece_bytes = 1 << 20;
const zeros = Buffer.alloc(piece_bytes);

/** Copies that are being made in this process: a caller who lost patience comes again while the first one still writes. */
const making = new Map<string, Promise<void>>();

/**
 * Keeps a WAL as it is in `copy`, synced; a copy that is there already stays as it is, since it is from before this takeover's
 * first try. Old segments never change again, so they are linked (in no time, on the same disk), and hashed later
 * (`hashOneKept`): a takeover waits for this. The newest is copied, with its hash. The copy gets its name only when it is whole.
 */
export async function keepWal(segments: readonly string[], copy: string): Promise<void> {
  const begun = making.get(copy) ?? keep(segments, copy).finally(() => making.delete(copy));
  making.set(copy, begun);
  await begun;
}

async function keep(segments: readonly string[], copy: string): Promise<void> {
  if (await exists(copy)) {
    if (!(await exists(join(copy, sums_name)))) notOurs(copy);
    return;
  }
  const beside = `${copy}.tmp`;
  await rm(beside, { recursive: true, force: true });
  await mkdir(beside, { recursive: true, mode: 0o700 });
  const sums: string[] = [];
  for (const [n, path] of segments.entries()) {
    const to = join(beside, basename(path));
    const isNewest = n === segments.length - 1;
    if (isNewest || !(await linked(path, to))) sums.push(sumLine(await copyFile(path, to), to));
  }
  await writeSynced(join(beside, sums_name), sums.join(""));
  await syncFolder(beside);
  await rename(beside, copy);
  await syncFolder(dirname(copy));
}

/** Gives one file of a copy its hash, so that nobody has to wait for more than one. False: each has one. */
export async function hashOneKept(copy: string): Promise<boolean> {
  const sums = join(copy, sums_name);
  const before = await readFile(sums, "utf8");
  const listed = new Set(before.split("\n").map((line) => line.split("  ")[1]));
  const name = (await readdir(copy)).toSorted().find((each) => each.endsWith(".wal") && !listed.has(each));
  if (name === undefined) return false;
  await replaceSynced(sums, before + sumLine(await hashFile(join(copy, name)), name), 0o600);
  return true;
}

/** Whether a copy still is what was kept, as far as its hashes say. */
export async function checkKept(copy: string): Promise<boolean> {
  const lines = (await readFile(join(copy, sums_name), "utf8")).trimEnd().split("\n");
  for (const line of lines) {
    const [hash = "", name = ""] = line.split("  ");
    if (!(await exists(join(copy, name))) || (await hashFile(join(copy, name))) !== hash) return false;
  }
  return true;
}

const sumLine = (hash: string, path: string): string => `${hash}  ${basename(path)}\n`;

/** False where the copy is on another disk, or the file system has no links. */
async function linked(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if (
      error instanceof Error &&
      "code" in error &&
      ["EXDEV", "EPERM", "EMLINK"].includes(String(error.code))
    )
      return false;
    throw error;
  }
}

/** Copies what is not zero: a segment is 64 MB however little is in it. Gives the hash of the whole. */
async function copyFile(from: string, to: string): Promise<string> {
  await using target = await open(to, "wx", 0o600);
  const hash = await forEachPiece(from, async (piece, position) => {
    if (piece.compare(zeros, 0, piece.length) !== 0) await writeAll(target, piece, position);
  });
  await target.truncate(hash.bytes);
  await target.sync();
  return hash.hex;
}

export async function hashFile(path: string): Promise<string> {
  return (await forEachPiece(path, async () => {})).hex;
}

async function forEachPiece(
  path: string,
  use: (piece: Buffer, position: number) => Promise<void>,
): Promise<{ hex: string; bytes: number }> {
  const hash = createHash("sha256");
  const buffer = Buffer.allocUnsafeSlow(piece_bytes);
  await using source = await open(path, "r");
  for (let position = 0; ; ) {
    const { bytesRead } = await source.read(buffer, 0, piece_bytes, position);
    if (bytesRead === 0) return { hex: hash.digest("hex"), bytes: position };
    const piece = buffer.subarray(0, bytesRead);
    hash.update(piece);
    await use(piece, position);
    position += bytesRead;
  }
}

export async function writeAll(file: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done, position + done);
    done += bytesWritten;
  }
}

async function writeSynced(path: string, text: string): Promise<void> {
  await using file = await open(path, "wx", 0o600);
  await file.writeFile(text);
  await file.sync();
}

function notOurs(copy: string): never {
  fail(
    "DUET-E-WAL-COPY",
    copy,
    `there is something where the copy of the WAL would go, and it has no ${sums_name}`,
    "see what it is, and move it away",
  );
}
