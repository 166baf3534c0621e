import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { noPlant, type Plant, plants } from "../../sim/plants.ts";
import { DuetError, exit, type Problem } from "../base/problem.ts";
import { nearest } from "../base/text.ts";

/** Beyond this, two whole numbers can't be told apart. */
export const seed_max = Number.MAX_SAFE_INTEGER;

/** Checks what the user asked for, all of it, before anything runs. */
export class Asked {
  readonly problems: Problem[] = [];

  plant(name: string | undefined): Plant {
    const found = name === undefined ? noPlant : plants.find((plant) => plant.name === name);
    if (found !== undefined) return found;
    const names = plants.map((plant) => plant.name);
    const near = nearest(name ?? "", names);
    this.problems.push({
      code: "DUET-E-PLANT-UNKNOWN",
      where: name ?? "",
      what: "there is no plant with this name",
      fix: near === undefined ? `there are ${names.join(", ")}` : `did you mean ${near}?`,
    });
    return noPlant;
  }

  /** A whole number of at least `least`; what is not given stays so. */
  number(where: string, text: string, least?: number, most?: number): number;
  number(where: string, text: string | undefined, least?: number, most?: number): number | undefined;
  number(where: string, text: string | undefined, least = 0, most = seed_max): number | undefined {
    if (text === undefined) return undefined;
    const value = Number(text);
    const digits = /^\d+$/.test(text);
    if (digits && value >= least && value <= most) return value;
    const [what, fix] = !digits
      ? [`${text} is not a whole number`, "give digits only, such as 1022"]
      : value < least
        ? [`${text} is less than ${least}`, `give at least ${least}`]
        : [`${text} is too large`, `give at most ${most}`];
    this.problems.push({ code: "DUET-E-SIM-NUMBER", where, what, fix });
    return least;
  }

  /** Each schedule takes the next seed, and the last must still be a whole number. */
  seeds(first: number, schedules: number): void {
    if (first + schedules - 1 <= seed_max) return;
    this.problems.push({
      code: "DUET-E-SIM-NUMBER",
      where: "--seed",
      what: `${schedules} schedules from seed ${first} on would need seeds beyond ${seed_max}`,
      fix: "begin with a lower seed, or run fewer schedules",
    });
  }

  /** A file that can be written: to learn that after three minutes of work would be late. */
  async page(file: string | undefined): Promise<void> {
    if (file === undefined) return;
    const what = await whyNot(file);
    if (what !== undefined)
      this.problems.push({
        code: "DUET-E-SIM-PAGE",
        where: file,
        what,
        fix: "name a file in a folder that exists and that you may write to",
      });
  }

  /** Everything that is wrong, at once. */
  settle(): void {
    if (this.problems.length > 0) throw new DuetError(this.problems, exit.badInput);
  }
}

async function whyNot(file: string): Promise<string | undefined> {
  if (file === "") return "the page needs a file name";
  const folder = dirname(file);
  const there = await stat(folder).catch(() => undefined);
  if (there?.isDirectory() !== true) return `there is no folder ${folder}`;
  const old = await stat(file).catch(() => undefined);
  if (old?.isDirectory() === true) return "this is a folder, and the page is a file";
  const writable = await access(old === undefined ? folder : file, constants.W_OK).then(
    () => true,
    () => false,
  );
  return writable ? undefined : "it can't be written";
}
