import { chooseData, untoldText } from "../agents/admin/choose.ts";
import { exit, type ExitStatus, fail } from "../base/problem.ts";
import { acceptOf, type LossOptions, atDesk, thisMachine } from "./admin-seat.ts";

export type ChooseOptions = LossOptions;

export async function chooseCommand(
  chosen: string,
  options: ChooseOptions,
  place = thisMachine,
): Promise<ExitStatus> {
  const command = `duet choose-data ${chosen}`;
  const accept = acceptOf(options.acceptDataLoss, "duet choose-data");
  return await atDesk(place, command, options, async (desk) => {
    const { me, peerName } = desk.hands.saying;
    if (chosen !== me && chosen !== peerName)
      fail(
        "DUET-E-USAGE",
        command,
        `there is no machine ${chosen.slice(0, 60)} in this site`,
        `name ${me} or ${peerName}`,
        exit.badInput,
      );
    const end = await chooseData(desk, chosen, accept, desk.hasGivenUp);
    const text =
      end.outcome === "serves"
        ? `${end.machine} serves, with its own data.\n`
        : `${end.machine} has given its data up, and joins ${end.peer} when that serves.\n`;
    const untold = `${untoldText(end.peer, chosen)}\n`;
    return { data: end, text: end.told === false ? `${text}${untold}` : text };
  });
}
