import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import * as v from "valibot";
import { paths } from "../base/paths.ts";
import { DuetError } from "../base/problem.ts";
import type { Credentials, CredentialsRef } from "../site/site.ts";
import { credentialsLine, loadCredentials, readCredentials } from "./credentials.ts";

/** Beside a file of credentials: what will replace them, while that is not proven yet. */
export const nextOf = (path: string): string => `${path}.next`;

/** While credentials are being changed there are two, of which one is refused: first the new ones, afterwards the old ones. */
export interface Logins {
  /** Those that were taken last come first; where nothing is known, the new ones. */
  readonly inOrder: readonly Credentials[];
  readonly took: (credentials: Credentials) => void;
  /** Those that the files hold by now, without what was tried: somebody may have changed them since. */
  readonly anew: (tried: readonly Credentials[]) => Promise<readonly Credentials[]>;
}

export interface Login {
  readonly credentials: Credentials;
  readonly logins?: Logins;
}

/**
 * What a service is logged in to with. A new file that can't be read counts as none: the old one must go on working.
 * Which of two was taken is noted for all of duet's short lives of this boot: a BMC counts wrong passwords, and locks a user out
 * after some of them, and then nobody could fence.
 */
export async function loadLogin(
  ref: CredentialsRef,
  siteFolder: string,
  run: string = paths.run,
): Promise<Login> {
  if ("env" in ref) return { credentials: await loadCredentials(ref, siteFolder) };
  const path = resolve(siteFolder, ref.file);
  const logins = new FileLogins(path, await readPair(path), run);
  return { credentials: logins.pair.old, logins };
}

interface Pair {
  readonly old: Credentials;
  readonly next: Credentials | undefined;
}

/** The new ones first: they take the place of the old ones in one move, and read in the other order they could be missed in both. */
async function readPair(path: string): Promise<Pair> {
  const next = await readCredentials(nextOf(path)).catch((error: unknown) => {
    if (error instanceof DuetError) return undefined;
    throw error;
  });
  return { old: await readCredentials(path), next };
}

class FileLogins implements Logins {
  readonly pair: Pair;
  readonly #path: string;
  readonly #note: string;
  #oldFirst: boolean;

  constructor(path: string, pair: Pair, run: string) {
    this.#path = path;
    this.pair = pair;
    this.#note = `${run}/bmc-logins`;
    const noted = pair.next === undefined ? undefined : readNotes(this.#note)[path];
    this.#oldFirst = noted !== undefined && noted === markOf(path);
  }

  get inOrder(): readonly Credentials[] {
    const { old, next } = this.pair;
    if (next === undefined) return [old];
    return this.#oldFirst ? [old, next] : [next, old];
  }

  took(credentials: Credentials): void {
    const { old, next } = this.pair;
    const isOld = credentials === old;
    if (next === undefined || isOld === this.#oldFirst) return;
    this.#oldFirst = isOld;
    const mark = isOld ? markOf(this.#path) : undefined;
    writeNotes(this.#note, { ...readNotes(this.#note), [this.#path]: mark ?? "" });
  }

  async anew(tried: readonly Credentials[]): Promise<readonly Credentials[]> {
    try {
      const { old, next } = await readPair(this.#path);
      const found = next === undefined ? [old] : [next, old];
      return found.filter((each) => !tried.some((other) => isSame(each, other)));
    } catch (error) {
      if (error instanceof DuetError) return [];
      throw error;
    }
  }
}

const isSame = (a: Credentials, b: Credentials): boolean => credentialsLine(a) === credentialsLine(b);

const shape = v.record(v.string(), v.string());

/** Which file it was: after the change another one has this name. Nothing is derived from what it holds. */
function markOf(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined ? undefined : `${found.ino} ${found.mtimeMs}`;
}

function readNotes(file: string): v.InferOutput<typeof shape> {
  try {
    const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), shape), readFileSync(file, "utf8"));
    return parsed.success ? parsed.output : {};
  } catch {
    return {};
  }
}

/** A note that can't be written costs a wrong try at the next call. */
function writeNotes(file: string, notes: v.InferOutput<typeof shape>): void {
  try {
    mkdirSync(resolve(file, ".."), { recursive: true, mode: 0o700 });
    writeFileSync(`${file}.${process.pid}`, JSON.stringify(notes), { mode: 0o600 });
    renameSync(`${file}.${process.pid}`, file);
  } catch {
    // Then it is tried again in the other order.
  }
}
