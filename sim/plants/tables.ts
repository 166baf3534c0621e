import type { Rule } from "../../src/decide/rule.ts";
import { type TableName, type Tables, tables } from "../../src/decide/rules.ts";

/** Without these rules the next one that holds decides. */
export function without(table: TableName, ...ids: readonly string[]): Tables {
  const rules: readonly Rule[] = tables[table].rules.filter(({ id }) => !ids.includes(id));
  if (rules.length + ids.length !== tables[table].rules.length)
    throw new Error(`bug: no such rules in ${table}`);
  return { ...tables, [table]: { ...tables[table], rules } };
}

export function instead(
  table: TableName,
  ids: readonly string[],
  change: Partial<Pick<Rule, "when" | "decide">>,
): Tables {
  const known = new Set(tables[table].rules.map(({ id }) => id));
  if (!ids.every((id) => known.has(id))) throw new Error(`bug: no such rules in ${table}`);
  const rules = tables[table].rules.map((rule) => (ids.includes(rule.id) ? { ...rule, ...change } : rule));
  return { ...tables, [table]: { ...tables[table], rules } };
}
