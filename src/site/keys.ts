import type { Problem } from "../base/problem.ts";
import { nearest, oneOf } from "../base/text.ts";
import { parseDuration } from "./duration.ts";
import { sentences } from "./sentences.ts";
import { siteSchema } from "./schema.ts";
import type { Path, Source } from "./source.ts";

/** Keys that are not known where they stand, and what they were probably meant to be. */
export interface KeyFindings {
  readonly problems: readonly Problem[];
  /** Paths (as JSON) whose further problems only follow from one that is already told. */
  readonly explained: ReadonlySet<string>;
}

interface Shape {
  readonly entries: Readonly<Record<string, unknown>>;
}

interface Mapping extends Shape {
  readonly path: Path;
}

const looks_secret = /pass|pwd|secret|token|api.?key|private|auth/i;
const carries_login = /:\/\/[^/\s]*@/;

export function checkKeys(source: Source): KeyFindings {
  const problems: Problem[] = [];
  const explained = new Set<string>();
  const explain = (path: Path) => explained.add(JSON.stringify(path));
  const visit = (schema: unknown, data: unknown, path: Path, around: readonly Mapping[]): void => {
    if (typeof data === "string" && carries_login.test(data)) {
      problems.push(told("password-url", source.where(path)));
      explain(path);
    } else if (Array.isArray(data)) {
      // valibot takes a list for a mapping without keys.
      if (shapeOf(schema) !== undefined && itemOf(schema) === undefined) {
        problems.push(told(messageOf(schema), source.where(path)));
        explain(path);
      }
      const item = itemOf(schema);
      for (const [index, each] of data.entries()) visit(item, each, [...path, index], around);
    } else if (isRecord(data)) {
      const shape = shapeOf(schema);
      if (shape !== undefined)
        for (const found of unknownKeys(shape, data, path, around)) {
          problems.push(found.problem(source.where([...path, found.key], "key")));
          for (const each of found.explains) explain(each);
        }
      for (const [key, value] of Object.entries(data))
        visit(
          shape?.entries[key],
          value,
          [...path, key],
          shape === undefined ? around : [...around, { ...shape, path }],
        );
    }
  };
  visit(siteSchema, source.data, [], []);
  return { problems, explained };
}

interface Unknown {
  readonly key: string;
  readonly problem: (where: string) => Problem;
  readonly explains: readonly Path[];
}

function unknownKeys(
  shape: Shape,
  data: Readonly<Record<string, unknown>>,
  path: Path,
  around: readonly Mapping[],
): readonly Unknown[] {
  const known = Object.keys(shape.entries);
  const keys = Object.keys(data);
  const strange = keys.filter((key) => !known.includes(key));
  const secret = strange.filter((key) => isSecret(key, data[key]));
  // `credentials: { user: ..., password: ... }` is one mistake, told at the password.
  if (secret.length > 0 && known.includes("env"))
    return secret
      .slice(0, 1)
      .map((key) => ({ key, problem: (where) => told("password-key", where), explains: [path] }));

  const found: Unknown[] = [];
  for (const key of strange) {
    const hollow = keys
      .slice(0, keys.indexOf(key))
      .findLast((each) => data[each] === null && has(shape, each, key));
    const outer = around.findLast((each) => Object.hasOwn(each.entries, key));
    const near = nearest(key, known);
    if (hollow !== undefined) {
      if (!found.some((each) => each.explains.some((one) => one.at(-1) === hollow)))
        found.push({
          key,
          problem: indentProblem(`move it and what belongs to it in, below \`${hollow}\``),
          explains: [[...path, hollow]],
        });
    } else if (secret.includes(key))
      found.push({
        key,
        problem: (where) =>
          told(Object.hasOwn(shape.entries, "headers") ? "alert-secret" : "password-key", where),
        explains: [],
      });
    else if (outer !== undefined)
      found.push({
        key,
        problem: indentProblem(`move \`${key}\` out, to the column of the keys that it belongs to`),
        explains: [[...outer.path, key]],
      });
    else
      found.push({
        key,
        problem: unknownProblem(key, near, known),
        explains: near === undefined || near in data ? [] : [[...path, near]],
      });
  }
  return found;
}

/** `timeouts.token` has its name in common with secrets: a duration gives it away. */
function isSecret(key: string, value: unknown): boolean {
  return (
    looks_secret.test(key) &&
    !(key === "token" && typeof value === "string" && parseDuration(value) !== undefined)
  );
}

function has(shape: Shape, key: string, inner: string): boolean {
  const inside = shapeOf(shape.entries[key]);
  return inside !== undefined && Object.hasOwn(inside.entries, inner);
}

function indentProblem(fix: string): (where: string) => Problem {
  return (where) => ({
    code: "DUET-E-SITE-INDENT",
    where,
    what: "wrong indent: this key does not belong to the mapping that it stands in",
    fix,
  });
}

/** The key itself is repeated only where it nearly is a right one: a password may have slipped into its place. */
function unknownProblem(
  key: string,
  near: string | undefined,
  known: readonly string[],
): (where: string) => Problem {
  return (where) => ({
    code: "DUET-E-SITE-UNKNOWN-KEY",
    where,
    what: near === undefined ? "this key is not known here" : `\`${key}\` is not known here`,
    fix: near === undefined ? `write ${oneOf(known)}, or remove it` : `did you mean \`${near}\`?`,
  });
}

function told(key: string, where: string): Problem {
  const { code, what, fix } = sentences[key] ?? { code: "", what: "", fix: "" };
  return { code, where, what, fix };
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The mapping that a schema stands for, or may stand for, through `optional`, `pipe` and `union`. */
function shapeOf(schema: unknown): Shape | undefined {
  if (!isRecord(schema)) return undefined;
  if (isRecord(schema["entries"])) return { entries: schema["entries"] };
  return below(schema).map(shapeOf).find(isFound);
}

const isFound = <T>(value: T | undefined): value is T => value !== undefined;

function below({ wrapped, options }: Readonly<Record<string, unknown>>): readonly unknown[] {
  return Array.isArray(options) ? options : [wrapped];
}

function messageOf(schema: unknown): string {
  if (!isRecord(schema)) return "";
  return typeof schema["message"] === "string" ? schema["message"] : messageOf(schema["wrapped"]);
}

function itemOf(schema: unknown): unknown {
  if (!isRecord(schema)) return undefined;
  return schema["item"] ?? below(schema).map(itemOf).find(isFound);
}
