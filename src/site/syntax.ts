import type { YAMLError } from "yaml";

/** A YAML error in our own words. The parser's words are not repeated: they quote the file, and perhaps a password. */
export interface SyntaxFault {
  readonly code: string;
  readonly offset: number;
  readonly what: string;
  readonly fix: string;
}

const feature_codes: ReadonlySet<string> = new Set([
  "BAD_ALIAS",
  "ALIAS_PROPS",
  "MULTIPLE_ANCHORS",
  "MULTIPLE_TAGS",
  "TAG_RESOLVE_FAILED",
  "BAD_PROP_ORDER",
]);

export function syntaxFault(error: Pick<YAMLError, "code" | "message" | "pos">, text: string): SyntaxFault {
  const [offset] = error.pos;
  if (error.code === "DUPLICATE_KEY")
    return {
      code: "DUET-E-SITE-DUPLICATE-KEY",
      offset,
      what: "this key is already there: a key may stand only once in a mapping",
      fix: "keep one of the two; begin each machine with its own `- name:`",
    };
  if (error.code === "MULTIPLE_DOCS")
    return {
      ...notYaml(offset),
      what: "a site file is one document: nothing may follow a line `---` in the middle",
      fix: "keep one site per file",
    };
  if (error.code === "RESOURCE_EXHAUSTION") return tooDeep;
  return feature_codes.has(error.code) ? yamlFeature(offset) : lineFault(error, text);
}

export function yamlFeature(offset: number): SyntaxFault {
  return {
    code: "DUET-E-SITE-YAML-FEATURE",
    offset,
    what: "a site file has no anchors (&), aliases (*), merge keys (<<) and tags (!)",
    fix: "write the value out in full, in quotes if it begins with one of these characters",
  };
}

export const tooDeep: SyntaxFault = {
  code: "DUET-E-SITE-SYNTAX",
  offset: 0,
  what: "this is nested deeper than any site file needs",
  fix: "is this the right file? `duet init` writes one that works",
};

interface Line {
  readonly begin: number;
  readonly text: string;
  readonly indent: number;
}

function lineAt(text: string, offset: number): Line {
  const begin = text.lastIndexOf("\n", offset - 1) + 1;
  const end = text.indexOf("\n", begin);
  const line = text.slice(begin, end === -1 ? undefined : end);
  return { begin, text: line, indent: line.length - line.trimStart().length };
}

const is_key = /^\s*(- +)*[\w.-]+:(\s|$)/;
const is_blank = /^\s*(#.*)?$/;

/** The parser stops where it no longer understands; the mistake is often a line before or after. */
function lineFault(
  { code, message, pos: [offset] }: Pick<YAMLError, "code" | "message" | "pos">,
  text: string,
): SyntaxFault {
  const line = lineAt(text, offset);
  if (code === "TAB_AS_INDENT" || /^ *\t/.test(line.text))
    return { ...wrongIndent(line), what: "a tab is no indent in YAML", fix: "use spaces, two per level" };
  if (/:\s+\[[0-9a-f:.]+\]:\d/i.test(line.text))
    return { ...notYaml(offset), fix: 'an IPv6 address with a port needs quotes: "[2001:db8::11]:8443"' };
  const opened = unclosed(code, message, text, offset);
  if (opened !== undefined) return opened;
  if (/^\s*(- +)?[\w-]+:[^\s:]/.test(line.text))
    return {
      ...notYaml(line.begin + line.indent),
      what: "this is not YAML: a colon after a key has a space behind it",
      fix: "write `key: value`",
    };
  if (code === "MULTILINE_IMPLICIT_KEY" || code === "BLOCK_AS_IMPLICIT_KEY") {
    if (message.startsWith("A block sequence")) return wrongIndent(line);
    const next = nextLine(text, line);
    if (next !== undefined && next.indent > line.indent && is_key.test(next.text)) return wrongIndent(next);
    if (!is_key.test(line.text) || /:\s.*:\s/.test(line.text)) return notYaml(line.begin + line.indent);
    return wrongIndent(line);
  }
  const indent =
    code === "BAD_INDENT" ||
    (code === "MISSING_CHAR" && offset <= line.begin + line.indent && is_key.test(line.text));
  return indent ? wrongIndent(line) : notYaml(offset);
}

function nextLine(text: string, line: Line): Line | undefined {
  for (let end = line.begin + line.text.length; end < text.length; ) {
    const next = lineAt(text, end + 1);
    if (!is_blank.test(next.text)) return next;
    end = next.begin + next.text.length;
  }
  return undefined;
}

/** A bracket or quote that is never closed is found far below the line where it was opened. */
function unclosed(code: string, message: string, text: string, offset: number): SyntaxFault | undefined {
  const bracket = code === "BAD_INDENT" && message.startsWith("Flow");
  const quote = code === "MISSING_CHAR" && message.startsWith("Missing closing");
  if (!bracket && !quote) return undefined;
  const pattern = bracket ? /[[{][^\]}\n]*$/gm : /: +(["'])(?:(?!\1).)*$/gm;
  const found = [...text.slice(0, offset).matchAll(pattern)].at(bracket ? -1 : 0);
  return {
    ...notYaml(found === undefined ? offset : found.index + (bracket ? 0 : found[0].search(/["']/))),
    what: `this is not YAML: a ${bracket ? "bracket" : "quote"} is opened here and not closed`,
    fix: `close it on the same line`,
  };
}

function wrongIndent(line: Line): SyntaxFault {
  return {
    code: "DUET-E-SITE-INDENT",
    offset: line.begin + line.indent,
    what: "wrong indent: the keys of one mapping, and the entries of one list, begin in the same column",
    fix: "indent this line with spaces like the others of its block, two spaces per level",
  };
}

function notYaml(offset: number): SyntaxFault {
  return {
    code: "DUET-E-SITE-SYNTAX",
    offset,
    what: "this is not YAML: something is missing, or too much, on this line or the one before it",
    fix: "write `key: value`, and put a value in quotes if it has brackets, quotes, `#`, or a colon with a space",
  };
}
