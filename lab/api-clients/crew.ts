import { cp, mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { until } from "../../src/machine/clock.ts";
import { apiUrl } from "../../src/render/kubernetes/names.ts";
import { Child } from "../clients/child.ts";
import { type Lab, lab_mode } from "../folder.ts";
import { commandIn, runIn, seatName } from "../run.ts";
import { call_ms_max } from "./api.ts";
import { checkHistory, type Verdict } from "./check.ts";
import { type Entry, readHistory } from "./history.ts";
import { type ApiStatus, readApiStatus } from "./status.ts";
import { watchers } from "./watcher.ts";

/** The last calls and probes, a list that waits for the API, and watchers that come so far. */
const stop_ms_max = 180_000;
/** A busy host may wake a client late. */
const late_ms = 2_000;
const look_ms = 50;

/** Writers and watchers of the Kubernetes API, by its virtual IP, with a history of all that they did and saw. */
export class Crew {
  readonly #lab: Lab;
  readonly #namespace: string;
  readonly #child: Child<ApiStatus>;
  readonly history: string;

  private constructor(lab: Lab, namespace: string, child: Child<ApiStatus>, history: string) {
    this.#lab = lab;
    this.#namespace = namespace;
    this.#child = child;
    this.history = history;
  }

  /** Comes back with the first acknowledged write. With probes each machine's own API server is asked, too. */
  static async begin(lab: Lab, options: { readonly probes?: boolean } = {}): Promise<Crew> {
    const folder = join(lab.folder, "clients");
    await mkdir(folder, { recursive: true, mode: lab_mode });
    const namespace = `clients-${Date.now()}`;
    const history = join(folder, `${namespace}.jsonl`);
    const program = join(import.meta.dirname, "main.ts");
    const kubeconfig = join(lab.folder, "site", "kubeconfig");
    const servers = lab.site.machines.flatMap(({ name, addresses }) => [name, apiUrl(addresses[0] ?? "")]);
    const words = [kubeconfig, namespace, history, ...(options.probes === true ? servers : [])];
    const argv = await commandIn(lab, seatName, [process.execPath, program, ...words]);
    const child = new Child(argv, readApiStatus, stop_ms_max);
    await child.while((status) => (status?.acknowledged ?? 0) === 0);
    return new Crew(lab, namespace, child, history);
  }

  get status(): ApiStatus {
    return this.#child.status;
  }

  fresh(): Promise<ApiStatus> {
    return this.#child.fresh();
  }

  /** Until so many more writes were acknowledged. */
  async more(count: number, deadline_ms: number): Promise<void> {
    const wanted = this.status.acknowledged + count;
    await until(
      `${count} writes acknowledged through the API's address`,
      async () => this.status.acknowledged >= wanted,
      { deadline_ms, every_ms: look_ms },
    );
  }

  get isOver(): boolean {
    return this.#child.isOver;
  }

  stop(): Promise<ApiStatus> {
    return this.#child.stop();
  }

  kill(): void {
    this.#child.kill();
  }

  /** All that they did and saw so far. */
  async entries(): Promise<readonly Entry[]> {
    return readHistory(await readFile(this.history, "utf8"));
  }

  /** Only when they have stopped. */
  async check(goneAllowed: boolean): Promise<Verdict> {
    return checkHistory(await this.entries(), { call_ms_max: call_ms_max + late_ms, watchers, goneAllowed });
  }

  /** A copy of the history that outlives the lab. */
  async keep(): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), "duet-history-"));
    await cp(this.history, join(folder, "api-history.jsonl"));
    return folder;
  }

  /** Takes away what they wrote, if the API answers, and their history. */
  async clean(): Promise<void> {
    const words = ["delete", "namespace", this.#namespace, "--wait=false", "--request-timeout=10s"];
    await runIn(this.#lab, seatName, ["kubectl", ...words], { accept: "any" });
    await rm(this.history, { force: true });
  }
}
