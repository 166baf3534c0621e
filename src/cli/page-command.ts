import { pageOf } from "../agents/status/page.ts";
import { exit, fail } from "../base/problem.ts";
import { oneOf } from "../base/text.ts";
import { paint, printJson } from "./output.ts";
import { pageText } from "./page-text.ts";
import { nearCodes, pageCodes, readPage } from "./pages.ts";
import { terminalWidth } from "./width.ts";

export function printPages(code: string | undefined, json: boolean): void {
  const codes = code === undefined ? pageCodes() : [knownCode(code)];
  if (json)
    printJson({ pages: codes.map((each) => ({ code: each, page: pageOf(each), text: readPage(each) })) });
  else if (code === undefined) process.stdout.write(`${codes.join("\n")}\n`);
  else process.stdout.write(codes.map((each) => drawnPage(readPage(each))).join("\n"));
}

export const drawnPage = (markdown: string): string =>
  pageText(markdown, terminalWidth(), (text) => paint("bold", text));

/** Also as it is copied from somewhere: in small letters, in brackets, as the name of its file. */
function knownCode(given: string): string {
  const wanted = /\b(DUET-E|R)-[A-Z0-9-]*[A-Z0-9]/.exec(given.toUpperCase())?.[0] ?? given.toUpperCase();
  const codes = pageCodes();
  if (codes.includes(wanted)) return wanted;
  const near = nearCodes(wanted, codes);
  return fail(
    "DUET-E-PAGE-UNKNOWN",
    given,
    "there is no error and no rule of this name",
    near.length === 0 ? "`duet page` prints the names of all" : `did you mean ${oneOf(near)}?`,
    exit.badInput,
  );
}
