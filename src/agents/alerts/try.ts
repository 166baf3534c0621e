import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { DuetError } from "../../base/problem.ts";
import { now_ms } from "../../machine/clock.ts";
import type { Alert, Site } from "../../site/site.ts";
import { findSendmail } from "./mail.ts";
import { messageOf } from "./message.ts";
import { hasSyslog, syslogSocket } from "./syslog.ts";
import { nameOf, openWays } from "./ways.ts";
import { hostOf, loadWebhook, reach } from "./webhook.ts";

/** How one way did. */
export interface Tried {
  readonly way: string;
  readonly ok: boolean;
  /** What was seen, or why it failed. */
  readonly detail: string;
  readonly ms?: number;
  readonly fix?: string;
  readonly code?: string;
}

/** Sends a test message by each way at once, and says how that went. Nothing is kept for later. */
export async function tryWays(
  site: Site,
  me: string,
  folder: string,
  deadline_ms?: number,
): Promise<readonly Tried[]> {
  const ways = await openWays(site, folder, deadline_ms);
  const stamp = { site: site.name, machine: me, id: `${me}-${randomUUID()}` };
  const message = messageOf({ kind: "test", at_ms: Date.now(), about: me }, stamp);
  return await Promise.all(
    ways.map(async ({ name, send }): Promise<Tried> => {
      const begun_ms = now_ms();
      const why = await send(message);
      return why === undefined
        ? { way: name, ok: true, detail: "taken", ms: now_ms() - begun_ms }
        : { way: name, ok: false, detail: why, ...failing };
    }),
  );
}

const failing = {
  code: "DUET-E-ALERT-DELIVERY",
  fix: "see that it can be reached from this machine; `duet check` tests it step by step",
} as const;

/** Whether each way could be used from this machine. Nobody is told anything. */
export async function lookAtWays(site: Site, folder: string, deadline_ms: number): Promise<readonly Tried[]> {
  return await Promise.all(site.alerts.map((alert) => lookAt(alert, folder, deadline_ms)));
}

async function lookAt(alert: Alert, folder: string, deadline_ms: number): Promise<Tried> {
  const way = nameOf(alert);
  switch (alert.by) {
    case "webhook":
      return await lookAtHook(alert, folder, deadline_ms);
    case "mail": {
      const program = await findSendmail();
      if (program !== undefined) return { way, ok: true, detail: `${program} is there` };
      return {
        way,
        ok: false,
        detail: "this machine has no sendmail, the program by which every mail system takes mail",
        fix: "install one that sends to your relay: msmtp-mta, dma, nullmailer, Postfix; docs/alerts.md shows how",
        code: "DUET-E-ALERT-SENDMAIL",
      };
    }
    case "syslog": {
      const logger = await access("/usr/bin/logger", constants.X_OK).then(
        () => true,
        () => false,
      );
      if (logger && (await hasSyslog())) return { way, ok: true, detail: `${syslogSocket} is there` };
      const detail = logger ? `nobody listens at ${syslogSocket}` : "this machine has no logger(1)";
      return {
        way,
        ok: false,
        detail,
        fix: "see `systemctl status systemd-journald rsyslog`",
        code: failing.code,
      };
    }
  }
}

async function lookAtHook(
  alert: Extract<Alert, { readonly by: "webhook" }>,
  folder: string,
  deadline_ms: number,
): Promise<Tried> {
  try {
    const hook = await loadWebhook(alert, folder);
    const way = `webhook ${hostOf(hook)}`;
    const reached = await reach(hook, deadline_ms);
    if (!reached.ok) return { way, ok: false, detail: reached.why, ...failing };
    const trusted = alert.trust.by === "nothing" ? "any certificate is taken" : "its certificate is trusted";
    return { way, ok: true, detail: `reached, ${trusted}; nothing was sent`, ms: reached.ms };
  } catch (error) {
    if (!(error instanceof DuetError)) throw error;
    const [problem] = error.problems;
    const { where = "", what = "", fix = "", code = "" } = problem ?? {};
    return { way: nameOf(alert), ok: false, detail: `${where}: ${what}`, fix, code };
  }
}
