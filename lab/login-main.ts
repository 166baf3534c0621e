import { readInput } from "../src/agents/fence/machine.ts";
import { loadSite } from "../src/machine/site-file.ts";
import { tryLogins } from "./logins.ts";

/** In the operator's seat, in the folder of its site: `MACHINE` tries each line of standard input, `username:password`, at its BMC. */
async function main([name = ""]: readonly string[]): Promise<void> {
  const lines = (await readInput(process.stdin)).split("\n").filter((line) => line !== "");
  process.stdout.write(`${JSON.stringify(await tryLogins(await loadSite("site.yaml"), ".", name, lines))}\n`);
}

await main(process.argv.slice(2));
