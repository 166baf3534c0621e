import { confirmPeerDown } from "../agents/admin/confirm.ts";
import type { ExitStatus } from "../base/problem.ts";
import { acceptOf, atDesk, type LossOptions, thisMachine } from "./admin-seat.ts";

export type ConfirmOptions = LossOptions;

const command = "duet confirm-peer-down";

export async function confirmCommand(options: ConfirmOptions, place = thisMachine): Promise<ExitStatus> {
  const accept = acceptOf(options.acceptDataLoss, command);
  return await atDesk(place, command, options, async (desk) => {
    const end = await confirmPeerDown(desk, accept);
    const text =
      end.outcome === "serves"
        ? `${end.machine} serves without ${end.peer} (${end.by}).\n`
        : `${end.machine} serves already: there is nothing to confirm.\n`;
    return { data: end, text };
  });
}
