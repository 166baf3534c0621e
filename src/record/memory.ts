import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { TableName } from "../decide/rules.ts";

/** The last decision on a question that was written down, and how often it was made again since. */
export interface Fold {
  readonly rule: string;
  /** As JSON: only an equal one is folded. */
  readonly decision: string;
  readonly written_ms: number;
  readonly count: number;
  readonly last_ms: number;
}

/** What the last look saw, so that the next one can tell what is new. */
export interface Sight {
  readonly seen: "never" | "now" | "before";
  /** The peer had said that it leaves. */
  readonly leaving: boolean;
  readonly whole: boolean;
  readonly looked_ms: number;
}

/** What duet's processes remember for each other, within one boot. */
export interface Memory {
  readonly boot: string;
  readonly folds: Readonly<Partial<Record<TableName, Fold>>>;
  readonly sight: Sight | undefined;
  /** The membership whose loss is written down. */
  readonly lost: string | undefined;
  /** Something happened of which Corosync's and Pacemaker's journals may tell more, until then; undefined: all is told. */
  readonly unread_ms: number | undefined;
}

export interface MemoryStore {
  /** Undefined: nothing that can be used. */
  readonly load: () => Memory | undefined;
  readonly save: (memory: Memory) => void;
}

export const freshMemory = (boot: string): Memory => ({
  boot,
  folds: {},
  sight: undefined,
  lost: undefined,
  unread_ms: 0,
});

export function memoryInProcess(): MemoryStore {
  let kept: Memory | undefined;
  return {
    load: () => kept,
    save: (memory) => {
      kept = memory;
    },
  };
}

/**
 * A small file under /run. The worst that a lost or broken one does is an entry too many, so it is taken as it is found, and
 * no failure to write it is told.
 */
export function memoryFile(path: string): MemoryStore {
  return {
    load: () => {
      try {
        const found: unknown = JSON.parse(readFileSync(path, "utf8"));
        return isMemory(found) ? found : undefined;
      } catch {
        return undefined;
      }
    },
    save: (memory) => {
      const beside = `${path}.${process.pid}`;
      try {
        if (!existsSync(dirname(path))) mkdirSync(dirname(path), { mode: 0o700 });
        writeFileSync(beside, JSON.stringify(memory), { mode: 0o600 });
        renameSync(beside, path);
      } catch {
        // An entry too many is the worst that comes of it.
      }
    },
  };
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null;

function isMemory(value: unknown): value is Memory {
  if (!isRecord(value) || typeof value["boot"] !== "string" || !isRecord(value["folds"])) return false;
  if (!Object.values(value["folds"]).every(isFold)) return false;
  const { sight, lost, unread_ms } = value;
  return (
    (sight === undefined || isSight(sight)) &&
    (lost === undefined || typeof lost === "string") &&
    (unread_ms === undefined || Number.isFinite(unread_ms))
  );
}

const isFold = (value: unknown): boolean =>
  isRecord(value) &&
  typeof value["rule"] === "string" &&
  typeof value["decision"] === "string" &&
  [value["written_ms"], value["count"], value["last_ms"]].every(Number.isFinite);

const isSight = (value: unknown): boolean =>
  isRecord(value) &&
  (value["seen"] === "never" || value["seen"] === "now" || value["seen"] === "before") &&
  typeof value["leaving"] === "boolean" &&
  typeof value["whole"] === "boolean" &&
  Number.isFinite(value["looked_ms"]);
