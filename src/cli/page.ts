import type { Command } from "commander";

export function register(program: Command): void {
  program
    .command("page")
    .summary("print the page of an error or a rule: what it means, and what to do")
    .description(
      "Prints the page of an error code (DUET-E-…) or of a rule (R-…), as they stand in messages, in `duet status`, on the " +
        "console and in the journal. The pages are in duet itself: this works on any machine, and asks nobody.",
    )
    .argument("[code]", "such as R-PEER-ON; without one the codes of all pages are printed")
    .option("--json", "print it as JSON, its text in Markdown")
    .addHelpText(
      "after",
      `
Examples:
  duet page R-PEER-ON             a rule, as \`duet status\` or the console names it
  duet page DUET-E-STATUS-INERT   an error
  duet page | grep WAL            which there are
  duet page R-TIE --json | jq -r '.pages[].text'

Exit status: 0 printed, 2 there is no such code; those that are near are named.`,
    )
    .action(async (code: string | undefined, options: { readonly json?: boolean }) => {
      const { printPages } = await import("./page-command.ts");
      printPages(code, options.json === true);
    });
}
