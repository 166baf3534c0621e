import { paths } from "../src/base/paths.ts";
import { sums_name } from "../src/facts/keep.ts";
import { type MachineName, machine_names } from "../src/scenario/slots.ts";
import type { Doing, Seen } from "../src/scenario/world.ts";
import { passing, runIn } from "./run.ts";
import type { Stage } from "./scenario-stage.ts";

/** A copy has a segment of 64 MB and more, and a busy box reads slowly. */
const hash_ms = 120_000;

/** What one look at a copy found, by the tools of the machine: anybody can check it without duet. */
export interface Copy {
  /** Its files, as paths in it. */
  readonly files: readonly string[];
  /** What stands beside them, in the form of `sha256sum`. */
  readonly sums: string;
  /** What `sha256sum --check` had against it; empty: nothing. */
  readonly complaint: string;
}

/** The data that a story has moved aside, on each machine. */
export class Kept {
  readonly #stage: Stage;
  readonly #before = new Map<MachineName, ReadonlySet<string>>();

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  /** A machine was started: what it has by now is none of the story's. */
  async begin(): Promise<void> {
    await this.#note(machine_names.filter((name) => !this.#before.has(name)));
  }

  /** Data is about to be given away: what was moved aside by now is another's. */
  async note(): Promise<void> {
    await this.#note(machine_names);
  }

  /** Where a machine can't be asked nothing is moved either, and what was noted before holds. */
  async #note(names: readonly MachineName[]): Promise<void> {
    for (const name of names) {
      const copies = await this.#copies(name);
      if (copies !== undefined) this.#before.set(name, new Set(copies));
    }
  }

  async isKept(name: MachineName): Promise<Seen> {
    const [before, copies] = [this.#before.get(name), await this.#copies(name)];
    if (before === undefined) return { ok: false, seen: `nobody looked at ${name} before` };
    if (copies === undefined) return { ok: false, seen: `${name} can't be asked` };
    const since = copies.filter((copy) => !before.has(copy));
    if (since.length === 0) return { ok: false, seen: "nothing was moved aside" };
    for (const copy of since) {
      const wrong = wrongIn(await this.#look(name, copy));
      if (wrong !== undefined) return { ok: false, seen: `${copy}: ${wrong}` };
    }
    return { ok: true, seen: `it is in ${since.join(" and ")}` };
  }

  /** The folders of whole copies; one that is empty is used by the next. Undefined: nobody is there to look. */
  async #copies(name: MachineName): Promise<readonly string[] | undefined> {
    const depth = ["-mindepth", "2", "-maxdepth", "2"];
    const argv = ["find", paths.kept, ...depth, "-path", "*/aside-*/member", "-printf", "%h\\n"];
    const printed = await this.#printed(name, argv);
    return printed?.split("\n").filter((line) => line !== "");
  }

  async #look(name: MachineName, copy: string): Promise<Copy> {
    const at = ["env", `--chdir=${copy}`];
    const found = await this.#printed(name, [...at, "find", "member", "-type", "f"]);
    const check = ["sha256sum", "--check", "--quiet", "--strict", sums_name];
    const { status, stdout, stderr } = await runIn(await this.#stage.lab(), name, [...at, ...check], {
      accept: "any",
      deadline_ms: hash_ms,
    });
    return {
      files: (found ?? "").split("\n").filter((line) => line !== ""),
      sums: (await this.#printed(name, ["cat", `${copy}/${sums_name}`])) ?? "",
      complaint: status === 0 ? "" : `${stdout}${stderr}`.trim() || `status ${status}`,
    };
  }

  /** Where nothing was ever kept there is no folder, and nothing is printed. */
  async #printed(name: MachineName, argv: readonly string[]): Promise<string | undefined> {
    let printed: string | undefined;
    await passing(async () => {
      printed = (await runIn(await this.#stage.lab(), name, argv, { accept: "any" })).stdout;
      return true;
    });
    return printed;
  }
}

/** Log and database, each file with its hash, and each as that says. Undefined: nothing is wrong. */
export function wrongIn({ files, sums, complaint }: Copy): string | undefined {
  for (const [what, form] of Object.entries({
    log: /^member\/wal\/.*\.wal$/,
    database: /^member\/snap\/db$/,
  }))
    if (!files.some((file) => form.test(file))) return `it has no ${what}`;
  if (complaint !== "") return `its hashes do not hold: ${complaint}`;
  const listed = new Set(sums.split("\n").map((line) => line.slice(line.indexOf("  ") + 2)));
  const bare = files.find((file) => !listed.has(file));
  return bare === undefined ? undefined : `${bare} has no hash`;
}

/** What a scenario says of it. */
export const keptWords = (kept: Kept): Doing => ({
  "expect-kept": ({ machine }) => kept.isKept(machine),
});
