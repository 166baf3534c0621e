/** What a fence agent is called with: on stdin by Pacemaker, as arguments by people. */
export interface FenceOptions {
  readonly action: string | undefined;
  /** The machine to act on; undefined: the peer, there is no other. */
  readonly target: string | undefined;
  /** Of the target's BMC, in place of the one that the site file names. */
  readonly credentialsFile: string | undefined;
  readonly siteFile: string | undefined;
}

export type Parsed =
  | { readonly ok: true; readonly options: FenceOptions }
  | { readonly ok: false; readonly why: string };

/** One line each, `name=value`, taken literally. Names that are not known are passed over, as the interface demands. */
export function parseInput(text: string): Parsed {
  const found = new Map<string, string>();
  for (const line of text.split("\n")) {
    const equals = line.indexOf("=");
    if (line.startsWith("#") || equals < 1) continue;
    found.set(line.slice(0, equals).trim(), line.slice(equals + 1).replace(/\r$/, ""));
  }
  return accept(found);
}

const flags: ReadonlyMap<string, string> = new Map([
  ["-o", "action"],
  ["--action", "action"],
  ["-n", "plug"],
  ["--plug", "plug"],
  ["--nodename", "nodename"],
  ["--credentials-file", "credentials_file"],
  ["--site-file", "site_file"],
]);
/** Other agents have them, and scripts pass them on. */
const ignored: ReadonlySet<string> = new Set(["-v", "--verbose", "-q", "--quiet"]);
const questions: ReadonlyMap<string, string> = new Map([
  ["-h", "help"],
  ["--help", "help"],
  ["-V", "version"],
  ["--version", "version"],
]);

export function parseArguments(argv: readonly string[]): Parsed {
  const found = new Map<string, string>();
  for (let index = 0; index < argv.length; index++) {
    const word = argv[index] ?? "";
    const [flag = "", ...rest] = word.split("=");
    const question = questions.get(word);
    if (question !== undefined) found.set("action", question);
    if (question !== undefined || ignored.has(word)) continue;
    const name = flags.get(flag);
    if (name === undefined)
      return { ok: false, why: `${flag} is no option of this agent; --help lists them` };
    const value = word.includes("=") ? rest.join("=") : argv[++index];
    if (value === undefined) return { ok: false, why: `${flag} needs a value` };
    found.set(name, value);
  }
  return accept(found);
}

/** Whatever is among a device's options can be read by everybody who may look at the cluster. */
const secrets = ["password", "passwd", "password_script", "passwd_script"];

function accept(found: ReadonlyMap<string, string>): Parsed {
  const secret = secrets.find((name) => found.has(name));
  const value = (...names: readonly string[]) =>
    names.map((name) => found.get(name)).find((each) => each !== undefined && each !== "");
  const action = value("action", "option");
  if (secret !== undefined && action !== "metadata")
    return {
      ok: false,
      why: `${secret} has no place among a device's options: name a file with credentials_file, or leave that to the site file`,
    };
  return {
    ok: true,
    options: {
      action,
      target: value("plug", "port", "nodename"),
      credentialsFile: value("credentials_file"),
      siteFile: value("site_file"),
    },
  };
}
