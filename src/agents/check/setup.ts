import type { SetupReport } from "../setup/report.ts";
import type { Finding } from "./finding.ts";

/** How the machine's own setup ended; nothing of a machine that tells nothing. */
export function judgeSetup(subject: string, report: SetupReport | undefined): readonly Finding[] {
  const check = "setup";
  switch (report?.state) {
    case undefined:
      return [];
    case "done":
      return [{ subject, check, mark: "ok", detail: `done ${report.at}` }];
    case "begun":
      return [
        {
          subject,
          check,
          mark: "warn",
          detail: "it has not come to its end yet",
          fix: "wait for it, or see `journalctl -u duet-setup` there; run again, it goes on where it was",
        },
      ];
    case "failed": {
      const [problem] = report.problems;
      const { code = "DUET-E-BUG", where = "", what = "", fix = "" } = problem ?? {};
      const detail = `failed ${report.at} at "${report.step}": ${where}: ${what}`;
      return [{ subject, check, mark: "fail", detail, fix, code }];
    }
  }
}
