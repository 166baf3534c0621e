import { openBmc, openOutlet } from "../src/redfish/open.ts";
import { loadSite } from "../src/machine/site-file.ts";

/** For tests, at the operator's seat: `MACHINE state`, `MACHINE reset TYPE`, `MACHINE outlet On|Off`, `MACHINE tag [VALUE]`. */
const [name, verb, value = ""] = process.argv.slice(2);
const machine = (await loadSite("site.yaml")).machines.find((m) => m.name === name);
if (machine === undefined) throw new Error(`no machine ${name}`);
const bmc = await openBmc(machine.bmc, ".", 10_000);

async function answer(): Promise<unknown> {
  if (verb === "state") return await bmc.powerState();
  if (verb === "reset") return await bmc.reset(value);
  if (verb === "tag") return value === "" ? await bmc.readTag() : await bmc.writeTag(value);
  const [pdu] = machine?.pdus ?? [];
  if (verb === "outlet" && pdu !== undefined && (value === "On" || value === "Off"))
    return await (await openOutlet(pdu, ".", 30_000)).power(value);
  throw new Error(`not understood: ${verb} ${value}`);
}
process.stdout.write(`${JSON.stringify(await answer())}\n`);
