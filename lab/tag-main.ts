import { loadSite } from "../src/machine/site-file.ts";
import { openBmc } from "../src/redfish/open.ts";

/** In the operator's seat, in the folder of its site: `MACHINE TEXT` writes the asset tag of that machine's BMC, whatever stands there. */
const call_ms = 10_000;

async function main([name = "", tag = ""]: readonly string[]): Promise<void> {
  const machine = (await loadSite("site.yaml")).machines.find((each) => each.name === name);
  if (machine === undefined) throw new Error(`there is no machine ${name}`);
  const bmc = await openBmc(machine.bmc, ".", call_ms);
  await bmc.writeTag(tag);
  const read = await bmc.look();
  if (!read.ok || (read.value.tag?.tag ?? "") !== tag)
    throw new Error(`the BMC of ${name} did not take the tag`);
}

await main(process.argv.slice(2));
