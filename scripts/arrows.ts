import { dirname, join } from "node:path";
import type { Source } from "./tree.ts";

/** The way that data flows: a folder imports from itself and from those before it. Scripts may import everything. */
export const order = [
  "src/base",
  "src/scenario",
  "src/site",
  "src/render",
  "src/machine",
  "src/redfish",
  "src/facts",
  "src/decide",
  "src/act",
  "src/record",
  "src/agents",
  "lab",
  "sim",
  "src/cli",
  "scripts",
] as const;
type Folder = (typeof order)[number];

/** These decide and compute: same input, same output, so that tests and a simulator can trust them. */
const pure: readonly Folder[] = ["src/base", "src/scenario", "src/site", "src/render", "src/decide", "sim"];

/** Of Node's own modules these do nothing to the outside. */
const pureModules = new Set([
  "node:assert",
  "node:assert/strict",
  "node:buffer",
  "node:crypto",
  "node:net",
  "node:path",
  "node:path/posix",
  "node:util",
]);

/** In src each of these has one door, where calls get their deadlines. The lab has children that outlive every call. */
const doors = new Set(["node:child_process", "node:http", "node:https", "node:http2"]);

const impureGlobals: readonly { readonly seen: RegExp; readonly name: string }[] = [
  { seen: /(?<![\w./-])process\.[a-zA-Z]+/, name: "process" },
  { seen: /\bDate\.now\(|\bnew Date\(\)|\bperformance\.now\(/, name: "the clock" },
  { seen: /\bset(Timeout|Interval|Immediate)\(/, name: "a timer" },
  { seen: /\bMath\.random\(|\brandom(Bytes|UUID|Int)\(/, name: "chance" },
  { seen: /\bfetch\(/, name: "the network" },
  { seen: /\bconsole\.[a-z]+\(/, name: "the console" },
  { seen: /\b(connect|createConnection|createServer)\(|\bnew (Socket|Server)\(/, name: "a socket" },
];

export interface Import {
  readonly line: number;
  /** undefined: computed at run time, so that nobody can follow it. */
  readonly specifier: string | undefined;
}

/** Static, dynamic, type-only and re-exporting imports. Lines that begin as a comment are none. */
export function importsOf(text: string): readonly Import[] {
  const found: Import[] = [];
  for (const [index, line] of text.split("\n").entries()) {
    if (isComment(line)) continue;
    const literal =
      /(?:^|[\s}*])from\s*["']([^"']+)["']|^\s*import\s*["']([^"']+)["']|\bimport\(\s*["']([^"']+)["']/g;
    for (const [, from, bare, dynamic] of line.matchAll(literal))
      found.push({ line: index + 1, specifier: from ?? bare ?? dynamic });
    if (/(?<![."'`\w])import\(\s*(?!["'])\S/.test(line))
      found.push({ line: index + 1, specifier: undefined });
  }
  return found;
}

const isComment = (line: string): boolean => /^\s*(\/\/|\/\*|\*)/.test(line);

/** What tests of the simulator share: real etcd beside the model. Only tests import it. */
const isTesting = (path: string): boolean => /^sim\/.*\/testing-[a-z-]+\.ts$/.test(path);

export const folderOf = (path: string): Folder | undefined =>
  order.find((folder) => path.startsWith(`${folder}/`));

/** What is wrong with a file's imports, one sentence each with file and line. Nobody imports a test: it may look anywhere. */
export function violations(source: Source, dependencies: ReadonlySet<string>): readonly string[] {
  const folder = folderOf(source.path);
  if (folder === undefined) return [`${source.path}:1: is in no folder of the order ${order.join(", ")}`];
  if (source.path.endsWith(".test.ts") || isTesting(source.path)) return [];
  const found: string[] = [];
  for (const { line, specifier } of importsOf(source.text)) {
    const wrong = wrongImport(source.path, folder, specifier, dependencies);
    if (wrong !== undefined) found.push(`${source.path}:${line}: ${wrong}`);
  }
  if (pure.includes(folder)) found.push(...impurities(source, folder));
  return found;
}

function wrongImport(
  path: string,
  folder: Folder,
  specifier: string | undefined,
  dependencies: ReadonlySet<string>,
): string | undefined {
  if (specifier === undefined)
    return folder === "scripts"
      ? undefined
      : "imports a computed name: nobody can see where that arrow points";
  if (specifier.startsWith("node:")) {
    if (pure.includes(folder) && !pureModules.has(specifier))
      return `${folder} is pure and must not import ${specifier}: take the value as an argument, or move this to src/machine`;
    return doors.has(specifier) &&
      path.startsWith("src/") &&
      folder !== "src/machine" &&
      !/testing/.test(path)
      ? `${specifier} has its one door in src/machine, with a deadline on every call: go through that`
      : undefined;
  }
  if (!specifier.startsWith(".")) {
    const name = specifier
      .split("/")
      .slice(0, specifier.startsWith("@") ? 2 : 1)
      .join("/");
    return dependencies.has(name) || folder === "scripts"
      ? undefined
      : `imports ${name}, which is not in "dependencies" of package.json`;
  }
  // The one place where the version stands.
  if (join(dirname(path), specifier) === "package.json") return undefined;
  const target = folderOf(join(dirname(path), specifier));
  if (target === undefined) return `imports ${specifier}, which is in no folder of the order`;
  return order.indexOf(target) <= order.indexOf(folder)
    ? undefined
    : `${folder} must not import from ${target}, which stands after it: pass what is needed in, or move it before`;
}

function impurities({ path, text }: Source, folder: Folder): readonly string[] {
  const found: string[] = [];
  for (const [index, line] of text.split("\n").entries()) {
    if (isComment(line)) continue;
    for (const { seen, name } of impureGlobals)
      if (seen.test(line))
        found.push(
          `${path}:${index + 1}: ${folder} is pure and must not use ${name}: take the value as an argument`,
        );
  }
  return found;
}
