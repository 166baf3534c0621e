import { writeFile } from "node:fs/promises";
import { ownSeat, whoSpeaks } from "../agents/admin/who.ts";
import { readInput } from "../agents/fence/machine.ts";
import {
  adminKubeconfig,
  daysOf,
  requireKubernetes,
  signBySsh,
  signHere,
} from "../agents/kubernetes/admin.ts";
import { paths } from "../base/paths.ts";
import { exit, type ExitStatus, fail } from "../base/problem.ts";
import { errnoOf, replaceSynced } from "../machine/files.ts";
import { loadSite } from "../machine/site-file.ts";
import { printJson } from "./output.ts";
import { placeOf } from "./place.ts";

export interface KubeconfigOptions {
  readonly output: string;
  readonly days: string;
  readonly force?: boolean;
  readonly sign?: boolean;
  readonly sshConfig?: string;
  readonly json?: boolean;
}

const print = "-";

export async function kubeconfigCommand(
  file: string | undefined,
  options: KubeconfigOptions,
): Promise<ExitStatus> {
  const count = daysOf(options.days);
  const place = await placeOf("duet kubeconfig", file);
  const here = place.at === "machine";
  const where = here ? paths.site : place.file;
  const site = requireKubernetes(here ? await loadSite(where) : place.site, where);
  const who = whoSpeaks(await ownSeat(process.stdin.isTTY));
  if (options.sign === true) {
    if (!here)
      fail(
        "DUET-E-USAGE",
        "duet kubeconfig --sign",
        "this is what a machine is asked for, and this is none",
        "leave --sign out",
        exit.badInput,
      );
    printJson(await signHere(await readInput(process.stdin), count, who));
    return exit.ok;
  }
  if (options.output === print && options.json === true)
    fail(
      "DUET-E-USAGE",
      "duet kubeconfig",
      "`-o -` prints the kubeconfig itself, and --json prints what was written where",
      "leave one of them out",
      exit.badInput,
    );
  const sign = here
    ? (publicKey: string) => signHere(publicKey, count, who)
    : signBySsh(site, count, options.sshConfig);
  const { text, server, expires } = await adminKubeconfig(site, sign);
  if (options.output === print) {
    process.stdout.write(text);
    return exit.ok;
  }
  await writeKubeconfig(options.output, text, options.force === true);
  if (options.json === true) printJson({ file: options.output, site: site.name, server, expires });
  else
    process.stdout.write(
      `${options.output} is written: an administrator of ${site.name} at ${server}, until ${expires.slice(0, 10)}.\n`,
    );
  return exit.ok;
}

/** Never readable for others, not even for a moment. */
export async function writeKubeconfig(file: string, text: string, force: boolean): Promise<void> {
  try {
    if (force) await replaceSynced(file, text, 0o600);
    else await writeFile(file, text, { flag: "wx", mode: 0o600 });
  } catch (error) {
    const code = errnoOf(error);
    if (code === undefined) throw error;
    fail(
      "DUET-E-KUBECONFIG-FILE",
      file,
      code === "EEXIST" ? "the file is already there" : `the file can't be written: ${code}`,
      code === "EEXIST" ? "name another one with -o, or add --force" : "name another one with -o",
      exit.badInput,
    );
  }
}
