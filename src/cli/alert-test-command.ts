import * as v from "valibot";
import { type Tried, tryWays } from "../agents/alerts/try.ts";
import { callBySsh, judgeSsh } from "../agents/check/ssh.ts";
import { paths } from "../base/paths.ts";
import { exit, type ExitStatus, fail } from "../base/problem.ts";
import { exists, readIfThere } from "../machine/files.ts";
import { loadSite, site_file_default, siteFolder } from "../machine/site-file.ts";
import type { Machine, Site } from "../site/site.ts";
import { paint, printJson } from "./output.ts";

export interface AlertTestOptions {
  readonly sshConfig?: string;
  readonly json?: boolean;
}

const ssh_failed = 255;

type From = Tried & { readonly machine: string };

export async function alertTestCommand(
  file: string | undefined,
  options: AlertTestOptions,
): Promise<ExitStatus> {
  const me = file === undefined ? (await readIfThere(paths.machine))?.trim() : undefined;
  const path = me === undefined ? (file ?? site_file_default) : paths.site;
  if (me !== undefined && process.getuid?.() !== 0)
    notHere("on a machine it needs root, for the files of the webhooks");
  if (me === undefined && file === undefined && !(await exists(path)))
    notHere(`this is no machine of duet's, and there is no ${site_file_default} here`);
  const site = await loadSite(path);
  if (site.alerts.length === 0)
    fail(
      "DUET-E-ALERT-NONE",
      path,
      "this site tells nobody: it has no `alerts:`",
      "add a webhook, mail or syslog (docs/alerts.md), then render the site again",
      exit.notHere,
    );
  const tried = me === undefined ? await fromSeat(site, options) : await fromHere(site, me, siteFolder(path));
  const ok = tried.every((each) => each.ok);
  if (options.json === true) printJson({ site: site.name, ok, tried });
  else process.stdout.write(tried.map(lineOf).join(""));
  return ok ? exit.ok : exit.failed;
}

const fromHere = async (site: Site, machine: string, folder: string): Promise<readonly From[]> =>
  (await tryWays(site, machine, folder)).map((each) => ({ machine, ...each }));

/** From where they are used: what this computer can reach says nothing about the machines. */
const fromSeat = async (site: Site, options: AlertTestOptions): Promise<readonly From[]> =>
  (await Promise.all(site.machines.map((machine) => askThere(machine, options)))).flat();

const answer = v.object({
  tried: v.array(
    v.object({
      machine: v.string(),
      way: v.string(),
      ok: v.boolean(),
      detail: v.string(),
      ms: v.optional(v.number()),
      fix: v.optional(v.string()),
      code: v.optional(v.string()),
    }),
  ),
});

async function askThere(machine: Machine, { sshConfig }: AlertTestOptions): Promise<readonly From[]> {
  const said = await callBySsh(machine, {
    config: sshConfig,
    words: ["alert-test", "--json"],
    connect_ms: 5_000,
    deadline_ms: 30_000,
    output_bytes_max: 1 << 20,
  });
  const none = (detail: string): readonly From[] => [
    { machine: machine.name, way: "ssh", ok: false, detail, fix: "see `duet check`" },
  ];
  if (!said.ok) return none(said.why);
  if (said.status === ssh_failed)
    return none(judgeSsh(machine.name, said.address, said.status, said.stderr).detail);
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), answer), said.stdout);
  if (!parsed.success)
    return none(
      `\`duet alert-test\` there ended with status ${said.status} and another answer than expected`,
    );
  return parsed.output.tried.map(({ ms, fix, code, ...each }) => ({
    ...each,
    ...(ms === undefined ? {} : { ms }),
    ...(fix === undefined ? {} : { fix }),
    ...(code === undefined ? {} : { code }),
  }));
}

function lineOf({ machine, way, ok, detail, ms, fix, code }: From): string {
  const sign = ok ? paint("green", "✓") : paint("red", "✗");
  const time = ms === undefined ? "" : `  (${Math.round(ms)} ms)`;
  const out = fix === undefined ? "" : `    ${fix}${code === undefined ? "" : `  [${code}]`}\n`;
  return `${sign} ${machine}: ${way}: ${detail}${time}\n${out}`;
}

const notHere = (what: string): never =>
  fail(
    "DUET-E-STATUS-NOT-HERE",
    "duet alert-test",
    what,
    "run it as root on one of the two machines, or where the site file is: `duet alert-test site.yaml`",
    exit.notHere,
  );
