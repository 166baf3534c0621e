import { randomBytes } from "node:crypto";

export interface Session {
  readonly id: string;
  readonly account: string;
  readonly username: string;
  readonly token: string;
}

/** Logins by token. In memory alone: a BMC that restarts knows none of them any more. */
export class Sessions {
  readonly limit: number;
  readonly #now_ms: () => number;
  readonly #timeout_ms: () => number;
  readonly #byToken = new Map<string, { readonly session: Session; used_ms: number }>();
  #made = 0;

  constructor(options: {
    readonly limit: number;
    readonly now_ms: () => number;
    readonly timeout_ms: () => number;
  }) {
    this.limit = options.limit;
    this.#now_ms = options.now_ms;
    this.#timeout_ms = options.timeout_ms;
  }

  /** A new session, or undefined where there are as many as there can be. */
  open(account: string, username: string): Session | undefined {
    this.#expire();
    if (this.#byToken.size >= this.limit) return undefined;
    this.#made += 1;
    const session = { id: String(this.#made), account, username, token: randomBytes(32).toString("hex") };
    this.#byToken.set(session.token, { session, used_ms: this.#now_ms() });
    return session;
  }

  /** The session of a token; using it keeps it alive. */
  use(token: string): Session | undefined {
    this.#expire();
    const found = this.#byToken.get(token);
    if (found === undefined) return undefined;
    found.used_ms = this.#now_ms();
    return found.session;
  }

  all(): readonly Session[] {
    this.#expire();
    return [...this.#byToken.values()].map(({ session }) => session);
  }

  find(id: string): Session | undefined {
    return this.all().find((session) => session.id === id);
  }

  close(id: string): void {
    this.#drop((session) => session.id === id);
  }

  closeOf(account: string): void {
    this.#drop((session) => session.account === account);
  }

  clear(): void {
    this.#byToken.clear();
  }

  #expire(): void {
    const oldest_ms = this.#now_ms() - this.#timeout_ms();
    for (const [token, { used_ms }] of this.#byToken) if (used_ms <= oldest_ms) this.#byToken.delete(token);
  }

  #drop(which: (session: Session) => boolean): void {
    for (const [token, { session }] of this.#byToken) if (which(session)) this.#byToken.delete(token);
  }
}
