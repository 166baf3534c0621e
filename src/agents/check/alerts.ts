import { DuetError } from "../../base/problem.ts";
import type { Tried } from "../alerts/try.ts";
import { nameOf } from "../alerts/ways.ts";
import { loadWebhook } from "../alerts/webhook.ts";
import type { CheckContext } from "./context.ts";
import type { Finding } from "./finding.ts";

/** The files that the alerts refer to; whether a way works is asked on the machines, from where it is used. */
export async function checkAlerts({ site, folder }: CheckContext): Promise<readonly Finding[]> {
  const subject = "site";
  if (site.alerts.length === 0)
    return [
      {
        subject,
        check: "alerts",
        mark: "note",
        detail: "nobody is told when a machine is lost or a human is needed",
        fix: "add `alerts:` to the site file: webhook, mail or syslog (docs/alerts.md)",
      },
    ];
  return await Promise.all(
    site.alerts.map(async (alert): Promise<Finding> => {
      const check = `alert ${nameOf(alert)}`;
      if (alert.by !== "webhook") return { subject, check, mark: "ok", detail: "tested on the machines" };
      try {
        await loadWebhook(alert, folder);
      } catch (error) {
        if (!(error instanceof DuetError)) throw error;
        const [problem] = error.problems;
        const { where = "", what = "", fix = "", code = "" } = problem ?? {};
        return { subject, check, mark: "fail", detail: `${where}: ${what}`, fix, code };
      }
      return alert.trust.by === "nothing"
        ? {
            subject,
            check,
            mark: "warn",
            detail: "any certificate is taken",
            fix: "write `trust: { ca: FILE }`: as it is, whoever sits on the wire can read what is told, and the headers",
          }
        : { subject, check, mark: "ok", detail: "its files are in order" };
    }),
  );
}

/** What a machine said of each way when it was asked. */
export const judgeAlerts = (subject: string, tried: readonly Tried[] | undefined): readonly Finding[] =>
  (tried ?? []).map(({ way, ok, detail, ms, fix, code }) => ({
    subject,
    check: `alert ${way}`,
    mark: ok ? "ok" : "fail",
    detail,
    ...(ms === undefined ? {} : { ms }),
    ...(fix === undefined ? {} : { fix }),
    ...(code === undefined ? {} : { code }),
  }));
