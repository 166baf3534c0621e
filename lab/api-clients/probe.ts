import { failureOfError } from "../../src/machine/etcd/failure.ts";
import { https } from "../../src/machine/https.ts";
import type { KubeApi } from "../../src/machine/kube-api.ts";
import { configMap, configMapsOf } from "./api.ts";
import type { Entry } from "./history.ts";
import { probe_ms_max, type Probed } from "./probed.ts";

/** Of an answer that is an error. */
const said_max = 300;

/** Not the writers' label: what nobody watches is no part of their history. */
const labelled = "duet-lab-probes";

/**
 * Asks one machine's own API server, past the virtual IP, for a write and for a read that it has only from etcd, and waits far longer
 * than an answer may take: what a caller without a deadline of its own would see.
 */
export class Probe {
  readonly #api: KubeApi;
  readonly #machine: string;
  readonly #namespace: string;
  readonly #deadline_ms: number;
  readonly #note: (entry: Entry) => void;
  #count = 0;

  constructor(
    { machine, ...api }: KubeApi & { readonly machine: string },
    namespace: string,
    note: (entry: Entry) => void,
    deadline_ms = probe_ms_max,
  ) {
    this.#api = api;
    this.#machine = machine;
    this.#namespace = namespace;
    this.#deadline_ms = deadline_ms;
    this.#note = note;
  }

  /** One of each. */
  async once(): Promise<void> {
    this.#count += 1;
    const name = `${this.#machine}-${this.#count}`;
    await Promise.all([
      this.#ask("write", "POST", configMapsOf(this.#namespace), configMap(name, labelled)),
      this.#ask("read", "GET", `/api/v1/namespaces/${this.#namespace}`),
    ]);
  }

  async #ask(what: Probed, method: string, path: string, body?: object): Promise<void> {
    const id = `${this.#machine} ${what} ${this.#count}`;
    this.#note({ kind: "ask", id, machine: this.#machine, what, at_ms: Date.now() });
    const told = await this.#send(method, path, body);
    this.#note({ kind: "told", id, at_ms: Date.now(), ...told });
  }

  /** Every end but that by its own deadline is one: an answer, a refused connection, one that broke off. */
  async #send(method: string, path: string, body?: object) {
    const { url, tls } = this.#api;
    try {
      const { status, body: answer } = await https({
        url: new URL(path, url),
        method,
        headers: { accept: "application/json", "content-type": "application/json" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        deadline_ms: this.#deadline_ms,
        tls: { ...tls, minVersion: "TLSv1.2" },
      });
      // The text tells which of an API server's waits it was.
      return { ended: true, status, ...(status < 400 ? {} : { said: answer.slice(0, said_max) }) };
    } catch (error) {
      const { kind, said } = failureOfError(error, this.#deadline_ms);
      return { ended: kind !== "deadline", said };
    }
  }
}
