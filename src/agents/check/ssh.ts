import * as v from "valibot";
import { run } from "../../machine/process.ts";
import { type Offset, offsetOf } from "./clock.ts";
import type { CheckContext } from "./context.ts";
import type { Finding } from "./finding.ts";
import { type ProbeReport, probeReport } from "./probe.ts";

export type SshProbe =
  | { readonly ok: true; readonly report: ProbeReport; readonly offset: Offset }
  | { readonly ok: false; readonly finding: Finding };

const ssh_failed = 255;
const not_found = 127;
const deadline_ms = 30_000;

/** Runs `duet probe` on a machine. Host keys are the matter of the user's ssh configuration. */
export async function probeBySsh(subject: string, address: string, context: CheckContext): Promise<SshProbe> {
  const ours_start_ms = Date.now();
  const { status, stdout, stderr } = await run(sshCommand(address, context.ssh_config), {
    accept: "any",
    deadline_ms,
  }).catch(() => ({ status: ssh_failed, stdout: "", stderr: `no end within ${deadline_ms} ms` }));
  const ours = { start_ms: ours_start_ms, end_ms: Date.now() };
  if (status !== 0) return { ok: false, finding: judgeSsh(subject, address, status, stderr) };
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), probeReport), stdout);
  if (!parsed.success)
    return { ok: false, finding: judgeSsh(subject, address, 1, "its answer has another form") };
  return { ok: true, report: parsed.output, offset: offsetOf(ours, parsed.output.clock) };
}

/** `words`: of duet's command there. */
export function sshCommand(
  address: string,
  config: string | undefined,
  words: readonly string[] = ["probe", "--json"],
  connect_s = 5,
): readonly [string, ...string[]] {
  return [
    "ssh",
    ...(config === undefined ? [] : ["-F", config]),
    "-o",
    "BatchMode=yes",
    "-o",
    `ConnectTimeout=${connect_s}`,
    "-l",
    "root",
    address,
    "duet",
    ...words,
  ];
}

/** What ssh's status and last words mean for the user. */
export function judgeSsh(subject: string, address: string, status: number, stderr: string): Finding {
  const said = (stderr.trim().split("\n").at(-1) ?? "").replaceAll(/\p{Cc}/gu, "").slice(0, 160);
  const finding = (mark: "warn" | "fail", detail: string, fix: string): Finding => ({
    subject,
    check: "ssh",
    mark,
    detail,
    fix,
  });
  if (status === not_found && /not found/.test(stderr))
    return finding(
      "warn",
      "the machine has no duet yet",
      "normal before its first boot from `duet render`'s files",
    );
  if (status !== ssh_failed)
    return finding(
      "fail",
      `\`duet probe\` there ended with status ${status}: ${said}`,
      `try \`ssh root@${address} duet probe\``,
    );
  if (/host key|host identification/i.test(stderr))
    return finding(
      "fail",
      "ssh does not know the machine's host key, or it has changed",
      `log in once with \`ssh root@${address}\` and compare the key; \`ssh-keygen -R ${address}\` forgets an old one`,
    );
  if (/permission denied/i.test(stderr))
    return finding(
      "fail",
      "ssh refuses the login as root",
      "use a key that `ssh_key` of the site file has the public part of (ssh-agent, ~/.ssh/config, --ssh-config)",
    );
  return finding("fail", `ssh failed: ${said}`, `try \`ssh root@${address}\``);
}
