import { readIfThere } from "./files.ts";

const listening = "0A";

/** Is anybody listening on that TCP port, on any address? By the kernel's own table: nobody is connected to, or kept waiting. */
export async function isListening(port: number): Promise<boolean> {
  const tables = await Promise.all(["tcp", "tcp6"].map((name) => readIfThere(`/proc/self/net/${name}`)));
  return tables.some((table) => listeners(table ?? "").has(port));
}

/** Of /proc/net/tcp or tcp6: `sl local_address rem_address st …`, the port in hexadecimal. */
export function listeners(table: string): ReadonlySet<number> {
  const ports = new Set<number>();
  for (const line of table.split("\n").slice(1)) {
    const [, local = "", , state] = line.trim().split(/\s+/);
    if (state === listening) ports.add(Number.parseInt(local.split(":").at(-1) ?? "", 16));
  }
  return ports;
}
