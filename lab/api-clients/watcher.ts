import { sleep } from "../../src/machine/clock.ts";
import type { KubeApi } from "../../src/machine/kube-api.ts";
import { list } from "./api.ts";
import type { Entry } from "./history.ts";
import { watchFrom } from "./stream.ts";

/** So many follow; each has a number, from 1 on. */
export const watchers = 2;
const again_ms = 200;

/** Follows the clients' ConfigMaps as a controller would: a list, then watches, each from where the last one ended. */
export class Watcher {
  readonly #api: KubeApi;
  readonly #namespace: string;
  readonly #id: number;
  readonly #note: (entry: Entry) => void;
  /** How far it is. */
  version = 0;

  constructor(api: KubeApi, namespace: string, id: number, note: (entry: Entry) => void) {
    this.#api = api;
    this.#namespace = namespace;
    this.#id = id;
    this.#note = note;
  }

  async follow(signal: AbortSignal): Promise<void> {
    await this.#list("begin", signal);
    while (!signal.aborted) {
      const { gone, said } = await watchFrom(this.#api, this.#namespace, this.version, signal, (event) => {
        if ("code" in event.object) return;
        const { name, resourceVersion: version } = event.object.metadata;
        this.#note(
          event.type === "BOOKMARK"
            ? { kind: "bookmark", watcher: this.#id, version }
            : { kind: "event", watcher: this.#id, type: event.type, name, version },
        );
        // Also where it is lower: the next watch asks for it, and the judge tells.
        this.version = version;
      });
      if (signal.aborted) return;
      if (gone) await this.#list("gone", signal);
      else this.#note({ kind: "resumed", watcher: this.#id, version: this.version, said });
      await sleep(again_ms);
    }
  }

  async #list(why: "begin" | "gone", signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const answer = await list(this.#api, this.#namespace);
      if (answer.ok) {
        this.version = answer.value.version;
        this.#note({ kind: "listed", watcher: this.#id, why, ...answer.value });
        return;
      }
      await sleep(again_ms);
    }
  }
}
