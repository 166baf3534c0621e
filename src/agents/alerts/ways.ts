import { DuetError } from "../../base/problem.ts";
import type { Alert, Site } from "../../site/site.ts";
import type { Way } from "./desk.ts";
import { sendMail } from "./mail.ts";
import type { Message } from "./message.ts";
import { sendSyslog } from "./syslog.ts";
import { hostOf, loadWebhook, post } from "./webhook.ts";

/** One delivery, from connect to the last byte, or one run of sendmail or logger. */
export const delivery_ms = 10_000;

/** All ways of a site, in the order of its file. One whose files can't be read is there too: each try by it fails, and says why. */
export async function openWays(
  site: Site,
  folder: string,
  deadline_ms = delivery_ms,
): Promise<readonly Way[]> {
  const ways: Way[] = [];
  for (const alert of site.alerts) {
    const way = await openWay(alert, folder, deadline_ms);
    const same = ways.filter(({ name }) => name === way.name || name.startsWith(`${way.name} #`)).length;
    ways.push(same === 0 ? way : { ...way, name: `${way.name} #${same + 1}` });
  }
  return ways;
}

async function openWay(alert: Alert, folder: string, deadline_ms: number): Promise<Way> {
  switch (alert.by) {
    case "webhook":
      try {
        const hook = await loadWebhook(alert, folder);
        return {
          name: `webhook ${hostOf(hook)}`,
          send: (message: Message) => post(hook, message, deadline_ms),
        };
      } catch (error) {
        if (!(error instanceof DuetError)) throw error;
        const [problem] = error.problems;
        const why = `${problem?.where ?? ""}: ${problem?.what ?? ""}`;
        return { name: nameOf(alert), send: () => Promise.resolve(why) };
      }
    case "mail":
      return { name: nameOf(alert), send: (message) => sendMail(alert, message, deadline_ms) };
    case "syslog":
      return { name: nameOf(alert), send: (message) => sendSyslog(alert, message, deadline_ms) };
  }
}

/** What a person knows it by, without a file being read: an address from a file stays there. */
export function nameOf(alert: Alert): string {
  switch (alert.by) {
    case "webhook":
      return `webhook ${typeof alert.url === "string" ? new URL(alert.url).host : alert.url.file}`;
    case "mail":
      return `mail ${alert.to[0] ?? ""}${alert.to.length > 1 ? " and others" : ""}`;
    case "syslog":
      return `syslog ${alert.facility}`;
  }
}
