import { isIPv6 } from "node:net";
import { apiResource } from "../../base/paths.ts";
import { fail } from "../../base/problem.ts";
import { run } from "../../machine/process.ts";
import { addressAgent } from "../../render/address-agent.ts";

/** OCF's "not installed". */
const status_not_installed = 5;
/** The agent's own file is missing. */
const status_not_found = 127;

/** The agent itself is asked: is all that it needs here, and has this machine a network that the address belongs to? Nothing is changed. */
export async function canHold(
  address: string,
  say: (detail: string) => void,
  agent: string = addressAgent,
): Promise<void> {
  const { status, stderr } = await run([agent, "validate-all"], {
    accept: "any",
    deadline_ms: 20_000,
    env: { OCF_RESOURCE_INSTANCE: apiResource, OCF_RESKEY_ip: address },
  });
  if (status === 0) return say(address);
  fail(
    "DUET-E-KUBERNETES-ADDRESS",
    address,
    `it can't be held here: ${reasonIn(stderr) || `the agent ends with status ${status}`}`,
    status === status_not_installed
      ? "install the package resource-agents; setup goes on by itself then"
      : status === status_not_found
        ? "render the site again, and put the files on both machines"
        : `give this machine an IPv${isIPv6(address) ? 6 : 4} address in the network of the virtual IP, or change \`api\` in the site file`,
  );
}

const reasonIn = (stderr: string): string =>
  (/^ocf-exit-reason:(.*)$/m.exec(stderr)?.[1] ?? "").slice(0, 300);
