import { isIPv6 } from "node:net";
import { apiResource } from "../../base/paths.ts";
import { fail } from "../../base/problem.ts";
import { run } from "../../machine/process.ts";

const ocfRoot = "/usr/lib/ocf";
const agentFile = `${ocfRoot}/resource.d/heartbeat/IPaddr2`;
const status_not_found = 127;

/** The agent itself is asked: is it here, and has this machine a network that the address belongs to? Nothing is changed. */
export async function canHold(
  address: string,
  say: (detail: string) => void,
  agent: string = agentFile,
): Promise<void> {
  const { status, stderr } = await run([agent, "validate-all"], {
    accept: "any",
    deadline_ms: 20_000,
    env: {
      OCF_ROOT: ocfRoot,
      OCF_RESOURCE_INSTANCE: apiResource,
      OCF_RESOURCE_TYPE: "IPaddr2",
      OCF_RESKEY_ip: address,
    },
  });
  if (status === 0) return say(address);
  const why =
    status === status_not_found
      ? "the agent IPaddr2 is not installed here"
      : `the agent IPaddr2 can't hold it here: ${reasonIn(stderr) || `status ${status}`}`;
  fail(
    "DUET-E-KUBERNETES-ADDRESS",
    address,
    why,
    status === status_not_found
      ? "install the package resource-agents; setup goes on by itself then"
      : `give this machine an IPv${isIPv6(address) ? 6 : 4} address in the network of the virtual IP, or change \`api\` in the site file`,
  );
}

/** Its log says more than the reason that it gives to Pacemaker. */
const reasonIn = (stderr: string): string =>
  (/ERROR: (.*)$/m.exec(stderr)?.[1] ?? /^ocf-exit-reason:(.*)$/m.exec(stderr)?.[1] ?? "").slice(0, 300);
