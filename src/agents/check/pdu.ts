import { openOutlet } from "../../redfish/open.ts";
import type { Machine } from "../../site/site.ts";
import { checkReach, failedCall, timed, trustFinding } from "./bmc.ts";
import type { CheckContext } from "./context.ts";
import { type Finding, told } from "./finding.ts";

/** The outlet that feeds a machine, or what it means that the site has none. */
export async function checkPdu(
  machine: Machine,
  { site, folder }: CheckContext,
): Promise<readonly Finding[]> {
  const { name: subject, pdu } = machine;
  if (pdu === undefined)
    return [
      {
        subject,
        check: "power feed",
        mark: "note",
        detail: "no PDU: if machine and BMC lose power together, nothing can prove Off",
        fix: "a person must then see to it that it is off; a `pdu:` with the machine's outlet is the second way to prove it",
      },
    ];
  const reach = await checkReach(subject, "PDU reachable", pdu, site.timeouts.bmc_call_ms);
  if (reach.mark === "fail") return [reach];
  const client = await openOutlet(pdu, folder, site.timeouts.bmc_call_ms).catch(told(subject, "PDU login"));
  if ("subject" in client) return [reach, client];
  const { result, ms } = await timed(() => client.powerState());
  if (!result.ok) return [reach, ...failedCall(subject, "PDU", pdu, result.failure)];
  const outlet: Finding =
    result.value === "On"
      ? { subject, check: "PDU outlet", mark: "ok", detail: `${pdu.outlet} is On`, ms }
      : {
          subject,
          check: "PDU outlet",
          mark: "warn",
          detail: `${pdu.outlet} is ${result.value}`,
          ms,
          fix: "is this the outlet that feeds the machine? A machine at work has power",
        };
  const stock: Finding = {
    subject,
    check: "PDU fencing",
    mark: "note",
    detail: "the outlet answers, but `agent: fence_redfish` fences by the BMC alone",
    fix: "leave `agent` out of `fencing:`: duet's own agent uses the outlet too",
  };
  const unused = site.fencing.agent === "fence_redfish" ? [stock] : [];
  return [reach, trustFinding(subject, "PDU certificate", pdu), outlet, ...unused];
}
