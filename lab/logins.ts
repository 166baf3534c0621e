import { parseCredentials } from "../src/machine/credentials.ts";
import { clientWith } from "../src/agents/credentials/keeper.ts";
import { problemOf } from "../src/redfish/failure.ts";
import type { Seen } from "../src/scenario/world.ts";
import type { Site } from "../src/site/site.ts";

/** What the BMC of a machine makes of each line `username:password`: `taken`, `refused`, or why nobody can tell. */
export async function tryLogins(
  site: Site,
  folder: string,
  name: string,
  lines: readonly string[],
): Promise<readonly string[]> {
  const machine = site.machines.find((each) => each.name === name);
  if (machine === undefined) throw new Error(`there is no machine ${name}`);
  const ends: string[] = [];
  for (const line of lines) {
    const client = await clientWith({ site, folder }, machine, parseCredentials(line, "input"));
    const looked = await client.powerState();
    if (looked.ok) ends.push("taken");
    else
      ends.push(
        looked.failure.kind === "login" ? "refused" : problemOf(looked.failure, machine.bmc.url).what,
      );
  }
  return ends;
}

/** Behind a rotation: whatever the command said of itself, the BMC has another password than before. */
export function judgeLogins([old = "not tried", fresh = "not tried"]: readonly string[]): Seen {
  const ok = old === "refused" && fresh === "taken";
  return {
    ok,
    seen: ok
      ? "the BMC refuses the old password and takes the new one"
      : `of the BMC: the old password: ${old}; the new one: ${fresh}`,
  };
}
