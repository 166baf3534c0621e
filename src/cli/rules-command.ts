import { exit, fail } from "../base/problem.ts";
import { nearest } from "../base/text.ts";
import { type PlainTable, plainTables } from "../decide/print.ts";
import { paint, printJson } from "./output.ts";
import { drawnPage } from "./page-command.ts";
import { withoutTitle } from "./page-text.ts";
import { readPage } from "./pages.ts";

export function rulesCommand(id: string | undefined, json: boolean): void {
  const tables = id === undefined ? plainTables() : only(id);
  if (json) printJson({ tables });
  else {
    const page = id === undefined ? "" : `\n${drawnPage(withoutTitle(readPage(id.toUpperCase())))}`;
    process.stdout.write(`${tables.map(tableText).join("\n")}${page}`);
  }
}

function only(id: string): readonly PlainTable[] {
  const found = plainTables().flatMap((table) => {
    const rules = table.rules.filter((rule) => rule.id === id.toUpperCase());
    return rules.length === 0 ? [] : [{ ...table, rules }];
  });
  if (found.length > 0) return found;
  const ids = plainTables().flatMap(({ rules }) => rules.map((rule) => rule.id));
  const near = nearest(id, ids);
  return fail(
    "DUET-E-RULE-UNKNOWN",
    id,
    "there is no rule with this id",
    near === undefined ? "`duet rules` prints them all" : `did you mean ${near}?`,
    exit.badInput,
  );
}

function tableText({ question, design, rules }: PlainTable): string {
  const lines = rules.map(
    ({ id, sentence, decisions }) => `  ${paint("bold", id)} → ${decisions.join(" or ")}\n    ${sentence}\n`,
  );
  return `${paint("bold", question)}  (design ${design})\n\n${lines.join("")}`;
}
