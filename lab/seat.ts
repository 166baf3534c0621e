import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { checkoutFolder } from "./checkout.ts";
import type { Lab } from "./folder.ts";
import { seatNamespace } from "./network.ts";

/**
 * The operator's seat: the network that an operator's computer would have, and its own ssh configuration and host names,
 * laid over the host's for the commands that run there and for nobody else.
 */
export async function writeSeat(lab: Lab): Promise<void> {
  const site = join(lab.folder, "site");
  const ssh = lab.site.machines.map((m) =>
    [
      `Host ${[m.name, ...m.addresses].join(" ")}`,
      `  HostName ${m.addresses[0] ?? m.name}`,
      "  User root",
      `  IdentityFile ${join(site, "operator")}`,
      "  IdentitiesOnly yes",
      `  UserKnownHostsFile ${join(site, "known_hosts")}`,
      "  StrictHostKeyChecking accept-new",
      "  LogLevel ERROR",
      "",
    ].join("\n"),
  );
  await writeFile(join(site, "ssh_config"), ssh.join("\n"));
  const hosts = lab.site.machines.map((m) => `${m.addresses[0] ?? ""} ${m.name}`);
  await writeFile(
    join(lab.folder, "seat-hosts"),
    ["127.0.0.1 localhost", "::1 localhost", ...hosts, ""].join("\n"),
  );
}

/** The command line that runs a command in the seat, in the operator's folder, with this checkout's `duet` at hand. */
export function inSeat(lab: Lab, argv: readonly string[]): [string, ...string[]] {
  // Of a lab with Kubernetes: kubectl, and what `duet kubeconfig` has written here.
  const tools = lab.record.kubernetes?.tools;
  const script = `
    mount --bind "$1/site/ssh_config" /etc/ssh/ssh_config
    mount --bind "$1/seat-hosts" /etc/hosts
    cd "$1/site"
    PATH=$2:$PATH
    shift 2
    exec "$@"`;
  return [
    "nsenter",
    `--net=${seatNamespace(lab)}`,
    "unshare",
    "--mount",
    "--propagation",
    "private",
    "sh",
    "-euc",
    script,
    "sh",
    lab.folder,
    [checkoutFolder(), ...(tools === undefined ? [] : [tools])].join(":"),
    ...(tools === undefined ? [] : ["env", `KUBECONFIG=${join(lab.folder, "site", "kubeconfig")}`]),
    ...argv,
  ];
}
