/** The style sheet of all pages: system fonts, light and dark, for phones and larger screens. */
export const STYLE = `
:root {
  --paper: #fbfaf8; --card: #ffffff; --ink: #1c1d1f; --soft: #5d6167; --faint: #666b72;
  --line: #e4e1dc; --sunk: #f4f2ee; --link: #1f5fa8;
  --green: #1f7a4d; --red: #b3372f; --blue: #2563b8; --amber: #96610b; --violet: #6d4bb0;
  --sans: ui-sans-serif, system-ui, -apple-system, 'Segoe UI', 'Liberation Sans', Arial, sans-serif;
  --mono: ui-monospace, 'SF Mono', SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #131416; --card: #1a1c1f; --ink: #e6e5e2; --soft: #a4a7ad; --faint: #8f939a;
    --line: #2b2e32; --sunk: #212428; --link: #7fb2ee;
    --green: #5fc593; --red: #f0857c; --blue: #7db0f3; --amber: #dfae59; --violet: #b79cf0;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 15px/1.55 var(--sans); }
a { color: var(--link); text-underline-offset: 2px; }
a:hover { text-decoration-thickness: 2px; }
/* A link that no text stands around needs no line to be told from it. */
.top a, .head .where a, .story time a, .sessions a { text-decoration: none; }
.top a:hover, .head .where a:hover, .story time a:hover { text-decoration: underline; }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; border-radius: 3px; }
h1 { font-size: 1.55rem; line-height: 1.25; font-weight: 650; letter-spacing: -0.015em; margin: 0; overflow-wrap: anywhere; }
h2 { font-size: 0.8rem; font-weight: 600; color: var(--soft); margin: 0 0 0.6rem; }
h3 { font-size: 0.82rem; font-weight: 600; margin: 0.7rem 0 0.35rem; }
p { margin: 0; }
code, pre, .mono { font-family: var(--mono); font-size: 0.86em; }
:not(pre) > code { background: var(--sunk); border-radius: 4px; padding: 0.1em 0.32em; overflow-wrap: anywhere; }
pre { margin: 0; padding: 0.6rem 0.75rem; background: var(--sunk); border-radius: 6px; overflow-x: auto; white-space: pre-wrap; overflow-wrap: anywhere; line-height: 1.5; tab-size: 4; font-size: 12.5px; }
.top, main { max-width: 56rem; margin: 0 auto; padding: 0 1.25rem; }
.top { padding-top: 1.1rem; padding-bottom: 1.1rem; font-weight: 600; font-size: 0.9rem; }
.top a { color: var(--soft); }
main { padding-bottom: 5rem; }
main:focus { outline: none; }
.skip { position: absolute; left: -99rem; }
.skip:focus { left: 1rem; top: 0.6rem; padding: 0.3rem 0.7rem; background: var(--card); border-radius: 6px; z-index: 2; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.said:empty { display: none; }
.said { position: fixed; right: 1rem; bottom: 1rem; z-index: 1; padding: 0.4rem 0.8rem; background: var(--card); border: 1px solid var(--line); border-radius: 8px; font-size: 0.88rem; }
.pages { display: flex; flex-wrap: wrap; gap: 0.2rem 1.1rem; font-size: 0.9rem; margin: 0.6rem 0; }
#earlier { font-size: 0.9rem; margin-top: 0.6rem; } #earlier:empty { margin: 0; }
.seen, .card > header .seen { font-size: 0.8rem; }
.card > header .seen { margin-left: auto; }
.card > header .more { margin: 0; } .card > header .more[open] { flex-basis: 100%; order: 1; min-width: 0; }
.note > .more:not([open]), .note > .seen { display: inline-block; margin: 0 0.5rem 0 0.3rem; }
.soft { color: var(--soft); }
.faint { color: var(--faint); font-size: 0.82rem; }
.markdown { overflow-wrap: anywhere; display: grid; gap: 0.45rem; }
.markdown > *, .markdown li > p { min-width: 0; margin: 0; }
.markdown ul, .markdown ol { padding-left: 1.4rem; margin: 0; font-size: inherit; color: inherit; }
.markdown ul { list-style: disc; } .markdown ol { list-style: decimal; }
.markdown .task { list-style: none; margin-left: -1.2rem; }
.markdown blockquote { border-left: 2px solid var(--line); padding-left: 0.7rem; color: var(--soft); }
.markdown table { border-collapse: collapse; display: block; overflow-x: auto; }
.markdown th, .markdown td { border: 1px solid var(--line); padding: 0.2rem 0.5rem; text-align: left; }
.markdown hr { border: 0; border-top: 1px solid var(--line); width: 100%; }

.badge { display: inline-flex; align-items: center; gap: 0.4em; font-size: 0.82rem; font-weight: 600; white-space: nowrap; color: var(--tone); }
.badge::before { content: ''; width: 0.55em; height: 0.55em; border-radius: 50%; background: var(--tone); flex: none; }
.badge.state-working::before { animation: pulse 1.6s ease-in-out infinite; }
.state-queued, .state-ignored, .state-stopped { --tone: var(--faint); }
.state-working { --tone: var(--blue); } .state-waiting { --tone: var(--amber); }
.state-done { --tone: var(--green); } .state-failed { --tone: var(--red); }
.state-review { --tone: var(--green); }
@keyframes pulse { 50% { opacity: 0.3; } }

.head { padding: 0.4rem 0 1.3rem; }
.head .where { display: flex; flex-wrap: wrap; gap: 0.2rem 0.9rem; align-items: baseline; margin-bottom: 0.35rem; font-size: 0.9rem; }
.head h1 a { color: var(--faint); font-weight: 400; text-decoration-thickness: 1px; }
.reason { margin-top: 0.6rem; color: var(--soft); max-width: 44rem; }
.facts { display: flex; flex-wrap: wrap; gap: 0.55rem 1.9rem; margin: 1rem 0 0; }
.facts dt { color: var(--faint); font-size: 0.78rem; }
.facts dd { margin: 0; font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }

.plan { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 0.95rem 1.1rem; margin-bottom: 1.9rem; }
.plan ul { list-style: none; margin: 0; padding: 0; }
.plan li { display: flex; gap: 0.6rem; padding: 0.14rem 0; overflow-wrap: anywhere; }
.plan li::before { content: ''; flex: none; width: 1.05em; height: 1.05em; margin-top: 0.25em; border: 1.5px solid var(--faint); border-radius: 4px; font: 700 0.72em/1.4 var(--sans); text-align: center; font-size: 0.8em; }
.plan li.is-done { color: var(--soft); }
.plan li.is-done::before { content: '✓'; color: var(--card); background: var(--green); border-color: var(--green); }

.used { margin-bottom: 1.9rem; }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(13rem, 1fr)); gap: 0.8rem 1.6rem; }
.charts figure { margin: 0; min-width: 0; } .charts figcaption { font-size: 0.82rem; color: var(--soft); }
.charts strong { color: var(--ink); font-weight: 600; font-variant-numeric: tabular-nums; }
.charts svg { display: block; width: 100%; height: 3.6rem; margin-top: 0.2rem; border-bottom: 1px solid var(--line); }
.charts path { fill: color-mix(in srgb, var(--blue) 14%, transparent); stroke: var(--blue); stroke-width: 1.6; stroke-linejoin: round; }
.axis { display: flex; justify-content: space-between; color: var(--faint); font-size: 0.75rem; }
.limits { list-style: none; display: grid; grid-template-columns: repeat(auto-fit, minmax(13rem, 1fr)); gap: 0.5rem 1.6rem; margin: 0 0 0.9rem; padding: 0; font-size: 0.82rem; color: var(--soft); }
.limits li { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0 0.8rem; }
.limits meter { order: 1; width: 100%; height: 0.7rem; } .limits span { font-variant-numeric: tabular-nums; }
.points { border-collapse: collapse; font-size: 0.82rem; font-variant-numeric: tabular-nums; }
.points th, .points td { padding: 0.15rem 1rem 0.15rem 0; text-align: left; }

.story { list-style: none; margin: 0.6rem 0 0; padding: 0; position: relative; }
.story > li { display: grid; grid-template-columns: 4.6rem minmax(0, 1fr); gap: 0 1.3rem; position: relative; padding-bottom: 0.5rem; scroll-margin-top: 1rem; }
.story > li::before { content: ''; position: absolute; left: calc(4.6rem + 0.62rem); top: 1.2rem; bottom: -0.45rem; width: 1px; background: var(--line); }
.story > li:last-child::before { display: none; }
.story > li::after { content: ''; position: absolute; left: calc(4.6rem + 0.62rem - 3px); top: 0.58rem; width: 7px; height: 7px; border-radius: 50%; background: var(--dot, var(--line)); box-shadow: 0 0 0 3px var(--paper); }
.story > li:target .card, .story > li:target .note { outline: 2px solid var(--link); outline-offset: 3px; border-radius: 8px; }
.story time { color: var(--faint); font-size: 0.78rem; font-variant-numeric: tabular-nums; text-align: right; padding-top: 0.2rem; }
.story time a { color: inherit; }
.new { animation: arrive 0.5s ease-out; }
@keyframes arrive { from { opacity: 0; } }
.note { color: var(--soft); font-size: 0.88rem; padding-top: 0.06rem; overflow-wrap: anywhere; min-width: 0; padding-left: 0.5rem; }
.note strong { color: var(--soft); font-weight: 600; }
.note .markdown { margin-top: 0.2rem; }
.note .effect { margin-top: 0.3rem; color: var(--ink); }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 0.55rem 0.95rem 0.65rem; min-width: 0; }
.card > header { display: flex; flex-wrap: wrap; gap: 0 0.8rem; align-items: baseline; justify-content: space-between; }
.card > header strong { font-weight: 600; }
.card > .markdown, .card > .answer { margin-top: 0.3rem; }
.card > .answer { border-left: 2px solid var(--green); padding-left: 0.7rem; }
.from-person { --dot: var(--violet); }
.from-person .card { border-color: color-mix(in srgb, var(--violet) 38%, var(--line)); }
.from-person .card.is-rejected { border-color: var(--line); color: var(--soft); }
.from-model { --dot: var(--blue); }
.milestone { --dot: var(--green); } .milestone .note strong { color: var(--green); font-size: 0.95rem; }
.trouble { --dot: var(--red); } .trouble .note strong { color: var(--red); }
.fault { color: var(--red); margin-top: 0.4rem; font-size: 0.92rem; overflow-wrap: anywhere; }
.lines { margin: 0.6rem 0 0; padding: 0; list-style: none; }
.lines > li { border-left: 2px solid var(--line); padding-left: 0.7rem; margin-top: 0.4rem; }

.code, .diff { padding: 0.6rem 0; background: var(--sunk); border-radius: 6px; line-height: 1.5; tab-size: 4; font-size: 12.5px; overflow-wrap: anywhere; }
.code .line { display: grid; grid-template-columns: 3.6rem minmax(0, 1fr); }
.code .line > span { padding-right: 0.75rem; white-space: pre-wrap; }
.code .number { color: var(--faint); text-align: right; user-select: none; }
.code .about, .diff > div { padding: 0 0.75rem; white-space: pre-wrap; }
.diff > div { min-height: 1.5em; }
.code .about, .diff .about { color: var(--faint); } .diff .hunk { color: var(--blue); }
.diff .added { background: color-mix(in srgb, var(--green) 15%, transparent); }
.diff .removed { background: color-mix(in srgb, var(--red) 13%, transparent); }
.edit > div { padding-left: 1.9rem; text-indent: -1.15rem; }
.edit > .added::before { content: '+'; color: var(--green); } .edit > .removed::before { content: '−'; color: var(--red); }
.edit > div::before { display: inline-block; width: 1.15rem; text-indent: 0; user-select: none; }
.parts { display: grid; gap: 0.5rem; border-left: 2px solid var(--line); padding-left: 0.7rem; }
.list { display: grid; gap: 0.25rem; }
.list > div, .parts > div { min-width: 0; } .list > div > .parts { margin-bottom: 0.4rem; }

h1 + p { margin: 0.5rem 0; max-width: 44rem; }
h2 + p { margin-bottom: 0.6rem; }
.request { margin-top: 1.5rem; }

details > summary { cursor: pointer; color: var(--soft); font-size: 0.85rem; list-style: none; width: fit-content; max-width: 100%; }
details > summary::-webkit-details-marker { display: none; }
details > summary::before { content: '▸'; display: inline-block; width: 1.05em; color: var(--faint); font-size: 0.85em; }
details[open] > summary::before { content: '▾'; }
details > summary:hover { color: var(--ink); }
.label + pre { margin-top: 0.35rem; }
details[open] > pre, details[open] > .body { margin-top: 0.45rem; }
.more { margin-top: 0.4rem; }
.calls { margin: 0.5rem -0.95rem -0.65rem; border-top: 1px solid var(--line); }
.call + .call { border-top: 1px solid var(--line); }
.call > details > summary, .together > summary { display: flex; gap: 0.55rem; align-items: baseline; width: 100%; padding: 0.26rem 0.95rem; color: var(--ink); font-size: 0.92rem; }
.call > details > summary::before, .together > summary::before { flex: none; width: 0.7em; }
.call > details > summary:hover, .together > summary:hover { background: var(--sunk); }
.call + .together, .together + .call, .together + .together { border-top: 1px solid var(--line); }
.together > .call { margin-left: 1.2rem; } .together .not-ok .result { color: var(--red); font-size: 0.78rem; font-weight: 600; }
.call .title, .together .title { flex: 1; min-width: 0; overflow-wrap: anywhere; }
.call .tool { color: var(--faint); font-size: 0.78rem; }
.call .took { color: var(--faint); font-size: 0.78rem; font-variant-numeric: tabular-nums; white-space: nowrap; }
.call .result { font-size: 0.78rem; font-weight: 600; white-space: nowrap; }
.call.ok .result { color: var(--green); } .call.not-ok .result { color: var(--red); } .call.open .result { color: var(--blue); }
.call .body { padding: 0 0.95rem 0.85rem 2.2rem; display: grid; gap: 0.55rem; margin-top: 0; }
.call .body > div { min-width: 0; }
.label { color: var(--faint); font-size: 0.78rem; margin-bottom: 0.15rem; }
.effects { padding: 0 0.95rem 0.65rem 2.2rem; display: grid; gap: 0.3rem; }
.effect { min-width: 0; overflow-wrap: anywhere; font-size: 0.92rem; }
.effect strong { font-weight: 600; }
.effect.question { background: color-mix(in srgb, var(--amber) 11%, transparent); border-radius: 8px; padding: 0.55rem 0.8rem; }
.effect.question > ol { margin: 0.2rem 0 0; display: grid; gap: 0.45rem; }
.effect.question > .single { list-style: none; padding: 0; } .effect.question > .several { padding-left: 1.3rem; }
.effect > ul { margin: 0.2rem 0 0; padding: 0; list-style: none; font-size: 0.88em; color: var(--soft); }

.sessions { list-style: none; margin: 1.2rem 0 0; padding: 0; border: 1px solid var(--line); border-radius: 10px; background: var(--card); overflow: hidden; }
.sessions li + li { border-top: 1px solid var(--line); }
.sessions a { display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: 0.05rem 1rem; padding: 0.75rem 1.1rem; color: inherit; }
.sessions a:hover { background: var(--sunk); }
.sessions .title { font-weight: 600; overflow-wrap: anywhere; }
.sessions .badge, .sessions .when { justify-self: end; }
.filters { display: flex; flex-wrap: wrap; gap: 0.5rem 0.8rem; align-items: end; margin-top: 0.9rem; font-size: 0.82rem; color: var(--soft); }
.filters label { display: grid; gap: 0.15rem; min-width: 0; }
.filters select, .filters input, .filters button { font: inherit; font-size: 0.9rem; color: var(--ink); background: var(--card); border: 1px solid var(--faint); border-radius: 6px; padding: 0.3rem 0.5rem; max-width: 12.5rem; width: 100%; min-height: 2.1rem; }
.filters button { width: auto; cursor: pointer; font-weight: 600; padding: 0.3rem 0.9rem; } .filters button:hover { background: var(--sunk); }
.totals dd { font-size: 1.15rem; font-weight: 600; } .totals { gap: 0.9rem 2rem; }
.wide { overflow-x: auto; border: 1px solid var(--line); border-radius: 10px; background: var(--card); }
.wide table { border-collapse: collapse; font-size: 0.86rem; font-variant-numeric: tabular-nums; }
.wide th, .wide td { padding: 0.45rem 0.6rem; text-align: right; vertical-align: bottom; white-space: nowrap; }
.wide thead th { color: var(--soft); font-weight: 600; white-space: normal; min-width: 3.6rem; line-height: 1.3; }
.below { margin-top: 1.2rem; max-width: 44rem; }
.wide th:first-child { text-align: left; font-weight: 600; position: sticky; left: 0; background: var(--card); white-space: normal; overflow-wrap: break-word; min-width: 7rem; max-width: 14rem; }
.wide tbody tr { border-top: 1px solid var(--line); }
.top nav { display: flex; justify-content: space-between; gap: 1rem; }
.top nav span { display: flex; gap: 1.2rem; }
.button { display: inline-block; font: inherit; font-size: 0.9rem; font-weight: 600; color: var(--ink); background: var(--card); border: 1px solid var(--faint); border-radius: 6px; padding: 0.4rem 0.9rem; cursor: pointer; text-decoration: none; }
.actions { margin-bottom: 1.6rem; display: grid; gap: 0.6rem; } .actions:empty { display: none; }
.actions form { display: flex; flex-wrap: wrap; gap: 0.6rem; }
.actions .answering { display: grid; justify-items: start; }
.actions label { font-weight: 600; font-size: 0.9rem; }
.actions textarea { width: 100%; font: inherit; color: var(--ink); background: var(--card); border: 1px solid var(--faint); border-radius: 6px; padding: 0.5rem 0.6rem; resize: vertical; }
.button:hover { background: var(--sunk); }
.notice { max-width: 38rem; padding-top: 1rem; display: grid; gap: 0.9rem; }
.empty { color: var(--soft); margin-top: 1rem; }

@media (max-width: 640px) {
  .top, main { padding-left: 1rem; padding-right: 1rem; }
  h1 { font-size: 1.3rem; }
  .story > li { grid-template-columns: minmax(0, 1fr); padding-left: 1.1rem; gap: 0.1rem; padding-bottom: 1rem; }
  .story > li::before { left: 3px; top: 1rem; }
  .story > li::after { left: 0; top: 0.42rem; }
  .story time { text-align: left; padding-top: 0; }
  .note { padding-left: 0; }
  .call .tool { display: none; }
  .call .body, .effects { padding-left: 0.95rem; }
  .facts { gap: 0.5rem 1.4rem; }
  .sessions a { grid-template-columns: minmax(0, 1fr); gap: 0.15rem; }
  .sessions .badge, .sessions .when { justify-self: start; }
  .filters { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); }
  .filters select, .filters input { max-width: none; }
  .wide th:first-child { max-width: 9rem; }
}
@media (prefers-reduced-motion: reduce) { * { animation: none !important; } }
`;
