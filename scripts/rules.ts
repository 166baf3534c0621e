import { join } from "node:path";
import { type PlainTable, plainTables } from "../src/decide/print.ts";
import { replaceSynced } from "../src/machine/files.ts";
import { isCalledBare } from "./no-words.ts";
import { checkout } from "./tree.ts";

/** The rules for reading, made of the very tables that decide. */
export const rules_path = join(checkout, "docs", "rules.md");

export function rulesText(): string {
  return `${head}\n${plainTables().map(tableText).join("\n")}`;
}

const head = `# The rules

Made by \`scripts/rules.ts\` from \`src/decide\`; \`duet rules\` prints the same. Do not edit.

A is the machine that decides, B its peer. In each table the first rule that holds decides, so a rule may rely on those above
it not holding. Every log line names the rule that decided. *ask takeover* hands the question on to the table "May I serve without my peer?". A fence is
allowed exactly where that table, with B supposed Off, lets A serve.
`;

function tableText({ question, design, rules }: PlainTable): string {
  const rows = rules.map(
    ({ id, sentence, decisions }) => `| \`${id}\` | ${sentence} | ${decisions.join(" or ")} |`,
  );
  return `## ${question}\n\nDesign ${design}.\n\n| rule | sentence | decision |\n|---|---|---|\n${rows.join("\n")}\n`;
}

if (import.meta.main && isCalledBare("npm run rules\n  writes docs/rules.md")) {
  await replaceSynced(rules_path, rulesText());
  process.stdout.write("docs/rules.md is written\n");
}
