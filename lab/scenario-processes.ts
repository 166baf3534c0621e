import type { Scenario } from "../src/scenario/scenario.ts";
import { type MachineName, machine_names } from "../src/scenario/slots.ts";
import type { Doing, Seen } from "../src/scenario/world.ts";
import { passing, runIn } from "./run.ts";
import type { Stage } from "./scenario-stage.ts";
import { api_server, unitOf } from "./scenario-units.ts";

/** Programs that a scenario expects to run on: which of them is it? */
export const programsToKeep = ({ steps }: Scenario): readonly string[] => [
  ...new Set(steps.flatMap(({ ask }) => (ask.kind === "expect-unrestarted" ? [ask.unit] : []))),
];

/** Which process it was that ran before a scenario took anything away. */
export class Processes {
  readonly #stage: Stage;
  #before: ReadonlyMap<string, string> | undefined;

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  /** Only the first time counts: what a scenario asks for is whether its own steps had them started again. */
  async note(programs: readonly string[]): Promise<void> {
    if (this.#before !== undefined) return;
    const each = programs.flatMap((program) => machine_names.map((name) => ({ program, name })));
    const found = await Promise.all(
      each.map(
        async ({ program, name }) => [`${program} on ${name}`, await this.#which(program, name)] as const,
      ),
    );
    this.#before = new Map(found);
  }

  async isTheSame(program: string, name: MachineName): Promise<Seen> {
    return judgeSame(this.#before?.get(`${program} on ${name}`), await this.#which(program, name));
  }

  /** systemd has a new id for each start. Of what is none of systemd's, the process and when it began. Empty: it does not run. */
  async #which(program: string, name: MachineName): Promise<string> {
    const argv =
      program === api_server
        ? ["sh", "-c", "exec ps --format pid=,lstart= --pid $(pgrep --full --oldest '^kube-apiserver ')"]
        : ["systemctl", "show", "--property=InvocationID", "--value", unitOf(program)];
    let printed = "";
    await passing(async () => {
      const { stdout } = await runIn(await this.#stage.lab(), name, argv, { accept: "any" });
      printed = stdout.trim();
      return true;
    });
    return printed;
  }
}

/** One that did not run before, or was not looked at, tells nothing. */
export function judgeSame(before: string | undefined, now: string): Seen {
  if (before === undefined || before === "") return { ok: false, seen: "it did not run before" };
  if (now === "") return { ok: false, seen: "it does not run" };
  return { ok: now === before, seen: now === before ? "" : `it is another one: ${now}, and was ${before}` };
}

export const processWords = (processes: Processes): Doing => ({
  "expect-unrestarted": ({ unit, machine }) => processes.isTheSame(unit, machine),
});
