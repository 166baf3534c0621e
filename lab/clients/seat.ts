import { chmod, mkdir, writeFile } from "node:fs/promises";
import { isIPv6 } from "node:net";
import { join } from "node:path";
import { etcdPorts } from "../../src/base/paths.ts";
import type { Progress } from "../../src/machine/progress.ts";
import { tlsFile } from "../../src/render/etcd.ts";
import { type Lab, lab_mode } from "../folder.ts";
import { commandIn, runIn, seatName } from "../run.ts";
import { ensureClients } from "./program.ts";

/** Where clients sit: how a program runs there, and how it reaches etcd. */
export interface Seat {
  readonly program: string;
  readonly enter: (argv: readonly [string, ...string[]]) => Promise<[string, ...string[]]>;
  /** The program's arguments for both endpoints and the certificates. */
  readonly connection: readonly string[];
  /** For the history. */
  readonly folder: string;
}

const files = [
  { name: "ca", what: "crt" },
  { name: "client", what: "crt" },
  { name: "client", what: "key" },
] as const;

/**
 * The operator's, which reaches both machines also while they don't reach each other. The clients' certificate comes from a
 * machine that has power, as an administrator who lets somebody in would give it.
 */
export async function operatorsSeat(lab: Lab, machine: string, progress: Progress): Promise<Seat> {
  const folder = join(lab.folder, "clients");
  await mkdir(folder, { recursive: true, mode: lab_mode });
  for (const { name, what } of files) {
    const { stdout } = await runIn(lab, machine, ["cat", tlsFile(name, what)]);
    const path = join(folder, `${name}.${what}`);
    await writeFile(path, stdout, { mode: 0o600 });
    await chmod(path, 0o600);
  }
  const endpoints = lab.site.machines.flatMap(({ name, addresses: [address = ""] }) => [
    "-endpoint",
    `${name}=${isIPv6(address) ? `[${address}]` : address}:${etcdPorts.client}`,
  ]);
  const at = (file: string) => join(folder, file);
  return {
    program: await ensureClients(progress),
    enter: (argv) => commandIn(lab, seatName, argv),
    connection: [...endpoints, "-ca", at("ca.crt"), "-cert", at("client.crt"), "-key", at("client.key")],
    folder,
  };
}
