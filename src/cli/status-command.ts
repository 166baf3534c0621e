import { gatherHere } from "../agents/status/gather.ts";
import { viewsHere } from "../agents/status/here.ts";
import { judge } from "../agents/status/judge.ts";
import { viewsFromSeat } from "../agents/status/seat.ts";
import { exitOf, type Views } from "../agents/status/status.ts";
import { exit, type ExitStatus } from "../base/problem.ts";
import { printJson } from "./output.ts";
import { drawn, type StatusOptions } from "./status-draw.ts";
import { watchStatus } from "./status-watch.ts";
import { type Asking, notHere, whereAmI } from "./where.ts";

export async function statusCommand(
  file: string | undefined,
  options: StatusOptions,
  duet: string,
): Promise<ExitStatus> {
  const { sshConfig } = options;
  const asking: Asking = { command: "duet status", code: "DUET-E-STATUS-NOT-HERE", file, sshConfig, duet };
  const where = await whereAmI(asking);
  if (options.here === true) {
    if (!("here" in where)) return notHere(asking, "--here", "this is no machine of duet's");
    printJson(await gatherHere({ ...where.here, power: options.power }));
    return exit.ok;
  }
  const see = (power: boolean): Promise<Views> =>
    "here" in where ? viewsHere({ ...where.here, power }) : viewsFromSeat({ ...where.seat, power });
  if (options.watch === true) return await watchStatus(see, options);
  const status = judge(await see(options.power));
  if (options.json === true) printJson(status);
  else process.stdout.write(drawn(status));
  return exitOf(status);
}
