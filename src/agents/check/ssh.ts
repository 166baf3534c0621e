import * as v from "valibot";
import { run } from "../../machine/process.ts";
import { tryConnect } from "../../machine/tcp.ts";
import type { Machine } from "../../site/site.ts";
import { type Offset, offsetOf } from "./clock.ts";
import type { CheckContext } from "./context.ts";
import type { Finding } from "./finding.ts";
import { type ProbeReport, probeReport } from "./probe.ts";

export type SshProbe =
  | { readonly ok: true; readonly report: ProbeReport; readonly offset: Offset }
  | { readonly ok: false; readonly finding: Finding };

const ssh_failed = 255;
const not_found = 127;
const port_ssh = 22;
const deadline_ms = 30_000;

/** Runs `duet probe` on a machine. Host keys are the matter of the user's ssh configuration. */
export async function probeBySsh(subject: string, address: string, context: CheckContext): Promise<SshProbe> {
  const ours_start_ms = Date.now();
  const command = sshCommand(address, context.ssh_config);
  const { status, stdout, stderr } = await runSsh(command, { deadline_ms });
  const ours = { start_ms: ours_start_ms, end_ms: Date.now() };
  if (status !== 0) return { ok: false, finding: judgeSsh(subject, address, status, stderr) };
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), probeReport), stdout);
  if (!parsed.success)
    return { ok: false, finding: judgeSsh(subject, address, 1, "its answer has another form") };
  return { ok: true, report: parsed.output, offset: offsetOf(ours, parsed.output.clock) };
}

/** What to call there, and how long that may take. */
export interface SshCall {
  readonly config: string | undefined;
  /** Of duet's command there. */
  readonly words: readonly string[];
  /** Until its port lets in; and, where it is said, until ssh has a word from a machine that may hang. */
  readonly connect_ms: number;
  readonly silent_s?: number;
  readonly deadline_ms: number;
  readonly output_bytes_max?: number;
  /** What the command there reads: secrets have no other way. */
  readonly input?: string;
}

export type SshAnswer =
  | {
      readonly ok: true;
      readonly address: string;
      readonly status: number;
      readonly stdout: string;
      readonly stderr: string;
    }
  | { readonly ok: false; readonly why: string };

/** Calls duet on a machine, by the first of its addresses that lets in. */
export async function callBySsh({ addresses }: Machine, call: SshCall): Promise<SshAnswer> {
  const tries = addresses.map(async (address) => {
    const made = await tryConnect(address, port_ssh, call.connect_ms);
    if (!made.ok) throw new Error(made.why);
    return address;
  });
  const address = await Promise.any(tries).catch(() => undefined);
  if (address === undefined) return { ok: false, why: `no ssh on ${addresses.join(" or ")}` };
  const command = sshCommand(address, call.config, call.words, call.silent_s);
  return { ok: true, address, ...(await runSsh(command, call)) };
}

/** One that does not end in time is one that ssh could not reach. */
async function runSsh(
  command: readonly [string, ...string[]],
  { deadline_ms, output_bytes_max, input }: Pick<SshCall, "deadline_ms" | "output_bytes_max" | "input">,
): Promise<{ readonly status: number; readonly stdout: string; readonly stderr: string }> {
  const bounds = {
    deadline_ms,
    ...(output_bytes_max === undefined ? {} : { output_bytes_max }),
    ...(input === undefined ? {} : { input }),
  };
  return await run(command, { accept: "any", ...bounds }).catch(() => ({
    status: ssh_failed,
    stdout: "",
    stderr: `no end within ${deadline_ms} ms`,
  }));
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
