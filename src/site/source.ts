import { type Document, isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from "yaml";
import type { Problem } from "../base/problem.ts";
import { site_bytes_max } from "./defaults.ts";
import { type SyntaxFault, syntaxFault, tooDeep, yamlFeature } from "./syntax.ts";

export type Path = readonly (string | number)[];

/** The file's data with the place of each key and value, so that every problem can name its line. */
export interface Source {
  readonly data: unknown;
  /** `site.yaml:12:5`. Of the nearest thing around it where the path itself is not in the file. */
  where(path: Path, part?: "key" | "value"): string;
  line(path: Path, part?: "key" | "value"): number;
}

interface Place {
  readonly key: number;
  readonly value: number;
}

const depth_max = 12;

export function readSource(text: string, file: string): { source?: Source; problems: readonly Problem[] } {
  const at = (line: number, column: number) => `${file}:${line}:${column}`;
  if (Buffer.byteLength(text) > site_bytes_max) return { problems: [siteTooLong(at(1, 1))] };
  const lines = new LineCounter();
  const document = parse(text, lines);
  const problems: Problem[] = [];
  const place = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return at(Math.max(line, 1), Math.max(col, 1));
  };
  const report = ({ code, offset, what, fix }: SyntaxFault) => {
    problems.push({ code, where: place(offset), what, fix });
  };
  if (document === undefined) report(tooDeep);
  for (const error of document?.errors ?? []) {
    report(syntaxFault(error, text));
    // What the parser makes of the rest after a broken line is guesswork.
    if (error.code !== "DUPLICATE_KEY") return { problems };
  }
  if (document === undefined) return { problems };
  const places = new Map<string, Place>();
  const walk = new Walk(places, report);
  const data = walk.value(document.contents, [], 0);
  const find = (path: Path, part: "key" | "value"): number => {
    for (let length = path.length; length >= 0; length--) {
      const found = places.get(JSON.stringify(path.slice(0, length)));
      if (found !== undefined) return found[length < path.length ? "key" : part];
    }
    return 0;
  };
  const source: Source = {
    data,
    where: (path, part = "value") => place(find(path, part)),
    line: (path, part = "value") => Math.max(lines.linePos(find(path, part)).line, 1),
  };
  return { source, problems };
}

function parse(text: string, lineCounter: LineCounter): Document.Parsed | undefined {
  try {
    // No pretty errors: they quote the line, and the line may hold a password.
    return parseDocument(text, { lineCounter, prettyErrors: false, logLevel: "error", version: "1.2" });
  } catch (error) {
    // Brackets nested by the thousand end the parser's stack.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Makes plain data of the parsed nodes and notes where each stands. */
class Walk {
  readonly #places: Map<string, Place>;
  readonly #report: (fault: SyntaxFault) => void;

  constructor(places: Map<string, Place>, report: (fault: SyntaxFault) => void) {
    this.#places = places;
    this.#report = report;
  }

  value(node: unknown, path: Path, key_offset: number): unknown {
    const value_offset = offsetOf(node) ?? key_offset;
    this.#places.set(JSON.stringify(path), { key: key_offset, value: value_offset });
    if (path.length > depth_max) {
      this.#report({ ...tooDeep, offset: value_offset });
      return undefined;
    }
    this.#refuseFeatures(node, value_offset);
    if (isMap(node)) return this.#map(node.items, path, value_offset);
    if (isSeq(node))
      return node.items.map((item, index) =>
        this.value(item, [...path, index], offsetOf(item) ?? value_offset),
      );
    if (isScalar(node)) return node.value;
    return null;
  }

  #map(items: readonly { key: unknown; value: unknown }[], path: Path, map_offset: number): unknown {
    const data: Record<string, unknown> = { __proto__: null };
    for (const { key, value } of items) {
      const key_offset = offsetOf(key) ?? map_offset;
      if (isAlias(key) || (isScalar(key) && key.value === "<<")) this.#refuse(key_offset);
      else if (isScalar(key) && isPlain(key.value)) {
        const name = String(key.value);
        // The first of two equal keys counts; the second one is reported as such.
        if (!Object.hasOwn(data, name)) data[name] = this.value(value, [...path, name], key_offset);
      } else
        this.#report({
          ...tooDeep,
          offset: key_offset,
          what: "a key must be a plain word",
          fix: "write `key: value`",
        });
    }
    return data;
  }

  #refuseFeatures(node: unknown, offset: number): void {
    if (isAlias(node)) this.#refuse(offset);
    else if (isNode(node) && (("anchor" in node && node.anchor !== undefined) || node.tag !== undefined))
      this.#refuse(offset);
  }

  #refuse(offset: number): void {
    this.#report(yamlFeature(offset));
  }
}

function isPlain(value: unknown): value is string | number | boolean {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

function isNode(node: unknown): node is Node {
  return isMap(node) || isSeq(node) || isScalar(node);
}

function offsetOf(node: unknown): number | undefined {
  return isNode(node) || isAlias(node) ? (node.range?.[0] ?? undefined) : undefined;
}

export function siteTooLong(where: string): Problem {
  return {
    code: "DUET-E-SITE-SIZE",
    where,
    what: `a site file has at most ${site_bytes_max} bytes`,
    fix: "is this the right file? A site with two machines needs about 20 lines",
  };
}
