import { confirmPeerDown } from "../agents/admin/confirm.ts";
import { machineDesk, requireMachine } from "../agents/admin/machine.ts";
import { exit, type ExitStatus, fail } from "../base/problem.ts";
import type { Word } from "../decide/facts.ts";
import { isTerminal, requireAsking, seatAt, wait_ms } from "./admin-seat.ts";
import { printJson } from "./output.ts";

export interface ConfirmOptions {
  readonly acceptDataLoss?: string;
  readonly yes?: boolean;
  readonly wait: string;
  readonly json?: boolean;
}

const command = "duet confirm-peer-down";

export async function confirmCommand(options: ConfirmOptions): Promise<ExitStatus> {
  const accept = acceptOf(options.acceptDataLoss);
  const patience_ms = wait_ms(options.wait);
  await requireMachine(command);
  requireAsking(command, options.yes === true);
  const desk = await machineDesk(
    seatAt(options.yes === true, options.json === true),
    patience_ms,
    isTerminal(),
  );
  const end = await confirmPeerDown(desk, accept);
  if (options.json === true) printJson(end);
  else
    process.stdout.write(
      end.outcome === "serves"
        ? `${end.machine} serves without ${end.peer} (${end.by}).\n`
        : `${end.machine} serves already: there is nothing to confirm.\n`,
    );
  return exit.ok;
}

export function acceptOf(text: string | undefined): Word["accept"] {
  if (text === undefined || text === "unknown") return text;
  const epoch = Number(text);
  if (/^\d{1,12}$/.test(text) && epoch > 0) return epoch;
  return fail(
    "DUET-E-USAGE",
    command,
    `--accept-data-loss takes the number of an epoch, or \`unknown\`, and not \`${text.slice(0, 40)}\``,
    "call it without the option: the refusal names the epoch",
    exit.badInput,
  );
}
