import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { DuetError } from "../../base/problem.ts";
import { run } from "../../machine/process.ts";
import type { Alert } from "../../site/site.ts";
import { plain } from "./event.ts";
import type { Message } from "./message.ts";

type MailAlert = Extract<Alert, { readonly by: "mail" }>;

/** Where systems have it that is not in everybody's PATH. */
const usual = ["/usr/sbin", "/usr/lib"];

/** The program of this name that every mail system brings: Postfix, Exim, msmtp, dma, nullmailer, … */
export async function findSendmail(path: string = process.env["PATH"] ?? ""): Promise<string | undefined> {
  for (const folder of [...path.split(delimiter), ...usual]) {
    const file = join(folder, "sendmail");
    const found = await access(file, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (folder !== "" && found) return file;
  }
  return undefined;
}

/** The same for each try, so that a mail system can see that it is the same mail. */
export function mailText({ to, from }: MailAlert, message: Message): string {
  const { site, machine, id, at, severity, sentence, text, next, code, page } = message;
  const sender = from === undefined ? [] : [`From: ${from}`];
  return [
    ...sender,
    `To: ${to.join(", ")}`,
    `Subject: [duet ${site}] ${plain(sentence, 150)}`,
    `Date: ${new Date(at).toUTCString().replace("GMT", "+0000")}`,
    `Message-ID: <${id}@${site}.duet>`,
    "Auto-Submitted: auto-generated",
    ...(severity === "critical" ? ["X-Priority: 1"] : []),
    "MIME-Version: 1.0",
    "Content-Type: text/plain; charset=utf-8",
    "Content-Transfer-Encoding: 8bit",
    "",
    text,
    "",
    `site:       ${site}`,
    `told by:    ${machine}`,
    `time:       ${at}`,
    `what:       ${sentence}`,
    `what to do: ${next}`,
    `more:       ${code}, ${page}`,
    "",
  ].join("\n");
}

/** Why the mail system did not take it, or undefined. When and whether it arrives is the mail system's matter from then on. */
export async function sendMail(
  mail: MailAlert,
  message: Message,
  deadline_ms: number,
): Promise<string | undefined> {
  const program = await findSendmail();
  if (program === undefined) return "this machine has no sendmail";
  const sender = mail.from === undefined ? [] : ["-f", mail.from];
  try {
    // Recipients are read from the text; `-i`: a line with a dot alone does not end it.
    const { status, stderr } = await run([program, "-i", "-t", ...sender], {
      input: mailText(mail, message),
      accept: "any",
      deadline_ms,
      output_bytes_max: 1 << 16,
    });
    return status === 0
      ? undefined
      : `sendmail ended with status ${status}: ${plain(stderr.trim().split("\n").at(-1) ?? "", 200)}`;
  } catch (error) {
    if (!(error instanceof DuetError)) throw error;
    return `sendmail did not end within ${deadline_ms} ms`;
  }
}
