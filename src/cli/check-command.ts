import { checkWorld } from "../agents/check/check.ts";
import { checkSite } from "../agents/check/site.ts";
import { countMarks } from "../agents/check/finding.ts";
import { exit, type ExitStatus } from "../base/problem.ts";
import { Progress } from "../machine/progress.ts";
import { loadSite, siteFolder } from "../machine/site-file.ts";
import { findingsTable } from "./findings.ts";
import { printJson } from "./output.ts";

export interface CheckOptions {
  readonly offline?: boolean;
  readonly json?: boolean;
  readonly sshConfig?: string;
}

export async function checkCommand(file: string, options: CheckOptions): Promise<ExitStatus> {
  const site = await loadSite(file);
  if (options.offline === true) {
    const findings = checkSite(site);
    if (options.json === true) printJson({ file, site: site.name, ok: true, findings });
    else {
      process.stdout.write(`${file}: ok, site ${site.name}, ${site.topology}\n`);
      if (findings.length > 0) process.stdout.write(findingsTable(findings));
    }
    return exit.ok;
  }
  const context = {
    site,
    folder: siteFolder(file),
    ...(options.sshConfig === undefined ? {} : { ssh_config: options.sshConfig }),
  };
  const findings = await new Progress().step(`check of ${site.name}`, (say) => checkWorld(context, say));
  const counts = countMarks(findings);
  if (options.json === true) printJson({ file, site: site.name, ok: counts.fail === 0, counts, findings });
  else process.stdout.write(findingsTable(findings));
  return counts.fail === 0 ? exit.ok : exit.failed;
}
