import { createInterface } from "node:readline/promises";

/** Asks at a terminal; without one nobody consents. The word must be typed: Enter alone is no consent. */
export async function askConsent(costs: readonly string[], yes: boolean): Promise<boolean> {
  process.stderr.write(`${costs.map((each) => `  ${each}`).join("\n")}\n`);
  if (yes) return true;
  if (!process.stdin.isTTY) return false;
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return (await terminal.question("Do it? Type yes: ")).trim() === "yes";
  } finally {
    terminal.close();
  }
}

/** Whose word it is, as far as the environment tells; for the record. */
export const whoAsks = (env: NodeJS.ProcessEnv = process.env): string =>
  (env["SUDO_USER"] ?? env["LOGNAME"] ?? env["USER"] ?? "root").slice(0, 64);
