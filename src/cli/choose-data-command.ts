import { chooseData } from "../agents/admin/choose.ts";
import { machineDesk, requireMachine } from "../agents/admin/machine.ts";
import { exit, type ExitStatus, fail } from "../base/problem.ts";
import { isTerminal, requireAsking, seatAt, wait_ms } from "./admin-seat.ts";
import { printJson } from "./output.ts";

export interface ChooseOptions {
  readonly yes?: boolean;
  readonly wait: string;
  readonly json?: boolean;
}

export async function chooseCommand(chosen: string, options: ChooseOptions): Promise<ExitStatus> {
  const command = `duet choose-data ${chosen}`;
  const patience_ms = wait_ms(options.wait);
  await requireMachine(command);
  requireAsking(command, options.yes === true);
  const desk = await machineDesk(
    seatAt(options.yes === true, options.json === true),
    patience_ms,
    isTerminal(),
  );
  const { me, peerName } = desk.hands.saying;
  if (chosen !== me && chosen !== peerName)
    fail(
      "DUET-E-USAGE",
      command,
      `there is no machine ${chosen.slice(0, 60)} in this site`,
      `name ${me} or ${peerName}`,
      exit.badInput,
    );
  const end = await chooseData(desk, chosen, desk.hasGivenUp);
  if (options.json === true) printJson(end);
  else {
    process.stdout.write(
      end.outcome === "serves"
        ? `${end.machine} serves, with its own data.\n`
        : `${end.machine} has given its data up, and joins ${end.peer} when that serves.\n`,
    );
    if (end.told === false)
      process.stdout.write(`${end.peer} could not be told: run \`${command}\` there too.\n`);
  }
  return exit.ok;
}
