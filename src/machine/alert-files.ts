import { resolve } from "node:path";
import { exit, fail } from "../base/problem.ts";
import { Secret } from "../base/secret.ts";
import { shellWord } from "../base/text.ts";
import { isHttps } from "../site/alert-schema.ts";
import { readSmall } from "./files.ts";

const bytes_max = 8192;
const headers_max = 16;

export type Header = readonly [name: string, value: Secret];

/** `Name: value` on each line; empty lines and those that begin with `#` say nothing. Problems never repeat what the file holds. */
export async function loadHeaders(file: string, siteFolder: string): Promise<readonly Header[]> {
  const path = resolve(siteFolder, file);
  const lines = (await readPrivate(path))
    .split(/\r?\n/)
    .filter((line) => line !== "" && !line.startsWith("#"));
  const headers = lines.map((line): Header => {
    const [, name = "", value = ""] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*(\S.*?)[ \t]*$/.exec(line) ?? [];
    if (name === "" || /[^\t\x20-\x7e\x80-\xff]/.test(value) || own.has(name.toLowerCase()))
      wrongHeaders(path);
    return [name, new Secret(value)];
  });
  if (headers.length === 0 || headers.length > headers_max) wrongHeaders(path);
  return headers;
}

/** These are the call's own. */
const own = new Set(["content-length", "content-type", "host", "transfer-encoding", "connection"]);

function wrongHeaders(path: string): never {
  refuse(
    path,
    `each line must be a header, \`Name: value\`, at most ${headers_max} of them, in plain ASCII, and none that duet writes itself`,
    "write a line such as `Authorization: Bearer …`",
  );
}

/** One line, the address of a webhook that has a token in it. */
export async function loadHookUrl(file: string, siteFolder: string): Promise<Secret> {
  const path = resolve(siteFolder, file);
  const line = (await readPrivate(path)).replace(/\r?\n$/, "");
  if (!isHttps(line))
    refuse(path, "this file must hold one line, an address that begins with https://", "put it there");
  return new Secret(line);
}

async function readPrivate(path: string): Promise<string> {
  const file = await readSmall(path, bytes_max);
  if (!file.ok)
    refuse(
      path,
      `the file can't be read: ${file.why}`,
      file.kind === "missing"
        ? `create it with \`(umask 077; cat > ${shellWord(path)})\``
        : "name a file that you, and nobody else, may read",
    );
  if ((file.mode & 0o077) !== 0)
    refuse(
      path,
      `other users may read this file (mode ${file.mode.toString(8)}), and it holds a secret`,
      `chmod 600 ${shellWord(path)}`,
    );
  return file.text;
}

function refuse(where: string, what: string, fix: string): never {
  fail("DUET-E-ALERT-FILE", where, what, fix, exit.badInput);
}
