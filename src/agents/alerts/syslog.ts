import { stat } from "node:fs/promises";
import { DuetError } from "../../base/problem.ts";
import { run } from "../../machine/process.ts";
import type { Alert } from "../../site/site.ts";
import { plain, type Severity } from "./event.ts";
import type { Message } from "./message.ts";

type SyslogAlert = Extract<Alert, { readonly by: "syslog" }>;

const levels: Readonly<Record<Severity, string>> = { critical: "crit", warning: "warning", info: "notice" };
export const syslogSocket = "/dev/log";
export const syslogTag = "duet-alert";

/** Is there anybody who takes it: journald, rsyslog, … */
export async function hasSyslog(socket: string = syslogSocket): Promise<boolean> {
  return await stat(socket).then(
    (found) => found.isSocket(),
    () => false,
  );
}

/** By logger(1), which speaks to whoever listens at /dev/log. Why it was not taken, or undefined. */
export async function sendSyslog(
  { facility }: SyslogAlert,
  { severity, text, id }: Message,
  deadline_ms: number,
): Promise<string | undefined> {
  const level = `${facility}.${levels[severity]}`;
  try {
    const { status, stderr } = await run(
      ["logger", "--socket-errors=on", "--tag", syslogTag, "--priority", level, "--size", "4096"],
      { input: `${text} [${id}]\n`, accept: "any", deadline_ms, output_bytes_max: 1 << 16 },
    );
    return status === 0 ? undefined : `logger ended with status ${status}: ${plain(stderr, 200)}`;
  } catch (error) {
    if (!(error instanceof DuetError)) throw error;
    return `logger did not end within ${deadline_ms} ms`;
  }
}
