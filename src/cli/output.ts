import { styleText } from "node:util";
import type { Problem } from "../base/problem.ts";

/** Colours only where a person looks: styleText leaves them out when the stream is no terminal or NO_COLOR is set. */
export function paint(
  style: Parameters<typeof styleText>[0],
  text: string,
  stream: NodeJS.WriteStream = process.stdout,
): string {
  return styleText(style, text, { stream });
}

/** One block per problem on stderr: where and what, then the way out. With `--json` the same as data. */
export function printProblems(problems: readonly Problem[], json: boolean): void {
  if (json) {
    process.stdout.write(`${JSON.stringify({ problems }, null, 2)}\n`);
    return;
  }
  for (const p of problems) {
    process.stderr.write(
      `${paint("red", `${p.where}:`, process.stderr)} ${p.what}\n    ${p.fix}  [${p.code}]\n`,
    );
  }
}

export function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
}
