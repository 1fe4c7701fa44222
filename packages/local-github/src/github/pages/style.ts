/** The one style sheet of the pages. */
export const STYLE = `
:root { color-scheme: light dark; --fg: #1f2328; --muted: #59636e; --bg: #fff; --subtle: #f6f8fa;
  --line: #d1d9e0; --link: #0969da; --code: #818b981f;
  /* As a text or an icon, and filled below a white text. */
  --open: #1a7f37; --merged: #8250df; --closed: #cf222e; --draft: #59636e;
  --open-fill: #1a7f37; --merged-fill: #8250df; --closed-fill: #cf222e; --draft-fill: #59636e;
  --add: #dafbe1; --del: #ffebe9; --hunk: #ddf4ff;
  --button: #1f883d; --button-fg: #fff; --input: #fff; --note: #fff8c5; }
@media (prefers-color-scheme: dark) { :root { --fg: #f0f6fc; --muted: #9198a1; --bg: #0d1117;
  --subtle: #151b23; --line: #3d444d; --link: #4493f8; --code: #656c7633;
  --open: #3fb950; --merged: #ab7df8; --closed: #f85149; --draft: #9198a1;
  --open-fill: #238636; --merged-fill: #8957e5; --closed-fill: #da3633; --draft-fill: #656c76;
  --add: #2ea04326; --del: #f8514926;
  --hunk: #388bfd1a; --button: #238636; --input: #0d1117; --note: #bb800926; } }
* { box-sizing: border-box; }
body { margin: 0; color: var(--fg); background: var(--bg); overflow-wrap: anywhere;
  font: 14px/1.5 -apple-system, BlinkMacSystemFont, "Segoe UI", "Noto Sans", Helvetica, Arial, sans-serif; }
a { color: var(--link); text-underline-offset: 2px; } a:hover { text-decoration-thickness: 2px; }
/* A link that no text stands around needs no line to be told from it. */
.top a, .list a, .side a, #home h2 a { text-decoration: none; }
.top a:hover, .list a:hover, .side a:hover, #home h2 a:hover { text-decoration: underline; }
h1, h2, h3 { line-height: 1.25; } .muted, .muted a { color: var(--muted); }
code, pre, .diff, .sha { font: 12px/1.5 ui-monospace, SFMono-Regular, "SF Mono", Menlo, Consolas, monospace; }
.top { background: var(--subtle); border-bottom: 1px solid var(--line); padding: 14px 0; }
.top div, main { max-width: 1012px; margin: 0 auto; } .top div { padding: 0 16px; } .top a { color: var(--fg); font-weight: 600; }
.top .where { float: right; color: var(--muted); font-size: 12px; line-height: 21px; }
main { padding: 20px 16px 60px; }
.title { font-size: 26px; font-weight: 400; margin: 0 0 8px; } .title .muted { font-weight: 300; }
.facts { display: flex; flex-wrap: wrap; gap: 8px; align-items: center; padding-bottom: 16px;
  border-bottom: 1px solid var(--line); margin-bottom: 20px; }
.state { color: #fff; font-weight: 500; padding: 4px 12px; border-radius: 2em; display: inline-flex; gap: 6px; }
.state svg { margin-top: 2px; color: #fff; } .is-open { background: var(--open-fill); }
.is-merged, .is-done { background: var(--merged-fill); } .is-closed { background: var(--closed-fill); } .is-draft { background: var(--draft-fill); }
.icon-open { color: var(--open); } .icon-merged, .icon-done { color: var(--merged); } .icon-closed { color: var(--closed); }
.icon-draft { color: var(--draft); }
.label { display: inline-block; padding: 0 8px; border-radius: 2em; font-size: 12px; font-weight: 500; line-height: 20px; margin-right: 4px; }
.columns { display: grid; grid-template-columns: minmax(0, 1fr) 220px; gap: 28px; }
.side section { border-bottom: 1px solid var(--line); padding-bottom: 12px; margin-bottom: 12px; }
.side h2 { font-size: 12px; color: var(--muted); margin: 0 0 6px; }
.side p { margin: 4px 0; font-size: 13px; }
.entry { display: grid; grid-template-columns: 40px minmax(0, 1fr); gap: 12px; margin-bottom: 16px; }
.avatar { border-radius: 50%; display: block; } .is-bot .avatar { border-radius: 8px; }
.box { border: 1px solid var(--line); border-radius: 6px; background: var(--bg); }
.box > header { background: var(--subtle); border-bottom: 1px solid var(--line); padding: 8px 14px;
  border-radius: 6px 6px 0 0; }
.box > header h2 { color: var(--muted); font-size: 13px; font-weight: 400; line-height: inherit; margin: 0; }
.box > header b, .readme > header h2 { color: var(--fg); } .readme > header h2 { font-weight: 600; } .box > .body { padding: 14px; }
.chip { border: 1px solid var(--line); border-radius: 2em; padding: 0 7px; font-size: 11px; margin-left: 4px; }
.verified { color: var(--open); border-color: var(--open); align-self: center; }
.body > :first-child { margin-top: 0; } .body > :last-child { margin-bottom: 0; }
.body p, .body ul, .body ol, .body pre, .body blockquote, .body table, .body details { margin: 0 0 12px; }
.body ul, .body ol { padding-left: 24px; } .body .task-list-item { list-style: none; margin-left: -20px; }
.body h3 { font-size: 18px; border-bottom: 1px solid var(--line); padding-bottom: 5px; }
.body h4 { font-size: 15px; } .body :is(h5, h6) { font-size: 14px; }
.sr-only { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); } .body hr { border: 0; border-top: 3px solid var(--line); }
.body code { background: var(--code); border-radius: 6px; padding: 2px 5px; }
.body pre { background: var(--subtle); border-radius: 6px; padding: 12px; overflow-x: auto; overflow-wrap: normal; }
.message { white-space: pre-wrap; } .file > .message { padding: 0 14px; } .message, .sha { overflow-wrap: anywhere; }
.body pre code { background: none; padding: 0; } .body summary { cursor: pointer; }
.body blockquote { border-left: 4px solid var(--line); color: var(--muted); padding: 0 14px; }
.body table { border-collapse: collapse; } .body td, .body th { border: 1px solid var(--line); padding: 4px 12px; }
.reactions { display: flex; gap: 6px; padding: 0 14px 12px; }
.reactions svg { vertical-align: -2px; }
.reactions span { border: 1px solid var(--line); border-radius: 2em; padding: 1px 10px; font-size: 12px; }
.event { margin: 0 0 16px 52px; color: var(--muted); } .event b { color: var(--fg); }
.list { border: 1px solid var(--line); border-radius: 6px; padding: 0; margin: 0 0 24px; list-style: none; }
.list li { display: flex; gap: 10px; padding: 10px 14px; border-top: 1px solid var(--line); }
.list li:first-child { border-top: 0; } .list svg { flex: none; margin-top: 3px; }
.list .name { font-weight: 600; color: var(--fg); font-size: 15px; } .grow { flex: 1; min-width: 0; }
.sha { color: var(--muted); }
.verdict { font-weight: 600; } .verdict.approved { color: var(--open); } .verdict.changes_requested { color: var(--closed); }
.file { margin-bottom: 16px; overflow: hidden; } .file > header { display: flex; gap: 10px; }
.file > header h3 { flex: 1; margin: 0; font-weight: 400; } .plus { color: var(--open); } .minus { color: var(--closed); }
.diff { border-collapse: collapse; width: 100%; } .scroll { overflow-x: auto; }
.diff td { padding: 0 10px; white-space: pre-wrap; vertical-align: top; }
.diff .line { width: 1%; min-width: 38px; text-align: right; color: var(--muted); user-select: none; }
.diff .add { background: var(--add); } .diff .del { background: var(--del); }
.diff .hunk td { background: var(--hunk); color: var(--muted); padding-block: 4px; }
.diff .remark td { padding: 10px 14px; font: 14px/1.5 -apple-system, "Segoe UI", Arial, sans-serif; white-space: normal; border-block: 1px solid var(--line); }
.thread { margin: 0 0 12px; } .thread > header { display: flex; gap: 8px; align-items: center; } .thread h3 { font-size: 13px; font-weight: 400; border: 0; padding: 0; margin: 0; }
.thread .remark, .thread form, .thread details, .file details { padding: 10px 14px; border-top: 1px solid var(--line); }
.thread .body form { padding: 8px 0; border: 0; } .suggestion { border: 1px solid var(--line); margin-bottom: 8px; } summary { cursor: pointer; }
form.box { padding: 14px; } form h2 { margin: 0 0 10px; font-size: 14px; }
textarea, input[type=text], select { font: inherit; color: inherit; background: var(--input); width: 100%;
  border: 1px solid var(--line); border-radius: 6px; padding: 6px 10px; margin-bottom: 8px; }
textarea { min-height: 90px; resize: vertical; } select { width: auto; max-width: 100%; margin: 0; }
.buttons { display: flex; flex-wrap: wrap; gap: 8px; justify-content: flex-end; align-items: center; }
.buttons .grow { color: var(--muted); font-size: 13px; }
button { font: inherit; font-weight: 500; border: 1px solid var(--line); border-radius: 6px; padding: 5px 14px; white-space: nowrap;
  background: var(--subtle); color: var(--fg); cursor: pointer; } button:hover { filter: brightness(.96); }
button.main { background: var(--button); color: var(--button-fg); border-color: transparent; }
button.small { padding: 1px 8px; font-size: 12px; } .inline { display: flex; gap: 6px; margin-top: 6px; }
.inline input[type=text] { margin: 0; min-width: 0; } :target > .box { box-shadow: 0 0 0 2px var(--link); }
@media (max-width: 700px) { .columns { grid-template-columns: minmax(0, 1fr); } .title { font-size: 21px; }
  .entry { grid-template-columns: minmax(0, 1fr); } .entry > .who { display: none; } .event { margin-left: 0; }
  .top .where { display: none; } }
`;
