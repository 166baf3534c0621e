import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import * as v from "valibot";

/** What was found out of BMCs and outlets and saves a call later, by their URLs. */
export interface Known<T> {
  readonly of: (url: string) => T | undefined;
  readonly note: (url: string, what: T) => void;
}

/** For one process alone. */
export function ownKnown<T>(): Known<T> {
  const found = new Map<string, T>();
  return { of: (url) => found.get(url), note: (url, what) => void found.set(url, what) };
}

/**
 * For all of duet's short lives of one boot: to look for a thing costs calls, which a slow BMC or PDU makes long, and to be commanded at
 * once it must be known by what. Nothing secret is in it, and nothing that must be true: what is not there any more is looked for
 * anew. So nobody waits for a lock, and of two who write at once one is forgotten.
 */
export function bootKnown<T>(file: string, shape: v.GenericSchema<unknown, T>): Known<T> {
  const whole = v.pipe(v.string(), v.parseJson(), v.record(v.string(), shape));
  const read = (): Readonly<Record<string, T>> => {
    try {
      const parsed = v.safeParse(whole, readFileSync(file, "utf8"));
      return parsed.success ? parsed.output : {};
    } catch {
      return {};
    }
  };
  return {
    of: (url) => read()[url],
    note: (url, what) => {
      try {
        mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
        const beside = `${file}.${process.pid}`;
        writeFileSync(beside, JSON.stringify({ ...read(), [url]: what }), { mode: 0o600 });
        renameSync(beside, file);
      } catch {
        // Then it is looked for again next time.
      }
    },
  };
}
