import { problemOf } from "../../redfish/failure.ts";
import { openBmc } from "../../redfish/open.ts";
import type { Machine } from "../../site/site.ts";
import { attempt } from "./attempt.ts";
import { type Known, known, unknown } from "./report.ts";

const bmc_ms = 2_500;

/**
 * As the BMC says it. One that is slower than this is told as silent: a person waits for the answer. `run`: on a machine, where it is noted
 * which BMC has refused a login of late; a status that is drawn again and again must not lock its user out.
 */
export const readPower = (machine: Machine, folder: string, run?: string): Promise<Known<string>> =>
  attempt(
    "the BMC",
    async () => {
      const read = await (await openBmc(machine.bmc, folder, bmc_ms, run)).powerState();
      return read.ok
        ? known(read.value)
        : unknown(`its BMC: ${problemOf(read.failure, machine.bmc.url).what}`);
    },
    bmc_ms,
  );
