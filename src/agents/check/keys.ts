import { loadSshKeys } from "../../machine/ssh-keys.ts";
import type { CheckContext } from "./context.ts";
import { type Finding, told } from "./finding.ts";

/** The files of `ssh_key`: there, and public. A private key here would end up on both machines. */
export async function checkSshKeys({ site, folder }: CheckContext): Promise<readonly Finding[]> {
  const base = { subject: "site", check: "ssh key" } as const;
  return Promise.all(
    site.ssh_keys.map((name) =>
      loadSshKeys(name, folder).then(
        (): Finding => ({ ...base, mark: "ok", detail: name }),
        told(base.subject, base.check),
      ),
    ),
  );
}
