import { createHash, randomBytes, scryptSync, timingSafeEqual } from "node:crypto";
import type { Credentials } from "../../../src/site/site.ts";
import type { CommonStore, StoredAccount } from "../state/state.ts";
import type { Role } from "./role.ts";

/** The account that the BMC was set up with. It stays: a BMC that locks everybody out is scrap. */
export const factoryAccount = "1";
export const accounts_max = 10;

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();

function hashed(password: string): { salt: string; hash: string } {
  const salt = randomBytes(16).toString("hex");
  return { salt, hash: derive(password, salt).toString("hex") };
}
// Cheap on purpose: basic login pays for it at each request, on a box that runs a whole site.
const derive = (password: string, salt: string): Buffer => scryptSync(password, salt, 32, { N: 1024 });

export class Accounts {
  readonly #store: CommonStore;
  readonly #configured: Credentials;

  constructor(store: CommonStore, configured: Credentials) {
    this.#store = store;
    this.#configured = configured;
  }

  all(): readonly StoredAccount[] {
    const stored = this.#store.value.accounts;
    const factory = stored.find(({ id }) => id === factoryAccount);
    return [
      {
        id: factoryAccount,
        username: this.#configured.username,
        role: "Administrator",
        enabled: true,
        password: factory?.password ?? "configured",
      },
      ...stored.filter(({ id }) => id !== factoryAccount),
    ];
  }

  find(id: string): StoredAccount | undefined {
    return this.all().find((account) => account.id === id);
  }

  named(username: string): StoredAccount | undefined {
    return this.all().find((account) => account.username === username);
  }

  authenticate(username: string, password: string): StoredAccount | undefined {
    const account = this.named(username);
    if (account === undefined || !account.enabled) return undefined;
    const right =
      account.password === "configured"
        ? timingSafeEqual(digest(password), digest(this.#configured.password.reveal()))
        : timingSafeEqual(derive(password, account.password.salt), Buffer.from(account.password.hash, "hex"));
    return right ? account : undefined;
  }

  async create(username: string, password: string, role: Role, enabled: boolean): Promise<string> {
    const taken = new Set(this.all().map(({ id }) => id));
    const id = Array.from({ length: accounts_max }, (_, i) => String(i + 1)).find((one) => !taken.has(one));
    if (id === undefined) throw new Error("no account slot is free");
    await this.#put({ id, username, role, enabled, password: hashed(password) });
    return id;
  }

  async change(id: string, change: Partial<Omit<StoredAccount, "id" | "password">>): Promise<void> {
    const account = this.find(id);
    if (account !== undefined) await this.#put({ ...account, ...change });
  }

  async setPassword(id: string, password: string): Promise<void> {
    const account = this.find(id);
    if (account !== undefined) await this.#put({ ...account, password: hashed(password) });
  }

  async remove(id: string): Promise<void> {
    await this.#store.update((state) => ({
      accounts: state.accounts.filter((account) => account.id !== id),
    }));
  }

  async #put(account: StoredAccount): Promise<void> {
    await this.#store.update((state) => ({
      accounts: [...state.accounts.filter(({ id }) => id !== account.id), account].toSorted(
        (a, b) => Number(a.id) - Number(b.id),
      ),
    }));
  }
}
