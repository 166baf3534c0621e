import { countMarks, type Finding, type Mark } from "../agents/check/finding.ts";
import { paint } from "./output.ts";

const signs: Readonly<
  Record<Mark, { readonly sign: string; readonly style: "green" | "yellow" | "red" | "dim" }>
> = {
  ok: { sign: "✓", style: "green" },
  warn: { sign: "!", style: "yellow" },
  fail: { sign: "✗", style: "red" },
  note: { sign: "·", style: "dim" },
};

/** The findings as a table, grouped by machine in the order given, with the way out below each that needs one. */
export function findingsTable(findings: readonly Finding[]): string {
  const width = Math.max(...findings.map((finding) => finding.check.length), 0);
  const lines: string[] = [];
  for (const [subject, group] of Map.groupBy(findings, (finding) => finding.subject)) {
    lines.push("", paint("bold", subject), ...group.flatMap((finding) => findingLines(finding, width)));
  }
  const counts = countMarks(findings);
  const warnings = `${counts.warn} ${counts.warn === 1 ? "warning" : "warnings"}`;
  lines.push("", `${counts.ok} ok, ${warnings}, ${counts.fail} failed`);
  return `${lines.join("\n")}\n`;
}

function findingLines(finding: Finding, width: number): readonly string[] {
  const { sign, style } = signs[finding.mark];
  const time = finding.ms === undefined ? "" : `  (${formatMs(finding.ms)})`;
  const line = `  ${paint(style, sign)} ${finding.check.padEnd(width)}  ${finding.detail}${time}`;
  if (finding.fix === undefined) return [line];
  const code = finding.code === undefined ? "" : `  [${finding.code}]`;
  return [line, `    ${" ".repeat(width)}  ${finding.fix}${code}`];
}

function formatMs(ms: number): string {
  return ms < 10 ? `${ms.toFixed(1)} ms` : `${Math.round(ms)} ms`;
}
