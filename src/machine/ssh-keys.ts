import { resolve } from "node:path";
import { exit, fail } from "../base/problem.ts";
import { readSmall } from "./files.ts";

const bytes_max = 64 << 10;

/**
 * The public keys in a file that `ssh_key` names, line by line. What it holds ends up in authorized_keys of both machines,
 * so a private key and anything that sshd would skip are refused; problems never repeat what the file holds.
 */
export async function loadSshKeys(name: string, siteFolder: string): Promise<readonly string[]> {
  const path = resolve(siteFolder, name);
  const file = await readSmall(path, bytes_max);
  if (!file.ok)
    refuse(path, `the public key can't be read: ${file.why}`, "put it there, or correct `ssh_key`");
  if (/PRIVATE KEY|PuTTY-User-Key-File/.test(file.text))
    refuse(path, "this is a private key", `name the public one instead, often ${name}.pub`);
  const lines = file.text.split("\n").map((line) => line.trim());
  const keys = lines.filter((line) => line !== "" && !line.startsWith("#"));
  if (keys.length === 0 || !keys.every(isPublicKey))
    refuse(
      path,
      keys.length === 0 ? "this file holds no public key" : "a line of this file is no public key",
      "one key per line, as in a .pub file of ssh-keygen: type, key, comment",
    );
  return keys;
}

const public_key =
  /^(ssh-(?:ed25519|rsa)|ecdsa-sha2-nistp\d+|sk-[\w-]+@openssh\.com) ([A-Za-z0-9+/]+=*)(?: \P{Cc}*)?$/u;

/** A type that sshd knows, and a blob that begins with the length and name of the same type. */
function isPublicKey(line: string): boolean {
  const [, type = "", blob = ""] = public_key.exec(line) ?? [];
  const bytes = Buffer.from(blob, "base64");
  return (
    type !== "" &&
    bytes.length > 4 + type.length &&
    bytes.readUInt32BE(0) === type.length &&
    bytes.toString("latin1", 4, 4 + type.length) === type
  );
}

function refuse(path: string, what: string, fix: string): never {
  fail("DUET-E-SSH-KEY", path, what, fix, exit.badInput);
}
