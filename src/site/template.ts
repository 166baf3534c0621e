import { parse } from "yaml";
import { canonicalAddress, family, parseEndpoint } from "./address.ts";
import { saveCertificate } from "./certificate.ts";
import { networksDefault } from "./kubernetes.ts";
import { contains, parseNetwork } from "./network.ts";
import type { CredentialsRef } from "./site.ts";

/** What `duet init` asks for. */
export interface Answers {
  readonly name: string;
  readonly topology: string;
  readonly ssh_keys: readonly string[];
  readonly machines: readonly MachineAnswers[];
  readonly api?: string;
}

export interface MachineAnswers {
  readonly name: string;
  readonly addresses: readonly string[];
  readonly bmc: string;
  readonly credentials: CredentialsRef;
  /** Which certificate to believe, where it is not one of the system's store. */
  readonly trust?: { readonly ca: string } | { readonly fingerprint: string };
}

/** A site file for people to read and go on with: what was answered, and the rest as comments that explain it. */
export function siteTemplate(answers: Answers): string {
  const keys = answers.ssh_keys.map(scalar);
  return `# A site of duet. docs/site.md explains every key; \`duet check\` checks this file and what it describes.
name: ${scalar(answers.name)}
topology: ${scalar(answers.topology)}
ssh_key: ${keys.length === 1 ? keys[0] : `[${keys.join(", ")}]`}
machines:
${answers.machines.map(machineText).join("")}
# The API's virtual IP, where no load balancer of the site's has one. It follows duet's own API servers: held only with \`kubernetes\`.
${answers.api === undefined ? "# api: { address: 192.0.2.10 }" : `api: { address: ${scalar(answers.api)} }`}

# A Kubernetes control plane on the machines, made by duet; leave it out where they have one of their own. docs/kubernetes.md.
${answers.api === undefined ? "# kubernetes: {}" : kubernetesText(answers)}

# Who wins when the wire between two healthy machines is cut: a machine's name, or leader.
# Without this, the name that sorts first.
# \`test: setup\` lets setup switch each machine off once, to measure how long that takes; \`stop_failure: fence\` powers a machine
# off that can't stop its kubelet or CRI-O.
# fencing: { preferred: ${scalar(answers.machines[0]?.name ?? "node1")}, test: setup }

# off gives up starting a machine alone without a human.
# witness: on

# timeouts: { token: 1500ms, bmc_call: 8s, fence: 60s }

# Who is told when a machine is lost, a takeover is done or a human is needed; docs/alerts.md.
# alerts:
#   - webhook: { url: https://alerts.example/duet, headers: hook.headers }
#   - mail: { to: ops@example.org }
#   - syslog: { facility: local0 }
`;
}

/** Every default; other networks only where one of those is in use, so that nobody has to find that out from a refusal. */
function kubernetesText({ machines, api = "" }: Answers): string {
  const hosts = machines.flatMap(({ addresses, bmc }) => [...addresses, parseEndpoint(bmc)?.host ?? ""]);
  const used = [...hosts, api].flatMap((each) => canonicalAddress(each) ?? []);
  const isFree = (text: string): boolean => {
    const network = parseNetwork(text);
    return network !== undefined && !used.some((each) => contains(network, each));
  };
  const first = family(used[0] ?? "");
  const defaults = networksDefault(first);
  if (isFree(defaults.pods) && isFree(defaults.services)) return "kubernetes: {}";
  const [pods, services] = networks_instead[first].filter(isFree);
  // Whoever has addresses in all of them is told where the file is checked.
  return services === undefined ? "kubernetes: {}" : `kubernetes: { pods: ${pods}, services: ${services} }`;
}

const networks_instead = {
  4: ["172.20.0.0/16", "172.21.0.0/16", "192.168.0.0/17", "192.168.128.0/17"],
  6: [],
} as const;

function machineText(machine: MachineAnswers): string {
  const { credentials } = machine;
  const ref = "file" in credentials ? `file: ${scalar(credentials.file)}` : `env: ${scalar(credentials.env)}`;
  return `  - name: ${scalar(machine.name)}
    addresses: [${machine.addresses.map(scalar).join(", ")}]
    bmc:
      address: ${scalar(machine.bmc)}
      # One line, username:password; in a file that nobody else may read (umask 077).
      credentials: { ${ref} }
${trustText(machine)}`;
}

function trustText({ name, bmc, trust }: MachineAnswers): string {
  if (trust === undefined)
    return `      # For a self-signed certificate; compare its fingerprint with what the BMC's own pages show:
      #   ${saveCertificate(bmc, `${name}.crt`)}
      # trust: { ca: ${name}.crt }
`;
  return "ca" in trust
    ? `      trust: { ca: ${scalar(trust.ca)} }\n`
    : `      trust: { fingerprint: ${JSON.stringify(trust.fingerprint)} }\n`;
}

/** As it is where YAML reads it back as the same text, also within brackets; else in quotes (`2001:db8::`, `123`, `on`). */
function scalar(text: string): string {
  if (!/^[\w./:-]+$/.test(text)) return JSON.stringify(text);
  try {
    const read: unknown = parse(`[${text}, ${text}]`);
    return Array.isArray(read) && read.length === 2 && read.every((each) => each === text)
      ? text
      : JSON.stringify(text);
  } catch {
    return JSON.stringify(text);
  }
}
