// Code and diffs with a style for each line. Texts with too many lines are shown without styles.
import { html, type Html } from '../../lib/text/html.ts';
import { hunkHeader } from '../../lib/text/unified-diff.ts';

const MAX_LINES = 2500;

/** Code. If it is a listing (number, tab, line), the numbers are shown beside the lines. */
export const codeLines = (text: string): Html =>
  byLine(text, 'code', (lines) => {
    const isListing = lines.some((line) => NUMBERED.test(line));
    return isListing ? lines.map(listed) : undefined;
  });

const NUMBERED = /^ *(\d+)\t(.*)$/s;

function listed(line: string): Html {
  const [, number, content] = NUMBERED.exec(line) ?? [];
  if (number === undefined) return html`<div class="about">${line}</div>`;
  return html`<div class="line"><span class="number">${number}</span><span>${content}</span></div>`;
}

/** Text of which every line was removed or added. */
export const changed = (kind: 'removed' | 'added', text: string): Html =>
  text === ''
    ? html`<div class="faint">nothing</div>`
    : byLine(text, 'diff edit', (lines) => lines.map((line) => row(kind, line)));

/** A unified diff of one or more files. */
export const diff = (text: string): Html =>
  byLine(text, 'diff', (lines) => {
    const kindOf = kindOfLine();
    return lines.map((line) => row(kindOf(line), line));
  });

function byLine(
  text: string,
  kind: string,
  show: (lines: readonly string[]) => readonly Html[] | undefined,
): Html {
  const lines = text.replace(/\r?\n$/, '').split(/\r?\n/);
  const rows = lines.length > MAX_LINES ? undefined : show(lines);
  return rows === undefined
    ? html`<pre>${text}</pre>`
    : html`<div class="${kind} mono">${rows}</div>`;
}

const row = (kind: Kind, line: string): Html => html`<div class="${kind}">${line}</div>`;

type Kind = 'removed' | 'added' | 'same' | 'hunk' | 'about';

/** Counts the lines of each hunk, because a removed line `-- x` looks like the header of a file. */
function kindOfLine(): (line: string) => Kind {
  let [before, after] = [0, 0];
  return (line) => {
    if (before <= 0 && after <= 0) {
      const hunk = hunkHeader(line);
      if (hunk === undefined) return 'about';
      [before, after] = [hunk.oldLines, hunk.newLines];
      return 'hunk';
    }
    if (line.startsWith('\\')) return 'about';
    if (!line.startsWith('+')) before -= 1;
    if (!line.startsWith('-')) after -= 1;
    if (line.startsWith('+')) return 'added';
    return line.startsWith('-') ? 'removed' : 'same';
  };
}
