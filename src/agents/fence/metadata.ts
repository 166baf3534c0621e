interface Parameter {
  readonly name: string;
  readonly flag: string;
  readonly required: boolean;
  readonly what: string;
  readonly default?: string;
}

const parameters: readonly Parameter[] = [
  { name: "action", flag: "-o, --action=[action]", required: true, what: "What to do" },
  {
    name: "plug",
    flag: "-n, --plug=[name]",
    required: false,
    what: "Name of the machine to act on: the peer",
  },
  {
    name: "credentials_file",
    flag: "--credentials-file=[path]",
    required: false,
    what: "File with one line, username:password, that only root may read; by default the one that the site file names",
  },
  {
    name: "site_file",
    flag: "--site-file=[path]",
    required: false,
    what: "The site file: addresses, certificates, PDU outlets and time limits are taken from it",
    default: "/etc/duet/site.yaml",
  },
];

export const actions = [
  "on",
  "off",
  "reboot",
  "status",
  "monitor",
  "list",
  "metadata",
  "validate-all",
] as const;

const description =
  "Switches the peer off by the Redfish service of its BMC, then by its PDU outlets if there are any, all of them. It refuses where this machine " +
  "may not take over, waits for this machine's turn where both may, and is a success only when Off was read, or when somebody has said by duet confirm-peer-down that the peer is off and this machine serves on that word. reboot is the same " +
  "as off: the peer is powered on again once this machine serves.";

/** `fence_duet -o metadata`, as fence-agents' metadata.rng has it. */
export const metadata = (): string =>
  [
    '<?xml version="1.0" ?>',
    '<resource-agent name="fence_duet" shortdesc="Fence agent of duet, for two machines with BMCs" >',
    `<longdesc>${description}</longdesc>`,
    "<vendor-url>https://www.dmtf.org/standards/redfish</vendor-url>",
    "<parameters>",
    ...parameters.flatMap(parameter),
    "</parameters>",
    "<actions>",
    ...actions.map((name) => `\t<action name="${name}"${name === "on" ? ' automatic="0"' : ""}/>`),
    "</actions>",
    "</resource-agent>",
    "",
  ].join("\n");

const parameter = ({ name, flag, required, what, default: value }: Parameter): readonly string[] => [
  `\t<parameter name="${name}" unique="0" required="${required ? 1 : 0}">`,
  `\t\t<getopt mixed="${flag}" />`,
  `\t\t<content type="string"${value === undefined ? "" : ` default="${value}"`} />`,
  `\t\t<shortdesc lang="en">${what}</shortdesc>`,
  "\t</parameter>",
];

export const help = (): string =>
  [
    "fence_duet: switches the peer of this machine off, and on.",
    "",
    "Options, as arguments or, where there are none, as name=value lines on stdin:",
    ...parameters.map(({ name, flag, what }) => `  ${flag.padEnd(28)} ${name}: ${what}.`),
    "",
    `Actions: ${actions.join(", ")}.`,
    "Exit status: 0 done (status: the peer is on), 1 not done, or nothing is known, 2 status: the peer is off.",
    "",
    "Examples:",
    "  fence_duet --action=status",
    "  printf 'action=monitor\\nplug=node2\\n' | fence_duet",
    "",
  ].join("\n");
