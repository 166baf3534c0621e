import { open } from "node:fs/promises";
import { resolve } from "node:path";
import { exit, fail } from "../base/problem.ts";
import { Secret } from "../base/secret.ts";
import type { Credentials, CredentialsRef } from "../site/site.ts";
import { isMissing } from "./files.ts";

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
  const path = resolve(siteFolder, ref.file);
  return parseCredentials(await readPrivate(path), path);
}

async function readPrivate(path: string): Promise<string> {
  const file = await open(path, "r").catch((error: unknown) => {
    if (isMissing(error))
      missing(path, "there is no such file", "write one line into it, username:password, and chmod 600 it");
    missing(
      path,
      "the file can't be opened",
      "make it readable for the user who runs duet, and for nobody else",
    );
  });
  try {
    // Of the open file: the one behind the path may be another by now.
    const { mode, size } = await file.stat();
    if ((mode & 0o077) !== 0)
      fail(
        "DUET-E-CREDENTIALS-MODE",
        path,
        `other users may read this file (mode ${(mode & 0o777).toString(8)}), and it holds a password`,
        `chmod 600 ${path}`,
        exit.badInput,
      );
    if (size > bytes_max) wrongForm(path);
    return await file.readFile("utf8").catch(() => wrongForm(path));
  } finally {
    await file.close();
  }
}

/** One line, split at the first colon. Nothing in it is special: not `$`, not a quote, not a blank. */
function parseCredentials(text: string, where: string): Credentials {
  const line = text.replace(/\r?\n$/, "");
  const colon = line.indexOf(":");
  if (colon < 1 || colon === line.length - 1 || /[\r\n\0]/.test(line)) wrongForm(where);
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
