import { type Plant, plants } from "../sim/plants.ts";
import { type Pitfall, pitfalls } from "./bugs-pitfalls.ts";

/** The parts of the page that no run changes. */
export const headText = (): string => `# Bugs we can still reproduce

Made by \`npm run bugs\`: it switches on one known mistake after the other, lets the simulator look for it from seed 1, shrinks what
it finds, and writes it down here. The tests fail if one of these is no longer found, or if the seed that shows it breaks without the
mistake too (\`sim/plants/*.test.ts\`). The figures are of one core of the box that made this page.

\`\`\`
duet sim run --plant NAME           finds it, shrinks it, tells it
duet sim run --plant NAME --html F  the same as a page
\`\`\`

A mistake is a changed table of rules, or a wrapper around the effects, the agent or the clock (\`sim/plants/\`); everything else is
the code that runs on machines. In its storms half of the faults are those that it names (\`favours\`): all of these come in ordinary
storms too, only less often. Where something else in duet stops the harm of a mistake, the mistake behind
it is planted with it, and its sentence says so.

## The mistakes
`;

export const plantsHead = `| plant | the mistake | what stops it | found after | by the check | choices left |
|---|---|---|---|---|---|`;

/** The fixed half of a row; the run's figures follow. */
export const plantRow = ({ name, sentence, pitfalls: numbers, stoppedBy }: Plant): string =>
  `| \`${name}\`${numbers.length === 0 ? "" : ` (${numbers.join(", ")})`} | ${sentence} | ${stoppedBy} |`;

export const storyHead = ({ name, sentence }: Plant): string => `### ${name}\n\n${capital(sentence)}.\n`;

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

export const pitfallText = (): string => `## What went wrong for others

Failures that shipped two-machine systems really had. The numbers in brackets above are these.

| | the failure | staged by | what stops it |
|---|---|---|---|
${pitfalls.map(pitfallRow).join("\n")}

`;

export function pitfallRow({ number, failure, proofs = [], stoppedBy, later }: Pitfall): string {
  const planted = plants.filter((plant) => plant.pitfalls.includes(number));
  const staged = [
    ...planted.map(({ name }) => `\`duet sim run --plant ${name}\``),
    ...proofs.map(({ file, title }) => `\`${commandOf(file)}\`: ${title}`),
    ...(later === undefined ? [] : [later]),
  ];
  const stops = new Set([
    ...planted.map((plant) => plant.stoppedBy),
    ...(stoppedBy === undefined ? [] : [stoppedBy]),
  ]);
  return `| ${number} | ${failure} | ${staged.join("<br>")} | ${[...stops].join("<br>")} |`;
}

/** What is typed to see it. A test in a lab needs root. */
const commandOf = (file: string): string =>
  file.startsWith("scenarios/") ? `duet scenario run ${file} --in lab` : `npm test -- ${file}`;
