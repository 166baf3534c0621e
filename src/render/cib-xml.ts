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

export interface Operation {
  readonly name: string;
  readonly timeout_s: number;
  readonly interval_s?: number;
  readonly role?: "Promoted" | "Unpromoted";
  readonly onFail?: string;
}

/** A resource on each machine. `agent`: what runs it, as attributes. */
export function clone(id: string, agent: string, meta: Pairs, operations: readonly Operation[]): string {
  const ops = operations.map(({ name, timeout_s, interval_s = 0, role, onFail }) => {
    const op = `${id}-${name}${role === undefined ? "" : `-${role.toLowerCase()}`}`;
    const as = role === undefined ? "" : ` role="${role}"`;
    const fails = onFail === undefined ? "" : ` on-fail="${onFail}"`;
    return `          <op id="${op}" name="${name}" interval="${interval_s}s" timeout="${timeout_s}s"${as}${fails}/>`;
  });
  return [
    `    <clone id="${id}-clone">`,
    nvset("meta_attributes", `${id}-clone-meta`, meta, 6),
    `      <primitive id="${id}" ${agent}>`,
    "        <operations>",
    ...ops,
    "        </operations>",
    "      </primitive>",
    "    </clone>",
  ].join("\n");
}

function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}
