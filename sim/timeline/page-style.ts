/** Light and dark by the reader's setting; no font or picture from anywhere else. */
export const style = `
:root { color-scheme: light dark; --ink: #1c2430; --soft: #5c6877; --paper: #fbfbf9; --card: #fff; --rule: #dde1e6;
  --bad: #b3261e; --badsoft: #fbe9e7; --ok: #1b7f4d; --one: #1f5fbf; --two: #8a4b08; --lead: #2f6fd0; --follow: #b9cdec; --ask: #e8c46a;
  --up: #cfd6de; --boot: #e9ecef; --hang: #e8a13a; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ee; --soft: #9aa6b5; --paper: #14181e; --card: #1b2129; --rule: #323a45;
  --bad: #ff8a80; --badsoft: #3a1f1e; --ok: #6fd3a0; --one: #8ab8ff; --two: #f0b26b; --lead: #5b93ea; --follow: #2f4668; --ask: #8a6d1f;
  --up: #3a444f; --boot: #272e37; --hang: #a86d14; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
main { max-width: 1200px; margin: 0 auto; padding: 28px 24px 60px; }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 6px; } h2 { font-size: 1.05rem; margin: 32px 0 10px; }
.broken h1 { color: var(--bad); } .fine h1 { color: var(--ok); }
.lead { margin: 0 0 4px; max-width: 80ch; } .soft { color: var(--soft); }
.facts { display: flex; flex-wrap: wrap; gap: 4px 22px; margin: 14px 0 0; padding: 0; list-style: none; color: var(--soft); font-size: .9rem; }
.facts b { color: var(--ink); font-weight: 600; }
pre, code { font: .86rem/1.5 ui-monospace, monospace; } pre { margin: 0; padding: 12px 14px; overflow-x: auto; background: var(--card); border: 1px solid var(--rule); border-radius: 6px; }
ol.blows { margin: 0; padding-left: 1.6em; } ol.blows li { margin: 2px 0; } ol.blows .soft { font-variant-numeric: tabular-nums; }
.chart { overflow-x: auto; background: var(--card); border: 1px solid var(--rule); border-radius: 6px; padding: 8px 0 0; }
svg { display: block; min-width: 860px; width: 100%; height: auto; font: 12px system-ui, sans-serif; fill: var(--ink); }
svg g:focus { outline: none; } svg g:focus .bar, svg g:focus .mark, svg g:focus circle, svg g:hover .bar, svg g:hover .mark { stroke: var(--ink); stroke-width: 2; }
.label { text-anchor: end; fill: var(--soft); } .rail { stroke: var(--rule); } .break { fill: var(--paper); opacity: .75; }
.quiet, .when { fill: var(--soft); font-size: 11px; } .quiet, .nth, .bang { text-anchor: middle; }
.bar.up { fill: var(--up); } .bar.boots, .bar.stops { fill: var(--boot); stroke: var(--up); } .bar.hangs { fill: var(--hang); }
.bar.leads { fill: var(--lead); } .bar.follows { fill: var(--follow); } .bar.asks { fill: var(--ask); } .bar.cut, .bar.faulty { fill: var(--bad); opacity: .7; }
.ack { stroke: var(--ok); stroke-width: 1.4; } line.fault { stroke: var(--bad); stroke-dasharray: 3 4; } circle.fault { fill: var(--bad); }
.nth { fill: var(--card); font-weight: 700; font-size: 11px; } line.violation { stroke: var(--bad); stroke-width: 3; } .bang { fill: var(--bad); font-size: 18px; font-weight: 700; }
.mark { fill: var(--card); stroke: var(--ink); } .mark.rule { fill: var(--ink); } .mark.fence { fill: var(--hang); }
#said { min-height: 3.1em; margin: 0; padding: 8px 14px; border-top: 1px solid var(--rule); position: sticky; left: 0; }
.key { display: flex; flex-wrap: wrap; gap: 2px 16px; margin: 8px 2px 0; padding: 0; list-style: none; font-size: .82rem; color: var(--soft); }
.key i { display: inline-block; width: 14px; height: 10px; margin-right: 5px; border-radius: 2px; vertical-align: 0; }
.all { float: right; font-size: .88rem; font-weight: 400; color: var(--soft); }
.moments { border: 1px solid var(--rule); border-radius: 6px; background: var(--card); overflow: hidden; }
.row { display: grid; grid-template-columns: 74px 52px 1fr 1fr; gap: 0 12px; padding: 3px 14px; align-items: baseline; }
.row time, .row .n { text-align: right; color: var(--soft); font-size: .86rem; font-variant-numeric: tabular-nums; } .row .n { color: var(--ok); }
.row.head { color: var(--soft); font-size: .86rem; border-bottom: 1px solid var(--rule); padding: 8px 14px; }
.m { min-width: 0; overflow-wrap: anywhere; } .m1 { grid-column: 4; } .m0 { grid-column: 3; } .mx { grid-column: 3 / 5; }
.m0 { border-left: 3px solid var(--one); padding-left: 10px; } .m1 { border-left: 3px solid var(--two); padding-left: 10px; }
.who { display: none; font-weight: 600; } .m0 .who { color: var(--one); } .m1 .who { color: var(--two); }
.row.fault { margin-top: 8px; border-top: 1px solid var(--rule); padding-top: 8px; } .row.fault .m { color: var(--bad); font-weight: 600; }
.row.violation { background: var(--badsoft); padding-block: 9px; } .row.violation .m { color: var(--bad); font-weight: 700; }
.row.mended .m { color: var(--ok); } .row.writes .m, .row.bmc .m, .row.other .m, .row.step .m { color: var(--soft); }
.l4 { display: none; opacity: .8; font-size: .9rem; } main:has(#all:checked) .l4 { display: grid; }
small { color: var(--soft); font-size: .82rem; } details { display: inline; } summary { display: inline; cursor: pointer; } summary::before { content: "▸ "; } details[open] summary::before { content: "▾ "; } details ul { margin: 2px 0 6px; padding-left: 1.2em; color: var(--soft); font-size: .88rem; }
.m code { color: var(--soft); font-size: .78rem; white-space: nowrap; }
@media (max-width: 760px) { main { padding: 18px 14px 40px; } h1 { font-size: 1.25rem; }
  .row { grid-template-columns: 58px 1fr; padding-inline: 10px; } .row .n, .row.head { display: none; } .m0, .m1, .mx { grid-column: 2; } .who { display: inline; } .all { float: none; display: block; } }
`;

/** What is pointed at, or reached by keyboard, is said below the chart. */
export const script = `
const said = document.getElementById("said");
for (const kind of ["pointerover", "focusin"])
  document.querySelector("svg").addEventListener(kind, (event) => {
    const text = event.target.closest("g[aria-label]")?.getAttribute("aria-label");
    if (text) said.textContent = text;
  });
`;
