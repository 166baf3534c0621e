import { exit, type ExitStatus } from "../base/problem.ts";
import { printJson } from "./output.ts";
import { type Kept, readChoices } from "./sim-choices.ts";
import { writePage } from "./sim-html.ts";
import { Asked } from "./sim-options.ts";
import { foundText, tellSchedule, toldJson } from "./sim-story.ts";
import type { ReplayOptions } from "./sim.ts";

/** One schedule once more: that of a seed, or one that was kept. */
export async function simReplay(text: string | undefined, options: ReplayOptions): Promise<ExitStatus> {
  const asked = new Asked();
  const kept = await keptIn(asked, options.choices);
  const plant = asked.plant(options.plant ?? kept?.plant);
  const named = asked.number("the seed", text);
  await asked.page(options.html);
  if (text === undefined && options.choices === undefined)
    asked.problems.push({
      code: "DUET-E-USAGE",
      where: "duet sim replay",
      what: "neither a seed nor --choices is given",
      fix: "give the seed that a run printed, such as `duet sim replay 1022`",
    });
  if (kept !== undefined && named !== undefined && named !== kept.schedule.seed)
    asked.problems.push({
      code: "DUET-E-SIM-CHOICES",
      where: options.choices ?? "",
      what: `it is of seed ${kept.schedule.seed}, and seed ${named} was named`,
      fix: "leave the seed out, or name that of the file",
    });
  asked.settle();
  const told = await tellSchedule(plant, kept?.schedule ?? { seed: named ?? 0 });
  if (options.html !== undefined) await writePage(told, options.html);
  const full = options.full === true;
  if (options.json === true) printJson({ ...toldJson(told), ...(full ? { trace: told.trace() } : {}) });
  else process.stdout.write(full ? `${told.trace().join("\n")}\n` : foundText(told));
  const { broken } = told.story;
  if (kept?.check !== undefined && kept.check !== broken?.check) {
    const other = options.plant !== undefined && options.plant !== kept.plant;
    const now = other
      ? `with the plant ${plant.name} in place of ${kept.plant ?? "none"}`
      : "with this version";
    process.stderr.write(`the file says that this breaks "${kept.check}": ${now} it does not\n`);
  }
  return broken === undefined ? exit.ok : exit.failed;
}

async function keptIn(asked: Asked, file: string | undefined): Promise<Kept | undefined> {
  const read = file === undefined ? undefined : await readChoices(file);
  if (read === undefined || !("code" in read)) return read;
  asked.problems.push(read);
  return undefined;
}
