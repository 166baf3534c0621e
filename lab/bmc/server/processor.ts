import { createHash } from "node:crypto";
import { setTimeout as timer } from "node:timers/promises";
import { now_ms } from "../../../src/machine/clock.ts";
import { Accounts } from "../auth/account.ts";
import { Sessions } from "../auth/session.ts";
import type { ProcessorConfig } from "../config.ts";
import type { JsonObject } from "../core/json.ts";
import { type Route, Router } from "../core/router.ts";
import { readFaults } from "../fault.ts";
import { accountRoutes } from "../resources/account.ts";
import { managerRoutes, managersPath } from "../resources/manager.ts";
import { registryRoutes } from "../resources/registry.ts";
import { type Branch, rootRoutes } from "../resources/root.ts";
import { sessionRoutes } from "../resources/session.ts";
import { taskRoutes } from "../resources/task.ts";
import type { CommonStore } from "../state/state.ts";
import { Listener } from "./listener.ts";
import { Service } from "./service.ts";
import { Tasks } from "./tasks.ts";

export interface ProcessorOptions {
  readonly config: ProcessorConfig;
  readonly store: CommonStore;
  readonly product: string;
  readonly manager: { readonly type: "BMC" | "ManagementController"; readonly more: JsonObject };
  readonly branches: readonly Branch[];
  readonly routes: readonly Route[];
  /** How long a Manager.Reset keeps the service away. */
  readonly restart_ms: number;
  /** What a restart changes in the state, while the service is away. */
  readonly restarted: () => Promise<void>;
}

const sessions_max = 16;

export const logTo =
  (config: ProcessorConfig): ((sentence: string) => void) =>
  (sentence) => {
    if (config.log === undefined) process.stderr.write(`${config.name}: ${sentence}\n`);
    else config.log(sentence);
  };

/** The same name gives the same id at each start, as hardware has it. */
export function uuidOf(name: string): string {
  const hex = createHash("sha256").update(`duet lab ${name}`).digest("hex");
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join("-");
}

/** A management processor: what a BMC and a PDU have in common, from the socket to the accounts. */
export class Processor {
  readonly #options: ProcessorOptions;
  readonly #sessions: Sessions;
  readonly #listener: Listener;
  readonly #closing = new AbortController();
  #restarting: Promise<void> | undefined;

  constructor(options: ProcessorOptions) {
    const { config, store } = options;
    this.#options = options;
    const log = logTo(config);
    const faults = () => readFaults(config.folder);
    const accounts = new Accounts(store, config.credentials);
    const sessions = new Sessions({
      limit: sessions_max,
      now_ms,
      timeout_ms: () => store.value.session_timeout_s * 1_000,
    });
    this.#sessions = sessions;
    const tasks = new Tasks(now_ms);
    const serviceUuid = uuidOf(`${config.name} service`);
    const router = new Router([
      ...rootRoutes({
        product: options.product,
        uuid: serviceUuid,
        branches: [
          ...options.branches,
          { name: "Managers", path: managersPath },
          { name: "SessionService", path: "/redfish/v1/SessionService" },
          { name: "AccountService", path: "/redfish/v1/AccountService" },
          { name: "Registries", path: "/redfish/v1/Registries" },
          { name: "Tasks", path: "/redfish/v1/TaskService" },
        ],
      }),
      ...sessionRoutes({ store, accounts, sessions, faults }),
      ...accountRoutes(accounts, sessions),
      ...registryRoutes(),
      ...taskRoutes(tasks),
      ...managerRoutes(store, {
        ...options.manager,
        name: `${config.name} manager`,
        uuid: uuidOf(`${config.name} manager`),
        serviceUuid,
        port: () => this.#listener.port,
        restart: () => {
          this.#restart();
        },
      }),
      ...options.routes,
    ]);
    const service = new Service({ router, accounts, sessions, tasks, faults, log });
    this.#listener = new Listener({ ...config, faults, handle: (request) => service.handle(request), log });
  }

  get port(): number {
    return this.#listener.port;
  }

  async start(): Promise<void> {
    await this.#listener.start();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#restarting;
    await this.#listener.stop();
  }

  /** Manager.Reset: away for a moment, back with the state and without the sessions. */
  #restart(): void {
    if (this.#restarting !== undefined) return;
    const { config, restart_ms, restarted } = this.#options;
    const work = async () => {
      await this.#listener.stop();
      this.#sessions.clear();
      await restarted();
      await timer(restart_ms, undefined, { signal: this.#closing.signal });
      await this.#listener.start();
    };
    this.#restarting = work()
      .catch((error: unknown) => {
        if (!this.#closing.signal.aborted) logTo(config)(`the service did not come back: ${String(error)}`);
      })
      .finally(() => {
        this.#restarting = undefined;
      });
  }
}
