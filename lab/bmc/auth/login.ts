import type { Caller } from "../core/caller.ts";
import type { Accounts } from "./account.ts";
import { privilegesOf } from "./role.ts";
import type { Sessions } from "./session.ts";

export type Headers = Readonly<Record<string, string | undefined>>;

/** The account behind a request's token or basic credentials; undefined where there is none. */
export function identify(headers: Headers, accounts: Accounts, sessions: Sessions): Caller | undefined {
  const token = headers["x-auth-token"];
  if (token !== undefined) {
    const session = sessions.use(token);
    const account = session && accounts.find(session.account);
    if (session === undefined || account === undefined || !account.enabled) return undefined;
    return { account: account.id, privileges: privilegesOf(account.role) };
  }
  const basic = /^basic +([A-Za-z0-9+/=]+) *$/i.exec(headers["authorization"] ?? "")?.[1];
  if (basic === undefined) return undefined;
  // UTF-8 is the rule (RFC 7617), but Python's requests, and with it fence_redfish, sends Latin-1.
  return (
    authenticated(Buffer.from(basic, "base64"), "utf8", accounts) ??
    authenticated(Buffer.from(basic, "base64"), "latin1", accounts)
  );
}

function authenticated(pair: Buffer, encoding: "utf8" | "latin1", accounts: Accounts): Caller | undefined {
  const [username = "", ...password] = pair.toString(encoding).split(":");
  const account = accounts.authenticate(username, password.join(":"));
  return account && { account: account.id, privileges: privilegesOf(account.role) };
}

export const hasCredentials = (headers: Headers): boolean =>
  headers["x-auth-token"] !== undefined || headers["authorization"] !== undefined;
