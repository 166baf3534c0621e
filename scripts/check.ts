import { runChecks, runShellcheck } from "./checks.ts";
import { Steps } from "./steps.ts";

const steps = new Steps();
await runChecks(steps);
await runShellcheck(steps);
process.stderr.write(`\n${steps.table()}`);
process.exitCode = steps.failed ? 1 : 0;
