import { randomUUID } from "node:crypto";
import { readdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { paths } from "../../base/paths.ts";
import type { Event } from "./event.ts";

/** So many wait at most for somebody who takes them up: where nobody does, the memory does not fill. */
const waiting_max = 200;

/**
 * People are to be told of this. Whoever calls it waits for no network and for no disk, which may hang or be full: the file is in
 * /run, and another process takes it up at once, writes it to disk and delivers it. Nothing that goes wrong here reaches the caller.
 * Where the site tells nobody there is no folder, and nothing is done.
 */
export function raise(event: Omit<Event, "at_ms">, folder: string = paths.alertRaised): void {
  try {
    if (readdirSync(folder).length >= waiting_max) return;
    // In order, also within a millisecond.
    const order = `${String(Date.now()).padStart(15, "0")}-${String(++raised).padStart(6, "0")}`;
    const name = `${order}-${randomUUID()}`;
    writeFileSync(join(folder, `.${name}`), `${JSON.stringify({ ...event, at_ms: Date.now() })}\n`, {
      mode: 0o600,
    });
    renameSync(join(folder, `.${name}`), join(folder, `${name}.json`));
  } catch {
    // The journal, the recorder and `duet status` tell it too.
  }
}

let raised = 0;
