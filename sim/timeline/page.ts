import { nameOf } from "../agents/names.ts";
import { escape } from "./escape.ts";
import { closer, laneName, type Moment } from "./moment.ts";
import { chartOf } from "./page-chart.ts";
import { script, style } from "./page-style.ts";
import type { Story } from "./story.ts";

/** What the page says of the run besides its story. */
export interface About {
  readonly seed: number;
  readonly plant: { readonly name: string; readonly sentence: string } | undefined;
  readonly choices: number;
  readonly shrunk: boolean;
  /** Commands that show it again. */
  readonly again: readonly string[];
}

/** One page that needs nothing from anywhere. */
export function pageOf(story: Story, about: About): string {
  const { broken } = story;
  const title =
    broken === undefined
      ? `seed ${about.seed} breaks nothing`
      : `seed ${about.seed} breaks “${broken.check}”`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
<title>duet sim: ${escape(title)}</title>
<style>${style}</style>
</head>
<body>
<main class="${broken === undefined ? "fine" : "broken"}">
${headOf(story, about, title)}
<h2>What is done to the two machines</h2>
${blowsList(story)}
<h2>What comes of it</h2>
<div class="chart">${chartOf(story)}<p id="said" aria-live="polite">Point at a bar or a mark, or reach it with Tab: what it is stands here.</p></div>
${key}
<h2>Line by line <label class="all"><input type="checkbox" id="all"> with all lesser lines</label></h2>
<div class="moments">
<div class="row head"><span>time</span><span>writes</span><span>${escape(nameOf(0))}</span><span>${escape(nameOf(1))}</span></div>
${rowsOf(story)}
</div>
<h2>See it again</h2>
<pre>${escape(about.again.join("\n"))}</pre>
</main>
<script>${script}</script>
</body>
</html>
`;
}

function headOf({ broken, events, acks, zero_us, end_us }: Story, about: About, title: string): string {
  const { plant, choices, shrunk } = about;
  const facts: readonly (readonly [string, string])[] = [
    ["events", String(events)],
    [shrunk ? "choices, shrunk" : "choices", String(choices)],
    ["acknowledged writes", String(acks.length)],
    ["from the first fault to the end", `${((end_us - zero_us) / 1e6).toFixed(1)} s`],
  ];
  const lines = [
    `<h1>${escape(title)}</h1>`,
    broken === undefined ? "" : `<p class="lead">${escape(broken.what)}</p>`,
    broken?.promise === undefined ? "" : `<p class="lead soft">Promised is: ${escape(broken.promise)}.</p>`,
    plant === undefined
      ? ""
      : `<p class="lead">With the plant <code>${escape(plant.name)}</code>: ${escape(plant.sentence)}.</p>`,
    `<ul class="facts">${facts.map(([name, value]) => `<li>${escape(name)} <b>${escape(value)}</b></li>`).join("")}</ul>`,
  ];
  return lines.filter((line) => line !== "").join("\n");
}

function blowsList({ setting, blows, besides, zero_us }: Story): string {
  if (blows.length === 0) return `<p class="soft">Nothing.</p>`;
  const items = blows.map(
    ({ at_us, text }) =>
      `<li>${escape(text)} <span class="soft">at ${((at_us - zero_us) / 1e6).toFixed(1)} s</span></li>`,
  );
  const rest = besides.length === 0 ? "" : `<p class="soft">Besides: ${escape(besides.join(", "))}.</p>`;
  const first = setting === undefined ? "" : `<p class="soft">The storm: ${escape(setting)}.</p>`;
  return `${first}<ol class="blows">${items.join("")}</ol>${rest}`;
}

const signs: readonly (readonly [colour: string, word: string])[] = [
  ["--lead", "etcd leads"],
  ["--follow", "follows"],
  ["--ask", "asks for votes"],
  ["--ok", "a write is acknowledged"],
  ["--up", "machine is up"],
  ["--hang", "hangs; fence"],
  ["--bad", "cut, faulty"],
  ["--ink", "a rule decides"],
];
const key = `<ul class="key">${signs.map(([colour, word]) => `<li><i style="background: var(${colour})"></i>${word}</li>`).join("")}</ul>`;

function rowsOf(story: Story): string {
  let from_us = story.zero_us;
  return story.moments
    .map((moment) => {
      const counts = moment.level < closer;
      const acks = counts
        ? story.acks.filter(({ at_us }) => at_us >= from_us && at_us < moment.at_us).length
        : 0;
      if (counts) from_us = Math.max(from_us, moment.at_us);
      return rowOf(moment, story.zero_us, acks);
    })
    .join("\n");
}

function rowOf(moment: Moment, zero_us: number, acks: number): string {
  const { at_us, lane, level, sort } = moment;
  const column = lane === "between" ? "mx" : `m${lane}`;
  const who = lane === "between" ? "" : `<span class="who">${escape(laneName(lane))}</span> `;
  return (
    `<div class="row ${sort} l${level}"><time>${((at_us - zero_us) / 1e6).toFixed(2)}</time>` +
    `<span class="n">${acks === 0 ? "" : `+${acks}`}</span><div class="m ${column}">${who}${wordsOf(moment)}</div></div>`
  );
}

function wordsOf({ text, rule, more }: Moment): string {
  const words = escape(text) + (rule === undefined ? "" : ` <code>${escape(rule)}</code>`);
  if (more === undefined || more.length === 0) return words;
  if (more.length === 1) return `${words} <small>${escape(more.join(""))}</small>`;
  return `<details><summary>${words}</summary><ul>${more.map((line) => `<li>${escape(line)}</li>`).join("")}</ul></details>`;
}
