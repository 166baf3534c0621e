import { posix } from "node:path";
import { glue, labelled } from "../agents/status/layout.ts";
import { pageCommand, pagesFolder } from "../agents/status/page.ts";

/** What stands before each line of an example. */
const margin = "    ";

/** A page without its Markdown: wrapped for a terminal, examples as they are. Only what our own pages use is understood. */
export function pageText(markdown: string, width: number, bold: (text: string) => string): string {
  const lines: string[] = [];
  let paragraph: string[] = [];
  const flush = () => {
    if (paragraph.length > 0) lines.push(...wrapped(paragraph, width));
    paragraph = [];
  };
  let example = false;
  for (const line of markdown.trimEnd().split("\n")) {
    const heading = /^#+ (.*)/.exec(line)?.[1];
    if (line.startsWith("```")) {
      flush();
      example = !example;
    } else if (example) lines.push(`${margin}${line}`.trimEnd());
    else if (heading !== undefined) lines.push(bold(heading));
    else {
      if (line === "" || item.test(line)) flush();
      if (line === "") lines.push("");
      else paragraph.push(line);
    }
  }
  flush();
  return `${lines.join("\n")}\n`;
}

/** For where its code stands above it already. */
export const withoutTitle = (markdown: string): string => markdown.replace(/^# .*\n+/, "");

const item = /^( *(?:-|\d+\.) )(.*)/;

function wrapped(paragraph: readonly string[], width: number): readonly string[] {
  const [first = "", ...more] = paragraph;
  const [, label = "", text = first] = item.exec(first) ?? [];
  return labelled(label, inline([text, ...more.map((line) => line.trim())].join(" ")), label.length, width);
}

/** A command stays on one line, so that it can be copied. */
const inline = (text: string): string =>
  text
    .split(/(`[^`]*`)/)
    .map((part) => (part.startsWith("`") ? part.replaceAll(" ", glue) : unmarked(part)))
    .join("");

const unmarked = (text: string): string =>
  text
    .replaceAll("**", "")
    .replaceAll(/\[([^\]]*)\]\(([^)]*)\)/g, (_, label: string, target: string) => linked(label, target));

/** Nobody can follow a link here: another page is told by its command, another document by its name. */
function linked(label: string, target: string): string {
  const path = posix.join(pagesFolder, target);
  const [file = ""] = path.split("#");
  const name = posix.basename(file, ".md");
  if (label === name) return label;
  if (posix.dirname(file) === pagesFolder) return `${label} (\`${pageCommand(name)}\`)`;
  return file.endsWith(label) ? path : `${label} (${path})`;
}
