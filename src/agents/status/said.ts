import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as v from "valibot";
import { paths } from "../../base/paths.ts";
import type { Verdict } from "../../decide/decide.ts";
import { type TableName, tableNames } from "../../decide/rules.ts";
import type { Saying } from "./report.ts";

const shape = v.object({
  boot: v.string(),
  rule: v.string(),
  do: v.string(),
  sentence: v.string(),
  at_ms: v.number(),
});

/**
 * The last decision on each question, for people: a small file under /run for each, `said-start` and so on. Several parts of
 * duet decide at once, but hardly ever on the same question, and of two the later one is right. Nothing is decided by them.
 */
export class Said {
  readonly #folder: string;
  readonly #bootFile: string;

  constructor(folder: string = paths.run, bootFile = "/proc/sys/kernel/random/boot_id") {
    this.#folder = folder;
    this.#bootFile = bootFile;
  }

  /** Never a failure for who decides: what can't be noted is not shown. */
  note(question: TableName, { rule, decision, sentence }: Verdict): void {
    const path = this.#at(question);
    const kept: v.InferOutput<typeof shape> = {
      boot: this.#boot,
      rule,
      do: decision.do,
      sentence,
      at_ms: Date.now(),
    };
    try {
      // Not recursive: that never ends where a folder can't be made.
      if (!existsSync(this.#folder)) mkdirSync(this.#folder, { mode: 0o700 });
      writeFileSync(`${path}.${process.pid}`, `${JSON.stringify(kept)}\n`, { mode: 0o600 });
      renameSync(`${path}.${process.pid}`, path);
    } catch {
      // The recorder and the journal have it too.
    }
  }

  /** Those of this boot. */
  all(): Readonly<Partial<Record<TableName, Saying>>> {
    const found: Partial<Record<TableName, Saying>> = {};
    for (const question of this.#questions()) {
      const { boot, ...saying } = this.#read(question) ?? {};
      if (boot === this.#boot && "rule" in saying) found[question] = saying;
    }
    return found;
  }

  #questions(): readonly TableName[] {
    try {
      const names = new Set(readdirSync(this.#folder));
      return tableNames.filter((question) => names.has(`said-${question}`));
    } catch {
      return [];
    }
  }

  #read(question: TableName): v.InferOutput<typeof shape> | undefined {
    try {
      const parsed = v.safeParse(
        v.pipe(v.string(), v.parseJson(), shape),
        readFileSync(this.#at(question), "utf8"),
      );
      return parsed.success ? parsed.output : undefined;
    } catch {
      return undefined;
    }
  }

  get #boot(): string {
    return readFileSync(this.#bootFile, "utf8").trim();
  }

  #at(question: TableName): string {
    return join(this.#folder, `said-${question}`);
  }
}

/** Decisions that only a person can end. */
export const callsSomebody: ReadonlySet<string> = new Set(["needs-human", "stop-and-alarm"]);
const alarms: ReadonlySet<string> = new Set([...callsSomebody, "surrender"]);

/** What a machine goes by now: how it starts, unless its etcd's failures or the tags say something graver. */
export function mainSaying(said: Readonly<Partial<Record<TableName, Saying>>>): Saying | undefined {
  const { start, etcd, tags } = said;
  const isLater = (each: Saying): boolean => start === undefined || each.at_ms >= start.at_ms;
  for (const each of [tags, etcd])
    if (each !== undefined && alarms.has(each.do) && isLater(each)) return each;
  return start;
}
