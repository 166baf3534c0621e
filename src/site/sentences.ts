import {
  alerts_max,
  facilities,
  links_max,
  mail_to_max,
  name_length_max,
  outlets_max,
  reserved_names,
} from "./defaults.ts";
import { minor_min } from "./kubernetes.ts";

/** What is said when a value has the wrong form. No sentence repeats the value: it may be a password in the wrong place. */
export interface Sentence {
  readonly code: string;
  readonly what: string;
  readonly fix: string;
}

const credentials_fix =
  "write `credentials: { file: NAME.bmc }` and put one line, username:password, into that file (chmod 600)";

const table = {
  site: {
    code: "DUET-E-SITE-TYPE",
    what: "the file must be a mapping of keys to values",
    fix: "start with `name:`, `topology:`, `ssh_key:` and `machines:`; `duet init` writes such a file",
  },
  text: {
    code: "DUET-E-SITE-TYPE",
    what: "this must be text",
    fix: 'put the value in quotes, as in "0042"',
  },
  machines: {
    code: "DUET-E-SITE-TYPE",
    what: "`machines` must be a list with one entry per machine",
    fix: "begin each machine with `- name:`",
  },
  machine: {
    code: "DUET-E-SITE-TYPE",
    what: "a machine must be a mapping with `name`, `addresses` and `bmc`",
    fix: "begin it with `- name:` and indent its other keys to the column of `name`",
  },
  bmc: {
    code: "DUET-E-SITE-TYPE",
    what: "`bmc` must be a mapping with `address` and `credentials`",
    fix: "write `address:` and `credentials:` below it, indented by two more spaces",
  },
  pdu: {
    code: "DUET-E-SITE-TYPE",
    what: "`pdu` must be a mapping with `address`, `outlet` and `credentials`, or a list of such mappings",
    fix: "write these keys below it, indented by two more spaces, or leave `pdu` out",
  },
  "pdu-none": {
    code: "DUET-E-SITE-TYPE",
    what: "this list has no outlet in it",
    fix: "name every outlet that feeds the machine, each begun with `- address:`, or leave `pdu` out",
  },
  "pdu-many": {
    code: "DUET-E-SITE-TYPE",
    what: `a machine has at most ${outlets_max} outlets`,
    fix: "feed the machine by fewer, or leave `pdu` out: Off is proven only when every outlet that feeds it is off",
  },
  api: {
    code: "DUET-E-SITE-TYPE",
    what: "`api` must be a mapping with `address`",
    fix: "write `api: { address: 192.0.2.10 }` with the site's own address, or leave `api` out",
  },
  kubernetes: {
    code: "DUET-E-SITE-TYPE",
    what: "`kubernetes` must be a mapping",
    fix: "write `kubernetes: {}` for a control plane with every default, or leave `kubernetes` out",
  },
  images: {
    code: "DUET-E-SITE-TYPE",
    what: "`images` must be a mapping",
    fix: "write `images: { apiserver: registry.example/kube-apiserver:v1.36.3 }`, or leave `images` out",
  },
  image: {
    code: "DUET-E-SITE-IMAGE",
    what: "this must be a container image, with its registry and its tag or digest",
    fix: "write a name such as registry.example/kube-apiserver:v1.36.3",
  },
  "kubernetes-version": {
    code: "DUET-E-SITE-VERSION",
    what: "`version` must be a whole version of Kubernetes",
    fix: "write a version such as 1.36.3",
  },
  "kubernetes-old": {
    code: "DUET-E-SITE-VERSION",
    what: `duet makes control planes of Kubernetes 1.${minor_min} and later`,
    fix: `write 1.${minor_min}.0 or a later version, and images of it`,
  },
  network: {
    code: "DUET-E-SITE-NETWORK",
    what: "this must be a network: its first address, and how many bits all its addresses begin with",
    fix: "write a network such as 10.244.0.0/16 or fd00:10:244::/56",
  },
  "api-name": {
    code: "DUET-E-SITE-ADDRESS",
    what: "this must be a host name in lower case, or an address that others reach",
    fix: "write a name such as api.example.org, without https:// and without a port",
  },
  "api-names": {
    code: "DUET-E-SITE-TYPE",
    what: "`names` must be a list of at most 16 names and addresses",
    fix: "write `names: [api.example.org]`, or leave `names` out",
  },
  fencing: {
    code: "DUET-E-SITE-TYPE",
    what: "`fencing` must be a mapping",
    fix: "write `fencing: { preferred: NAME }`, or leave `fencing` out",
  },
  timeouts: {
    code: "DUET-E-SITE-TYPE",
    what: "`timeouts` must be a mapping",
    fix: "write `timeouts: { token: 1500ms }`, or leave `timeouts` out",
  },
  name: {
    code: "DUET-E-SITE-NAME",
    what: "a name has only lower-case letters, digits and `-`, and begins and ends with a letter or digit",
    fix: "write a name such as `node1`",
  },
  "name-long": {
    code: "DUET-E-SITE-NAME",
    what: `a name has at most ${name_length_max} characters (it becomes a host name), and this one has more`,
    fix: "write a shorter name, such as `node1`",
  },
  "name-reserved": {
    code: "DUET-E-SITE-NAME",
    what: `${reserved_names.join(", ")} are no names for a site or machine: duet uses them for something else`,
    fix: "write another name, such as `node1`",
  },
  topology: {
    code: "DUET-E-SITE-CHOICE",
    what: "`topology` must be one of dual-replica, pair, single",
    fix: "write `topology: dual-replica` for one control plane on two machines",
  },
  witness: {
    code: "DUET-E-SITE-CHOICE",
    what: "`witness` must be on or off",
    fix: "write `witness: on`, or leave it out",
  },
  "fence-agent": {
    code: "DUET-E-SITE-CHOICE",
    what: "`agent` must be fence_duet or fence_redfish",
    fix: "leave it out for duet's own; docs/fencing.md says what is lost with the stock one",
  },
  "stop-failure": {
    code: "DUET-E-SITE-CHOICE",
    what: "`stop_failure` must be block or fence",
    fix: "write `fencing: { stop_failure: fence }` to have the machine powered off, or leave it out",
  },
  "fence-test": {
    code: "DUET-E-SITE-CHOICE",
    what: "`test` must be off or setup",
    fix: "write `fencing: { test: setup }` to let setup switch each machine off once, or leave it out",
  },
  addresses: {
    code: "DUET-E-SITE-TYPE",
    what: "`addresses` must be a list with one address per link",
    fix: "write `addresses: [192.0.2.11]` with the machine's own address, or two of them",
  },
  "addresses-none": {
    code: "DUET-E-SITE-LINKS",
    what: "a machine needs an address on at least one link",
    fix: "write `addresses: [192.0.2.11]` with the machine's own address",
  },
  "addresses-many": {
    code: "DUET-E-SITE-LINKS",
    what: `a machine has at most ${links_max} links, and one address on each`,
    fix: "keep one address for each of the two wires between the machines",
  },
  address: {
    code: "DUET-E-SITE-ADDRESS",
    what: "this must be an IP address",
    fix: "write an address such as 192.0.2.11 or 2001:db8::11, without brackets, port, prefix length or zone",
  },
  "address-unreachable": {
    code: "DUET-E-SITE-ADDRESS",
    what: "another machine can't reach this address: it is loopback, link-local, multicast, unspecified or IPv4-mapped",
    fix: "write the address that the machine has on the wire to its peer",
  },
  endpoint: {
    code: "DUET-E-SITE-ENDPOINT",
    what: "this must be the address of a Redfish service",
    fix: "write https://203.0.113.11, https://203.0.113.11:8443, a host name, or https://[2001:db8::11]",
  },
  "endpoint-http": {
    code: "DUET-E-SITE-ENDPOINT",
    what: "Redfish is spoken over HTTPS only: plain HTTP would send the password in the clear",
    fix: "write https:// instead of http://; `trust: { ca: FILE }` takes a self-signed certificate",
  },
  "endpoint-path": {
    code: "DUET-E-SITE-ENDPOINT",
    what: "the address ends after host and port; duet finds the paths behind it by itself",
    fix: "drop what follows the host, and name a System with `system:` if the BMC has several",
  },
  path: {
    code: "DUET-E-SITE-PATH",
    what: "this must be the path of a file, relative to the site file or absolute, with no `:` and no leading `~`",
    fix: "write a path such as node1.bmc or /etc/duet/node1.bmc",
  },
  "ssh-key": {
    code: "DUET-E-SITE-PATH",
    what: "`ssh_key` must be the path of a public key's file, or a list of such paths",
    fix: "write `ssh_key: admin.pub`, with the key itself in that file",
  },
  "redfish-path": {
    code: "DUET-E-SITE-REDFISH-PATH",
    what: "this must be the path of a Redfish resource",
    fix: "write a path that begins with /redfish/v1/, such as /redfish/v1/Systems/1",
  },
  credentials: {
    code: "DUET-E-SITE-PASSWORD",
    what: "`credentials` must say where the credentials are; they never stand in the site file itself",
    fix: credentials_fix,
  },
  "credentials-one": {
    code: "DUET-E-SITE-CREDENTIALS",
    what: "`credentials` must have exactly one of `file` and `env`",
    fix: "write `credentials: { file: node1.bmc }` or `credentials: { env: NODE1_BMC }`",
  },
  env: {
    code: "DUET-E-SITE-CREDENTIALS",
    what: "`env` must be the name of an environment variable: upper-case letters, digits and `_`",
    fix: "write a name such as NODE1_BMC, and put username:password into that variable",
  },
  "password-key": {
    code: "DUET-E-SITE-PASSWORD",
    what: "passwords and other secrets never stand in the site file",
    fix: `remove this key; ${credentials_fix}. Change the password if this file was shared`,
  },
  "password-url": {
    code: "DUET-E-SITE-PASSWORD",
    what: "an address must not carry a user name or password",
    fix: `drop everything up to the @; ${credentials_fix}. Change the password if this file was shared`,
  },
  trust: {
    code: "DUET-E-SITE-TRUST",
    what: "`trust` must have exactly one of `ca`, `fingerprint` and `nothing`",
    fix: "write `trust: { ca: FILE }`, with the BMC's own certificate if it is self-signed, else its authority's",
  },
  "trust-nothing": {
    code: "DUET-E-SITE-TRUST",
    what: "`nothing` can only be true",
    fix: "write `trust: { nothing: true }`, or drop `trust` for the system's store",
  },
  fingerprint: {
    code: "DUET-E-SITE-TRUST",
    what: "`fingerprint` must be the SHA-256 of a certificate: 64 hexadecimal digits, with or without colons",
    fix: "copy what `duet check` shows, or `openssl x509 -noout -fingerprint -sha256`, and put it in quotes",
  },
  alerts: {
    code: "DUET-E-SITE-ALERTS",
    what: "`alerts` must be a list with one entry for each way to tell somebody",
    fix: "begin each with `- webhook:`, `- mail:` or `- syslog:`, or leave `alerts` out",
  },
  alert: {
    code: "DUET-E-SITE-ALERTS",
    what: "an entry of `alerts` must have exactly one of `webhook`, `mail` and `syslog`",
    fix: "begin a new entry with `- ` for each of them",
  },
  "alerts-many": {
    code: "DUET-E-SITE-ALERTS",
    what: `there are at most ${alerts_max} ways to tell somebody`,
    fix: "send to one place that tells the others",
  },
  webhook: {
    code: "DUET-E-SITE-ALERTS",
    what: "`webhook` must be a mapping with `url` or `url_file`",
    fix: "write `- webhook: { url: https://alerts.example/duet }`",
  },
  "webhook-one": {
    code: "DUET-E-SITE-ALERTS",
    what: "`webhook` must have exactly one of `url` and `url_file`",
    fix: "write `url: https://alerts.example/duet`, or `url_file: hook.url` with that line in the file (chmod 600)",
  },
  "webhook-url": {
    code: "DUET-E-SITE-ALERTS",
    what: "this must be the address of a webhook",
    fix: "write https://alerts.example/duet, or https://[2001:db8::10]:8443/duet",
  },
  "webhook-http": {
    code: "DUET-E-SITE-ALERTS",
    what: "a webhook is called over HTTPS only: plain HTTP would send its headers in the clear",
    fix: "write https:// instead of http://; `trust: { ca: FILE }` takes a self-signed certificate",
  },
  "webhook-query": {
    code: "DUET-E-SITE-ALERTS",
    what: "an address with `?` or `#` often carries a token, and this file is not secret",
    fix: "write `url_file: hook.url` and put the address into that file (chmod 600)",
  },
  "alert-secret": {
    code: "DUET-E-SITE-PASSWORD",
    what: "passwords and other secrets never stand in the site file",
    fix: "put them into a file that nobody else may read (chmod 600): a header, as `Name: value`, into that of `headers`, an address with a token into that of `url_file`; change the secret if this file was shared",
  },
  mail: {
    code: "DUET-E-SITE-ALERTS",
    what: "`mail` must be a mapping with `to`",
    fix: "write `- mail: { to: ops@example.org }`; relay, password and TLS belong to the machine's own mail system",
  },
  "mail-address": {
    code: "DUET-E-SITE-ALERTS",
    what: "this must be a mail address, with nothing around it",
    fix: "write ops@example.org, or [ops@example.org, night@example.org]",
  },
  "mail-many": {
    code: "DUET-E-SITE-ALERTS",
    what: `a mail goes to at most ${mail_to_max} addresses`,
    fix: "send to a list of the mail system's",
  },
  syslog: {
    code: "DUET-E-SITE-ALERTS",
    what: "`syslog` must be a mapping",
    fix: "write `- syslog: { facility: local0 }`, or `- syslog: {}`",
  },
  facility: {
    code: "DUET-E-SITE-ALERTS",
    what: `\`facility\` must be one of ${facilities.join(", ")}`,
    fix: "write `facility: local0`, or leave it out",
  },
  duration: {
    code: "DUET-E-SITE-DURATION",
    what: "a time must be a number with its unit, ms, s or m",
    fix: "write a time such as 1500ms or 5s",
  },
} as const satisfies Record<string, Sentence>;

export type SentenceKey = keyof typeof table;

export const sentences: Readonly<Record<string, Sentence>> = table;
