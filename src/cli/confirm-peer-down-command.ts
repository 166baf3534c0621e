import { confirmPeerDown } from "../agents/admin/confirm.ts";
import { exit, type ExitStatus, fail } from "../base/problem.ts";
import { readAccepted } from "../decide/accepted.ts";
import type { Word } from "../decide/facts.ts";
import { type AdminOptions, atDesk, thisMachine } from "./admin-seat.ts";

export interface ConfirmOptions extends AdminOptions {
  readonly acceptDataLoss?: string;
}

const command = "duet confirm-peer-down";

export async function confirmCommand(options: ConfirmOptions, place = thisMachine): Promise<ExitStatus> {
  const accept = acceptOf(options.acceptDataLoss);
  return await atDesk(place, command, options, async (desk) => {
    const end = await confirmPeerDown(desk, accept);
    const text =
      end.outcome === "serves"
        ? `${end.machine} serves without ${end.peer} (${end.by}).\n`
        : `${end.machine} serves already: there is nothing to confirm.\n`;
    return { data: end, text };
  });
}

function acceptOf(text: string | undefined): Word["accept"] {
  if (text === undefined) return undefined;
  const accepted = readAccepted(text);
  if (accepted !== undefined) return accepted;
  return fail(
    "DUET-E-USAGE",
    command,
    `--accept-data-loss takes the number of an epoch, \`unknown\`, or both (\`7,unknown\`), and not \`${text.slice(0, 40)}\``,
    "call it without the option: the refusal says what to name",
    exit.badInput,
  );
}
