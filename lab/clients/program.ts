import { join } from "node:path";
import type { Progress } from "../../src/machine/progress.ts";
import { ensureGoPrograms } from "../go.ts";

/**
 * The clients' program and the judge of their history, in Go: there gRPC tells whether a request ever left, so that a write which
 * did not is known to have failed; and porcupine is a Go module.
 */
export async function ensureClients(progress: Progress): Promise<string> {
  const folder = await ensureGoPrograms(
    {
      name: "clients",
      module_folder: join(import.meta.dirname, "load"),
      programs: { clients: "." },
      title: "the clients and porcupine, from their Go modules (once, about a minute)",
    },
    progress,
  );
  return join(folder, "clients");
}
