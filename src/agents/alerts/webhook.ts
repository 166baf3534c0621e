import type { Secret } from "../../base/secret.ts";
import { type Header, loadHeaders, loadHookUrl } from "../../machine/alert-files.ts";
import { now_ms } from "../../machine/clock.ts";
import { https } from "../../machine/https.ts";
import { type LoadedTrust, loadTrust } from "../../machine/trust.ts";
import { believing, failureOf } from "../../redfish/transport.ts";
import type { Alert } from "../../site/site.ts";
import { plain } from "./event.ts";
import type { Message } from "./message.ts";

type WebhookAlert = Extract<Alert, { readonly by: "webhook" }>;

/** A webhook with what its files held. */
export interface Webhook {
  readonly url: string | Secret;
  readonly headers: readonly Header[];
  readonly trust: LoadedTrust;
}

export async function loadWebhook(alert: WebhookAlert, folder: string): Promise<Webhook> {
  return {
    url: typeof alert.url === "string" ? alert.url : await loadHookUrl(alert.url.file, folder),
    headers: alert.headers === undefined ? [] : await loadHeaders(alert.headers, folder),
    trust: await loadTrust(alert.trust, folder),
  };
}

const address = ({ url }: Webhook): URL => new URL(typeof url === "string" ? url : url.reveal());
/** What may be shown of it: where a token is in it, it is behind the host. */
export const hostOf = (hook: Webhook): string => address(hook).host;

const body_bytes_max = 1 << 20;

/** Why it was not taken, or undefined. Only an answer of 2xx is taking it; no redirect is followed: the headers are this host's. */
export async function post(
  hook: Webhook,
  message: Message,
  deadline_ms: number,
): Promise<string | undefined> {
  try {
    const { status } = await https({
      url: address(hook),
      method: "POST",
      headers: {
        ...Object.fromEntries(hook.headers.map(([name, value]) => [name, value.reveal()])),
        "content-type": "application/json",
        "user-agent": "duet",
      },
      body: JSON.stringify(message),
      deadline_ms,
      body_bytes_max,
      ...believing(hook.trust),
    });
    if (status >= 200 && status <= 299) return undefined;
    return status >= 300 && status <= 399
      ? `it redirects (status ${status}), and that is not followed`
      : `it answers with status ${status}`;
  } catch (error) {
    return whyOf(error, deadline_ms);
  }
}

export type Reached =
  | { readonly ok: true; readonly ms: number }
  | { readonly ok: false; readonly why: string };

class Seen extends Error {}

/** Connects, agrees on TLS with a certificate that is believed, and hangs up: nobody is told anything. */
export async function reach(hook: Webhook, deadline_ms: number): Promise<Reached> {
  const begun_ms = now_ms();
  const { tls, verify } = believing(hook.trust);
  try {
    await https({
      url: address(hook),
      method: "HEAD",
      deadline_ms,
      tls,
      verify: (certificate) => {
        verify?.(certificate);
        throw new Seen();
      },
    });
  } catch (error) {
    if (error instanceof Seen) return { ok: true, ms: now_ms() - begun_ms };
    return { ok: false, why: whyOf(error, deadline_ms) };
  }
  throw new Error("bug: a request was sent that should not have been");
}

function whyOf(error: unknown, deadline_ms: number): string {
  const failure = failureOf(error, deadline_ms);
  if (failure.kind === "deadline") return `it gives no complete answer within ${deadline_ms} ms`;
  const why = plain("why" in failure ? failure.why : failure.kind, 100);
  if (failure.kind === "untrusted") return `its certificate is not trusted (${why})`;
  return failure.kind === "unreachable" ? `it can't be reached (${why})` : why;
}
