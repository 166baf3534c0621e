import { open, readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import * as v from "valibot";
import { isMissing } from "../src/machine/files.ts";

export const checkout = dirname(import.meta.dirname);

/** Not ours, or made. */
const skipped = new Set(["node_modules", "dist", ".git"]);

/** Every file of the tree by its path from the checkout, sorted. Not by `git ls-files`: a box may have no git. */
export async function treeFiles(): Promise<readonly string[]> {
  const found: string[] = [];
  const waiting = [""];
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    for (const entry of await readdir(join(checkout, folder), { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (skipped.has(entry.name)) continue;
      if (entry.isDirectory()) waiting.push(path);
      else if (entry.isFile() && !entry.name.endsWith(".tmp")) found.push(path);
    }
  }
  return found.toSorted();
}

const packageSchema = v.object({
  dependencies: v.record(v.string(), v.string()),
  devDependencies: v.record(v.string(), v.string()),
  scripts: v.record(v.string(), v.string()),
});

export async function packageJson(): Promise<v.InferOutput<typeof packageSchema>> {
  return v.parse(packageSchema, JSON.parse(await readFile(join(checkout, "package.json"), "utf8")));
}

/** TypeScript of these folders, with its text. A file that goes away meanwhile is left out. */
export async function sources(...folders: readonly string[]): Promise<readonly Source[]> {
  const found: Source[] = [];
  for (const path of await treeFiles()) {
    if (!path.endsWith(".ts") || !folders.some((folder) => path.startsWith(`${folder}/`))) continue;
    try {
      found.push({ path, text: await readFile(join(checkout, path), "utf8") });
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
  }
  return found;
}

export interface Source {
  readonly path: string;
  readonly text: string;
}

/** Shell files have no ending here: their first line tells. */
export async function shellFiles(): Promise<readonly string[]> {
  const found: string[] = [];
  for (const path of await treeFiles()) {
    if (isShell(path, await firstLine(join(checkout, path)))) found.push(path);
  }
  return found;
}

export function isShell(path: string, first_line: string): boolean {
  return path.endsWith(".sh") || /^#!\s*\/(usr\/)?bin\/(env\s+)?(ba|da)?sh\b/.test(first_line);
}

async function firstLine(path: string): Promise<string> {
  const file = await open(path, "r");
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(128), 0, 128, 0);
    return buffer.toString("latin1", 0, bytesRead).split("\n", 1)[0] ?? "";
  } finally {
    await file.close();
  }
}
