import { resolve } from "node:path";
import { readIfThere } from "../../machine/files.ts";
import type { CheckContext } from "./context.ts";
import type { Finding } from "./finding.ts";

const public_key =
  /^(?:ssh-(?:ed25519|rsa)|ecdsa-sha2-nistp\d+|sk-[\w-]+@openssh\.com) [A-Za-z0-9+/]+=*( .*)?$/;

/** The files of `ssh_key`: there, and public. A private key here would end up on both machines. */
export async function checkSshKeys({ site, folder }: CheckContext): Promise<readonly Finding[]> {
  return Promise.all(
    site.ssh_keys.map(async (name) => {
      const text = await readIfThere(resolve(folder, name)).catch(() => undefined);
      return judgeKey(name, text);
    }),
  );
}

export function judgeKey(name: string, text: string | undefined): Finding {
  const base = { subject: "site", check: "ssh key" };
  if (text === undefined)
    return {
      ...base,
      mark: "fail",
      detail: `${name} can't be read`,
      fix: "put the public key there, or correct `ssh_key`",
    };
  if (text.includes("PRIVATE KEY"))
    return {
      ...base,
      mark: "fail",
      detail: `${name} is a private key`,
      fix: `write the public one instead, ${name}.pub`,
    };
  const lines = text.split("\n").filter((line) => line.trim() !== "" && !line.startsWith("#"));
  if (lines.length === 0 || !lines.every((line) => public_key.test(line.trim())))
    return {
      ...base,
      mark: "fail",
      detail: `${name} holds no public key`,
      fix: "one key per line, as in a .pub file of ssh-keygen: type, key, comment",
    };
  return { ...base, mark: "ok", detail: name };
}
