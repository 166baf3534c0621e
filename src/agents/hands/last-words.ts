import { run } from "../../machine/process.ts";

/** Why etcd ended, as far as its log tells: the operator reads this, and no rule does. */
export async function lastWords(unit: string, deadline_ms: number): Promise<string> {
  const { stdout } = await run(
    ["journalctl", `--unit=${unit}`, "--boot", "--lines=40", "--output=cat", "--no-pager"],
    { deadline_ms, accept: "any" },
  );
  return wordsOf(stdout);
}

const grave = /"level":"(fatal|panic|error)"/;

/** etcd logs JSON, a line each; systemd's own lines between them are plain. */
export function wordsOf(log: string): string {
  const lines = log.split("\n").filter((line) => line.trim() !== "");
  const line = lines.findLast((each) => grave.test(each)) ?? lines.at(-1) ?? "it left no word";
  const field = (name: string) => new RegExp(`"${name}":"((?:[^"\\\\]|\\\\.)*)"`).exec(line)?.[1];
  const said = [field("msg"), field("error")].filter((part) => part !== undefined).join(": ");
  return (said === "" ? line : said).replaceAll(/\p{Cc}+/gu, " ").slice(0, 300);
}
