import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Site } from "../../site/site.ts";
import type { Rotating } from "./rotate.ts";

/** For tests: two machines that hear each other, each with its own files below a folder. */
export class Pair {
  readonly #folder: string;
  readonly #site: Site;
  readonly #words = new Map<string, string>();
  readonly steps: string[] = [];
  /** Who is in the cluster. */
  readonly members = new Set(["node1", "node2"]);

  constructor(folder: string, site: Site) {
    this.#folder = folder;
    this.#site = site;
  }

  /** As setup leaves it. */
  async make(me: string, line: string, certificate: string): Promise<Rotating> {
    const folder = join(this.#folder, me);
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, "ca.crt"), certificate);
    await writeFile(join(folder, "bmc.credentials"), line, { mode: 0o600 });
    const peer = me === "node1" ? "node2" : "node1";
    const together = () => this.members.has(me) && this.members.has(peer);
    return {
      site: this.#site,
      me,
      folder,
      rotations: join(folder, "rotations"),
      run: join(folder, "run"),
      key: async () => Buffer.alloc(256, 7),
      heard: async () => (together() ? this.#words.get(peer) : undefined),
      tell: async (text) => {
        this.#words.set(me, text);
        return true;
      },
      peer: async () => (together() ? "there" : "off"),
      isWhole: async () => together(),
      step: async (name, work) => {
        this.steps.push(name);
        return await work(() => undefined);
      },
      patience_ms: 3_000,
      pauses_ms: [0, 50, 100],
    };
  }

  /** All that they have told each other. */
  get words(): string {
    return [...this.#words.values()].join("\n");
  }
}

export const lineIn = (folder: string, name = "bmc.credentials"): Promise<string | undefined> =>
  readFile(join(folder, name), "utf8").catch(() => undefined);
