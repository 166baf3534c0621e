import type { Choice } from "./policy.ts";

/** The few shapes that Pacemaker's configuration is made of. */

export type Pairs = readonly (readonly [string, string])[];

export function element(name: string, children: readonly string[]): string {
  return [`  <${name}>`, ...children, `  </${name}>`].join("\n");
}

export const values = (policy: Readonly<Record<string, Choice<string>>>): Pairs =>
  Object.entries(policy).map(([name, choice]) => [name, choice.value]);

export function nvset(kind: string, id: string, pairs: Pairs, depth = 4): string {
  const indent = " ".repeat(depth);
  return [
    `${indent}<${kind} id="${id}">`,
    ...pairs.map(([n, v]) => `${indent}  <nvpair id="${id}-${n}" name="${n}" value="${escape(v)}"/>`),
    `${indent}</${kind}>`,
  ].join("\n");
}

function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}
