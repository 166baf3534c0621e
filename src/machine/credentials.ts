import { resolve } from "node:path";
import { exit, fail } from "../base/problem.ts";
import { Secret } from "../base/secret.ts";
import { shellWord } from "../base/text.ts";
import type { Credentials, CredentialsRef } from "../site/site.ts";
import { readSmall } from "./files.ts";

const bytes_max = 4096;

/** Reads the credentials that a reference of the site file names. Problems name the reference, never what it holds. */
export async function loadCredentials(ref: CredentialsRef, siteFolder: string): Promise<Credentials> {
  if ("env" in ref) {
    const where = `environment variable ${ref.env}`;
    const line = process.env[ref.env];
    if (line === undefined || line === "")
      missing(where, `it is not set`, `set ${ref.env} to username:password before you call duet`);
    return parseCredentials(line, where);
  }
  return await readCredentials(resolve(siteFolder, ref.file));
}

async function readPrivate(path: string): Promise<string> {
  const file = await readSmall(path, bytes_max);
  if (!file.ok && file.kind === "too-long") wrongForm(path);
  if (!file.ok && file.kind === "missing") missing(path, file.why, createWith(path));
  if (!file.ok) missing(path, file.why, "name a file that you, and nobody else, may read");
  if ((file.mode & 0o077) !== 0)
    fail(
      "DUET-E-CREDENTIALS-MODE",
      path,
      `other users may read this file (mode ${file.mode.toString(8)}), and it holds a password`,
      `chmod 600 ${shellWord(path)}`,
      exit.badInput,
    );
  return file.text;
}

/** The same line, as a file holds it. */
export const credentialsLine = ({ username, password }: Credentials): string =>
  `${username}:${password.reveal()}\n`;

/** The credentials in a file that only its owner may read. */
export async function readCredentials(path: string): Promise<Credentials> {
  return parseCredentials(await readPrivate(path), path);
}

const createWith = (path: string): string =>
  `create it with \`(umask 077; cat > ${shellWord(path)})\`: one line, username:password, Enter, Ctrl-D`;

/**
 * One line, split at the first colon. Nothing in it is special: not `$`, not a quote, not a blank; but for the end: the
 * stock fence agent cuts blanks off there (Python's rstrip), so fencing would fail where every other login works.
 */
export function parseCredentials(text: string, where: string): Credentials {
  const line = text.replace(/\r?\n$/, "");
  const colon = line.indexOf(":");
  if (colon < 1 || colon === line.length - 1 || /[\r\n\0]/.test(line)) wrongForm(where);
  if (/[\s\p{Cc}]$/u.test(line))
    fail(
      "DUET-E-CREDENTIALS-BLANK",
      where,
      "the password ends with a blank, which the fence agent would cut off: fencing would fail",
      "remove the blank if it is not part of the password; else give the BMC a password that ends with another character",
      exit.badInput,
    );
  return { username: line.slice(0, colon), password: new Secret(line.slice(colon + 1)) };
}

function missing(where: string, what: string, fix: string): never {
  fail("DUET-E-CREDENTIALS-MISSING", where, `the credentials can't be read: ${what}`, fix, exit.badInput);
}

function wrongForm(where: string): never {
  fail(
    "DUET-E-CREDENTIALS-FORM",
    where,
    "credentials are one line, username:password",
    "write exactly that one line; the password may have any characters, and needs no quotes",
    exit.badInput,
  );
}
