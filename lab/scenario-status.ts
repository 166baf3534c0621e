import { parseJson } from "../src/machine/etcd/failure.ts";
import { passing, runIn } from "./run.ts";
import type { Stage } from "./scenario-stage.ts";

/** As a person there would have it shown; nothing where nobody is there to show it. */
export async function statusAt(stage: Stage, place: string): Promise<unknown> {
  let shown: unknown;
  await passing(async () => {
    const argv = ["duet", "status", "--json"];
    const { stdout } = await runIn(await stage.lab(), place, argv, { accept: "any" });
    shown = parseJson(stdout);
    return true;
  });
  return shown;
}
