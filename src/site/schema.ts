import * as v from "valibot";
import { alertsSchema } from "./alert-schema.ts";
import { canonicalAddress, isReachable, parseEndpoint } from "./address.ts";
import { links_max, name_length_max, outlets_max, reserved_names } from "./defaults.ts";
import { parseDuration } from "./duration.ts";
import { parseFingerprint } from "./fingerprint.ts";
import { kubernetesSchema } from "./kubernetes-schema.ts";
import type { SentenceKey } from "./sentences.ts";

/**
 * The shape of the file as users write it. Every message is a key of sentences.ts: valibot's own messages quote what was
 * written, and that may be a password. docs/site.schema.json is made from this by scripts/schema.ts.
 */
const say = (key: SentenceKey): string => key;

const name = v.pipe(
  v.string(say("text")),
  v.maxLength(name_length_max, say("name-long")),
  v.regex(/^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/, say("name")),
  v.check((text) => !reserved_names.includes(text), say("name-reserved")),
);

const address = v.pipe(
  v.string(say("address")),
  v.check((text) => canonicalAddress(text) !== undefined, say("address")),
  v.check((text) => isReachable(canonicalAddress(text) ?? text), say("address-unreachable")),
);

const endpoint = v.pipe(
  v.string(say("endpoint")),
  v.check((text) => !text.includes("@"), say("password-url")),
  v.check((text) => !/^http:\/\//i.test(text), say("endpoint-http")),
  v.check((text) => !/^(https:\/\/)?[^/:]+(:\d+)?\/[^/]/i.test(text), say("endpoint-path")),
  v.check((text) => parseEndpoint(text) !== undefined, say("endpoint")),
  v.description(
    "https://host, https://host:port, host, host:port; an IPv6 address as https://[2001:db8::11]",
  ),
);

const path = v.pipe(
  v.string(say("path")),
  v.minLength(1, say("path")),
  v.check((text) => !/[\p{Cc}:]|^~|^\s|\s$/u.test(text), say("path")),
);

const redfish_path = v.pipe(
  v.string(say("redfish-path")),
  v.regex(/^\/redfish\/v1\/[\w./-]+$/, say("redfish-path")),
);

const env_name = /^[A-Z_][A-Z0-9_]*$/;

const credentials = v.pipe(
  v.strictObject(
    {
      file: v.optional(
        v.pipe(
          path,
          v.description("A file, relative to this one, mode 600, with one line: username:password"),
        ),
      ),
      env: v.optional(
        v.pipe(
          v.string(say("env")),
          v.regex(env_name, say("env")),
          v.description("An environment variable that holds username:password"),
        ),
      ),
    },
    say("credentials"),
  ),
  v.minEntries(1, say("credentials-one")),
  v.maxEntries(1, say("credentials-one")),
  v.description("Where the credentials are; never the credentials themselves"),
);

const fingerprint = v.pipe(
  v.string(say("fingerprint")),
  v.check((text) => parseFingerprint(text) !== undefined, say("fingerprint")),
);

const trust = v.pipe(
  v.strictObject(
    {
      ca: v.optional(
        v.pipe(path, v.description("A PEM file with the certificate authority that signed its certificate")),
      ),
      fingerprint: v.optional(
        v.pipe(
          fingerprint,
          v.description("SHA-256 of its certificate, as `openssl x509 -fingerprint -sha256` prints it"),
        ),
      ),
      nothing: v.optional(
        v.pipe(
          v.literal(true, say("trust-nothing")),
          v.description("Take any certificate; whoever sits on the wire can read the password"),
        ),
      ),
    },
    say("trust"),
  ),
  v.minEntries(1, say("trust")),
  v.maxEntries(1, say("trust")),
  v.description("Which certificate to believe; without this, what the system's store believes"),
);

const bmc = v.pipe(
  v.strictObject(
    {
      address: endpoint,
      credentials,
      trust: v.optional(trust),
      system: v.optional(
        v.pipe(
          redfish_path,
          v.description(
            "The System to control, where the BMC has more than one, such as /redfish/v1/Systems/1",
          ),
        ),
      ),
    },
    say("bmc"),
  ),
  v.description("The machine's management controller, which speaks Redfish over HTTPS"),
);

const outlet = v.pipe(
  v.strictObject(
    {
      address: endpoint,
      outlet: v.pipe(
        redfish_path,
        v.description(
          "The outlet that feeds machine and BMC, or one of their supplies, such as /redfish/v1/PowerEquipment/RackPDUs/1/Outlets/A1",
        ),
      ),
      credentials,
      trust: v.optional(trust),
    },
    say("pdu"),
  ),
  v.description("One power outlet"),
);

const pdu = v.pipe(
  v.union(
    [
      outlet,
      v.pipe(
        v.array(outlet, say("pdu")),
        v.minLength(1, say("pdu-none")),
        v.maxLength(outlets_max, say("pdu-many")),
      ),
    ],
    say("pdu"),
  ),
  v.description(
    "The power outlet that feeds machine and BMC, or a list of all that do: proves Off where the whole feed is lost",
  ),
);

const machine = v.strictObject(
  {
    name: v.pipe(
      name,
      v.description("The machine's host name: lower-case letters, digits and -, at most 63"),
    ),
    addresses: v.pipe(
      v.array(address, say("addresses")),
      v.minLength(1, say("addresses-none")),
      v.maxLength(links_max, say("addresses-many")),
      v.description("One address per cluster link, one or two links, in the same order on both machines"),
    ),
    bmc,
    pdu: v.optional(pdu),
  },
  say("machine"),
);

const duration = v.pipe(
  v.string(say("duration")),
  v.regex(/^\d{1,9}(\.\d{1,3})?(ms|s|m)$/, say("duration")),
  v.check((text) => parseDuration(text) !== undefined, say("duration")),
);

export const topologies = ["dual-replica", "pair", "single"] as const;

export const siteSchema = v.pipe(
  v.strictObject(
    {
      name: v.pipe(name, v.description("The site's name: lower-case letters, digits and -, at most 63")),
      topology: v.pipe(
        v.picklist(topologies, say("topology")),
        v.description(
          "dual-replica: two machines, one control plane. pair: two clusters of one. single: one machine",
        ),
      ),
      ssh_key: v.pipe(
        v.union(
          [path, v.pipe(v.array(path, say("ssh-key")), v.minLength(1, say("ssh-key")))],
          say("ssh-key"),
        ),
        v.description("Public keys that may log in to the machines as root: a file, or a list of files"),
      ),
      machines: v.pipe(
        v.array(machine, say("machines")),
        v.minLength(1, say("machines")),
        v.description("The machines"),
      ),
      api: v.optional(
        v.pipe(
          v.strictObject({ address: v.pipe(address, v.description("The virtual IP")) }, say("api")),
          v.description("A virtual IP for the API, where no load balancer of the site's has one"),
        ),
      ),
      kubernetes: v.optional(kubernetesSchema),
      fencing: v.optional(
        v.pipe(
          v.strictObject(
            {
              agent: v.optional(
                v.pipe(
                  v.picklist(["fence_duet", "fence_redfish"], say("fence-agent")),
                  v.description(
                    "fence_duet is duet's own; fence_redfish is the stock agent, which can't refuse, takes no turns and knows no PDU",
                  ),
                ),
              ),
              preferred: v.optional(
                v.pipe(
                  v.string(say("text")),
                  v.description(
                    "Who wins when the wire between two healthy machines is cut: a machine's name, or leader",
                  ),
                ),
              ),
              stop_failure: v.optional(
                v.pipe(
                  v.picklist(["block", "fence"], say("stop-failure")),
                  v.description(
                    "When CRI-O or the kubelet can't be stopped: block leaves it and shows it, fence powers the machine off",
                  ),
                ),
              ),
              test: v.optional(
                v.pipe(
                  v.picklist(["off", "setup"], say("fence-test")),
                  v.description(
                    "setup: at the first setup each machine is switched off once by its peer, to measure how long that takes",
                  ),
                ),
              ),
            },
            say("fencing"),
          ),
          v.description("How the race to fence is decided, and when a machine is switched off"),
        ),
      ),
      witness: v.optional(
        v.pipe(
          v.picklist(["on", "off"], say("witness")),
          v.description("off gives up starting alone without a human"),
        ),
      ),
      alerts: v.optional(alertsSchema(path, trust)),
      timeouts: v.optional(
        v.pipe(
          v.strictObject(
            {
              token: v.optional(
                v.pipe(duration, v.description("How long a silent peer is still believed alive: 1s to 30s")),
              ),
              bmc_call: v.optional(v.pipe(duration, v.description("One call to a BMC: 1s to 60s"))),
              fence: v.optional(
                v.pipe(duration, v.description("From asking for Off until Off is confirmed: 5s to 600s")),
              ),
            },
            say("timeouts"),
          ),
          v.description("Time-outs, each a number with its unit: ms, s or m"),
        ),
      ),
    },
    say("site"),
  ),
  v.title("duet site"),
  v.description("One site of duet: what site.yaml says"),
);

export type WrittenSite = v.InferOutput<typeof siteSchema>;
export type WrittenMachine = WrittenSite["machines"][number];
export type WrittenOutlet = v.InferOutput<typeof outlet>;

/** The forms of single values, for who asks for them one by one. */
export const fields = {
  name,
  topology: v.picklist(topologies, say("topology")),
  address,
  endpoint,
  path,
  env: v.pipe(v.string(say("env")), v.regex(env_name, say("env"))),
  fingerprint,
} as const;
