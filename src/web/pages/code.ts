// Code and changes, line by line.
import { html, type Html } from '../../lib/html.ts';

/** Code as it is; the numbers of a listing ("12", a tab, the line) stand beside it. */
export function code(text: string): Html {
  const lines = linesOf(text).map((line) => /^ *(\d+)\t(.*)$/s.exec(line) ?? line);
  if (lines.every((line) => typeof line === 'string')) return html`<pre>${text}</pre>`;
  return html`<div class="code mono">${lines.map(listed)}</div>`;
}

function listed(line: RegExpExecArray | string): Html {
  if (typeof line === 'string') return html`<div class="about">${line}</div>`;
  const [, number, content] = line;
  return html`<div class="line"><span class="number">${number}</span><span>${content}</span></div>`;
}

/** What goes, or what comes: every line of it. */
export const changed = (kind: 'removed' | 'added', text: string): Html =>
  text === ''
    ? html`<div class="faint">nothing</div>`
    : html`<div class="diff edit mono">
        ${linesOf(text).map((line) => html`<div class="${kind}">${line}</div>`)}
      </div>`;

/** A unified diff, of one file or of several. */
export const diff = (text: string): Html =>
  html`<div class="diff mono">
    ${linesOf(text)
      .map(kindOfLine())
      .map(({ kind, line }) => html`<div class="${kind}">${line}</div>`)}
  </div>`;

const linesOf = (text: string): readonly string[] => text.replace(/\r?\n$/, '').split(/\r?\n/);

const HUNK = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/;
type Kind = 'removed' | 'added' | 'same' | 'hunk' | 'about';

/** A line's kind follows from where it stands: a removed `-- x` reads like the head of a file. */
function kindOfLine(): (line: string) => { readonly kind: Kind; readonly line: string } {
  let [before, after] = [0, 0];
  const kindOf = (line: string): Kind => {
    const hunk = HUNK.exec(line);
    if (before <= 0 && after <= 0) {
      if (hunk === null) return 'about';
      [before, after] = [Number(hunk[1] ?? 1), Number(hunk[2] ?? 1)];
      return 'hunk';
    }
    if (line.startsWith('\\')) return 'about';
    if (!line.startsWith('+')) before -= 1;
    if (!line.startsWith('-')) after -= 1;
    if (line.startsWith('+')) return 'added';
    return line.startsWith('-') ? 'removed' : 'same';
  };
  return (line) => ({ kind: kindOf(line), line });
}
