import type { Problem } from "../base/problem.ts";
import { nearest } from "../base/text.ts";
import { match } from "./grammar.ts";
import { bmcsOf, headerLine, readHeaderLine, type Setting } from "./header.ts";
import { columnOfWord, type Line, linesOf } from "./lines.ts";
import { type DeedKind, isDeed } from "./phrases.ts";
import { roleProblems } from "./roles.ts";
import { type Ask, type Header, type Scenario, type Step, world_names } from "./scenario.ts";
import { type Moment, slots, squeeze, type Who } from "./slots.ts";
import { suggest } from "./suggest.ts";

/** A line that was understood, as the formatter writes it. */
export interface Tidy {
  readonly said: string;
  readonly comment: string | undefined;
  readonly part: "blank" | "comment" | "header" | "step";
}

export interface Parsed {
  /** Undefined where there are problems. */
  readonly scenario: Scenario | undefined;
  readonly problems: readonly Problem[];
  readonly lines: readonly Tidy[];
}

const lines_max = 1000;
const line_length_max = 300;
/** Looking for what was meant costs time; a file with more mistakes is probably no scenario at all. */
const suggestions_max = 20;

/** Reads a scenario. Everything that is wrong is told at once, each with its line and column. */
export function parseScenario(text: string, file: string): Parsed {
  const all = linesOf(text);
  const tooLong = all.length > lines_max ? [tooManyLines(file)] : [];
  const lines = all.slice(0, lines_max);
  const reader = new Reader(file);
  for (const line of lines) reader.read(line);
  const problems = [...tooLong, ...reader.problems, ...roleProblems(file, reader.steps)];
  if (reader.steps.length === 0 && problems.length === 0) problems.push(noSteps(file, all.length));
  const header = headerOf(lines, reader.settings);
  problems.push(...looksForNobody(file, header, reader.steps));
  return {
    scenario: problems.length > 0 ? undefined : { file, header, steps: reader.steps },
    problems,
    lines: reader.lines,
  };
}

class Reader {
  readonly #file: string;
  readonly problems: Problem[] = [];
  readonly steps: Step[] = [];
  readonly lines: Tidy[] = [];
  settings: Setting = {};

  constructor(file: string) {
    this.#file = file;
  }

  read(line: Line): void {
    const { said, comment } = line;
    if (said === "") {
      this.lines.push({ said, comment, part: comment === undefined ? "blank" : "comment" });
      return;
    }
    const head = headerLine(said);
    const text = head === undefined ? this.#step(line) : this.#header(line, head.key, head.value);
    this.lines.push({ said: text ?? said, comment, part: head === undefined ? "step" : "header" });
  }

  #header(line: Line, key: string, value: string): string | undefined {
    if (this.steps.length > 0)
      return this.#wrong(line.number, line.column, {
        code: "DUET-E-SCENARIO-HEADER",
        what: `\`${key}\` stands below a step, and is about the whole file`,
        fix: "move it above the first step",
      });
    const read = readHeaderLine(key, value);
    if (!read.ok)
      return this.#wrong(line.number, line.column, {
        code: "DUET-E-SCENARIO-HEADER",
        what: read.what,
        fix: read.fix,
      });
    const [name] = Object.keys(read.set);
    if (name !== undefined && Object.hasOwn(this.settings, name))
      return this.#wrong(line.number, line.column, {
        code: "DUET-E-SCENARIO-HEADER",
        what: `\`${key}\` is said twice`,
        fix: "remove one of the two",
      });
    this.settings = { ...this.settings, ...read.set };
    return read.text;
  }

  #step(line: Line): string | undefined {
    const { number, column, said } = line;
    if (said.length > line_length_max)
      return this.#wrong(number, column, {
        code: "DUET-E-SCENARIO-STEP",
        what: `a step has at most ${line_length_max} characters`,
        fix: "write one step a line",
      });
    const inLab = /^in\s+the\s+lab\s*:\s*/i.exec(said);
    if (inLab !== null) return this.#lookInLab(line, inLab[0].length);
    const moment = readMoment(line);
    if (moment === undefined) {
      const ask = this.#ask(line);
      if (ask === undefined) return undefined;
      this.steps.push({ line: number, column, text: ask.text, at: undefined, ask: ask.ask });
      return ask.text;
    }
    if (moment.moment === undefined)
      return this.#wrong(number, column, {
        code: "DUET-E-SCENARIO-STEP",
        what: `\`${moment.said}\` is no moment: it is ${slots.MOMENT.what}`,
        fix: `did you mean \`at ${nearest(moment.said, slots.MOMENT.samples) ?? slots.MOMENT.samples[0]}: …\`?`,
      });
    const ask = this.#ask(moment.rest);
    if (ask === undefined) return undefined;
    if (!isDeedAsk(ask.ask))
      return this.#wrong(number, moment.rest.column, {
        code: "DUET-E-SCENARIO-STEP",
        what: "what follows a moment is something that is done, no wait and no expectation",
        fix: "put this step on a line of its own",
      });
    const text = `at ${moment.said}: ${ask.text}`;
    this.steps.push({ line: number, column, text, at: moment.moment, ask: ask.ask });
    return text;
  }

  /** What is done is the same in each world, or it would be another story there: only a look may be one world's own. */
  #lookInLab(line: Line, length: number): string | undefined {
    const rest = { ...line, said: line.said.slice(length), column: line.column + length };
    const ask = this.#ask(rest);
    if (ask === undefined) return undefined;
    if (isDeedAsk(ask.ask))
      return this.#wrong(line.number, rest.column, {
        code: "DUET-E-SCENARIO-STEP",
        what: "what follows `in the lab:` is a wait or an expectation, nothing that is done",
        fix: "put this step on a line of its own, or into a file of `worlds: lab`",
      });
    const text = `${in_the_lab} ${ask.text}`;
    this.steps.push({
      line: line.number,
      column: line.column,
      text,
      only: "lab",
      at: undefined,
      ask: ask.ask,
    });
    return text;
  }

  #ask(line: Line): { readonly ask: Ask; readonly text: string } | undefined {
    const found = match(line.said);
    if (found?.ok === true) return found;
    if (found !== undefined)
      return this.#wrong(line.number, line.column + line.said.indexOf(found.value), {
        code: "DUET-E-SCENARIO-STEP",
        what: `\`${squeeze(found.value)}\`: ${found.what}`,
        fix: "write another value",
      });
    const meant = this.problems.length < suggestions_max ? suggest(line.said) : undefined;
    return this.#wrong(line.number, meant === undefined ? line.column : columnOfWord(line, meant.word), {
      code: "DUET-E-SCENARIO-STEP",
      what: `there is no step \`${squeeze(line.said)}\`${meant === undefined ? "" : `; the nearest is ${meant.rule}`}`,
      fix: meant === undefined ? "`duet scenario words` lists the steps" : `did you mean \`${meant.text}\`?`,
    });
  }

  #wrong(line: number, column: number, problem: Omit<Problem, "where">): undefined {
    this.problems.push({ ...problem, where: `${this.#file}:${line}:${column}` });
    return undefined;
  }
}

export const in_the_lab = "in the lab:";

const isDeedAsk = (ask: Ask): ask is Ask<Who, DeedKind> => isDeed(ask.kind);

interface AtMoment {
  /** Undefined where the words name none. */
  readonly moment: Moment | undefined;
  readonly said: string;
  readonly rest: Line;
}

/** `at MOMENT: STEP` taken apart. */
function readMoment(line: Line): AtMoment | undefined {
  const found = /^at\s+([^:"]*?)\s*:\s*/i.exec(line.said);
  if (found === null) return undefined;
  const words = found[1] ?? "";
  const value = slots.MOMENT.read(words);
  const rest = {
    ...line,
    said: line.said.slice(found[0].length),
    column: line.column + found[0].length,
  };
  return { moment: isMoment(value) ? value : undefined, said: slots.MOMENT.tidy(squeeze(words)), rest };
}

const isMoment = (value: unknown): value is Moment => typeof value === "string";

/** The first comment is the title; what follows it without a gap, up to the first other line, says why. */
function headerOf(lines: readonly Line[], settings: Setting): Header {
  const first = lines.findIndex((line) => line.said !== "" || (line.comment ?? "") !== "");
  const opening = lines.slice(Math.max(0, first));
  const end = opening.findIndex((line) => line.said !== "");
  const comments = opening
    .slice(0, end === -1 ? opening.length : end)
    .flatMap((line) => (line.comment === undefined || line.comment === "" ? [] : [line.comment]));
  return {
    title: comments[0] ?? "",
    why: comments.slice(1).join(" "),
    worlds: settings.worlds ?? world_names,
    ci: settings.ci ?? false,
    pdu: settings.pdu ?? false,
    bmc: bmcsOf(settings),
    fencing: settings.fencing ?? "fence_duet",
    kubernetes: settings.kubernetes ?? false,
    address: settings.address ?? false,
    escalate: settings.escalate ?? false,
  };
}

/** Where the other world is not told the story at all, the words would only mislead. */
const looksForNobody = (file: string, { worlds }: Header, steps: readonly Step[]): readonly Problem[] =>
  worlds.length === world_names.length
    ? []
    : steps
        .filter(({ only }) => only !== undefined)
        .map(({ line, column }) => ({
          code: "DUET-E-SCENARIO-STEP",
          where: `${file}:${line}:${column}`,
          what: `\`${in_the_lab}\` is for a file of both worlds, and this one is for the ${worlds.join()}`,
          fix: "leave these words out, or the step",
        }));

const tooManyLines = (file: string): Problem => ({
  code: "DUET-E-SCENARIO-FILE",
  where: `${file}:${lines_max + 1}:1`,
  what: `a scenario has at most ${lines_max} lines`,
  fix: "split it: a scenario tells one story",
});

const noSteps = (file: string, lines: number): Problem => ({
  code: "DUET-E-SCENARIO-FILE",
  where: `${file}:${Math.max(1, lines)}:1`,
  what: "there is no step in this file",
  fix: "begin with `start both machines`; `duet scenario words` lists the steps",
});
