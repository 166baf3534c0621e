import { parseScenario, type Tidy } from "./parse.ts";

/**
 * The canonical form: one step a line, single spaces, the words as in the table, at most one blank line in a row, a blank
 * line between the header and the steps. Comments are kept where they stand. What was not understood is left as it is.
 */
export function formatScenario(text: string, file = "scenario"): string {
  const out: string[] = [];
  let before: Tidy | undefined;
  for (const line of parseScenario(text, file).lines) {
    if (line.part === "blank") {
      if (out.length > 0 && out.at(-1) !== "") out.push("");
      continue;
    }
    if (line.part === "step" && before?.part === "header" && out.at(-1) !== "") out.push("");
    out.push(written(line));
    before = line;
  }
  while (out.at(-1) === "") out.pop();
  return out.map((line) => `${line}\n`).join("");
}

function written({ said, comment }: Tidy): string {
  const note = comment === undefined ? "" : `# ${comment}`.trimEnd();
  return said === "" || note === "" ? `${said}${note}` : `${said}  ${note}`;
}
