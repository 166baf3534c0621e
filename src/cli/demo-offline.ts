import { defaultSite } from "../../lab/site.ts";
import { machineIgnition } from "../render/machine.ts";
import { Secret } from "../base/secret.ts";
import { writeSite } from "../site/write.ts";
import { exit } from "../base/problem.ts";

/** Where no machines can run: what duet would put onto them, made from the same site by the same code. */
export async function demoWithoutMachines(why: string): Promise<void> {
  process.stdout.write(`Can't run machines here: ${why}. Here is what duet would make of a site:\n\n`);
  const site = defaultSite("demo");
  process.stdout.write(`${indent(writeSite(site))}\n`);
  const credentials = new Map(
    site.machines.map((m) => [m.name, { username: "operator", password: new Secret("") }]),
  );
  for (const machine of site.machines) {
    const ignition = machineIgnition(site, machine, {
      credentials,
      pduCredentials: new Map(),
      sshKeys: [],
      authorities: new Map(),
      corosyncKey: new Uint8Array(256),
    });
    const files = ignition.storage.files.map((f) => `  ${f.mode.toString(8).padStart(4, "0")}  ${f.path}`);
    process.stdout.write(`${machine.name} would get:\n${files.join("\n")}\n\n`);
  }
  process.stdout.write("On a Debian box with root, `npm start` boots both machines and loses one of them.\n");
  process.exitCode = exit.ok;
}

const indent = (text: string): string => text.replace(/^/gm, "  ").trimEnd();
