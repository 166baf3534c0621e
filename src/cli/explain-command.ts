import { exit, fail } from "../base/problem.ts";
import { drawWords } from "../record/draw-words.ts";
import { columns_min, draw, widthFor } from "../record/draw.ts";
import { storyOf } from "../record/failover.ts";
import type { ExplainOptions } from "./explain.ts";
import { paint, printJson, printProblems } from "./output.ts";
import { recordsFor, silentText } from "./records.ts";

const last_max = 100;

export async function explain(files: readonly string[], options: ExplainOptions): Promise<void> {
  const last = lastOf(options.last ?? "1");
  const recording = await recordsFor(files, options);
  const story = storyOf(recording.entries, last);
  const { cut, damage, silent } = recording;
  if (options.json === true) {
    printJson({ ...story, files: recording.files, silent: Object.fromEntries(silent), cut, damage });
    return;
  }
  printProblems(damage, false);
  const look = {
    columns: process.stdout.columns ?? columns_min,
    bold: (text: string) => paint("bold", text),
  };
  const pictures = story.failovers.map((failover) => draw(failover, look));
  const words = drawWords(story.words, story.words_more, widthFor(look.columns));
  const parts = pictures.length === 0 ? [nothing(recording.entries.length)] : pictures;
  process.stdout.write([...parts, ...(words === "" ? [] : [words])].join("\n"));
  process.stdout.write(silentText(recording));
}

const nothing = (entries: number): string =>
  `By the ${entries} entries of this record its machine lost no peer and took nothing over. The peer's record may tell more.\n`;

function lastOf(text: string): number {
  const last = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (last >= 1 && last <= last_max) return last;
  return fail(
    "DUET-E-USAGE",
    "duet explain",
    `--last ${text} is no number from 1 to ${last_max}`,
    "`duet explain --help` shows how it is used",
    exit.badInput,
  );
}
