// A file's diff from git, with what was said below its lines.
import { shownLines, type Side } from '../git/patch.ts';
import type { FileFacts } from '../git/pull.ts';
import type { Html } from '../../../../../src/lib/text/html.ts';
import { html } from '../../../../../src/lib/text/html.ts';

/** What a page shows in a file's diff besides the changes. */
export interface InDiff {
  /** What was said, by the line below which it is shown. */
  readonly remarks: readonly { readonly side: Side; readonly line: number; readonly view: Html }[];
  readonly below: Html | undefined;
}

export function fileDiff(file: FileFacts, { remarks, below }: InDiff = NOTHING): Html {
  const { previousFilename: before, filename, additions, deletions, patch } = file;
  const name = before === undefined ? filename : `${before} → ${filename}`;
  return html`<section class="box file">
    <header>
      <h3><code>${name}</code></h3>
      <span class="plus">+${additions}</span><span class="minus">−${deletions}</span>
    </header>
    <div class="scroll" tabindex="0" role="region" aria-label="Changes of ${name}">
      <table class="diff">
        ${
          patch === undefined
            ? html`<tr>
                <td>No text to show.</td>
              </tr>`
            : patchRows(patch, remarks)
        }
      </table>
    </div>
    ${below}
  </section>`;
}

const NOTHING: InDiff = { remarks: [], below: undefined };

/** The rows of a table: one for each line of the patch, and one for each remark. */
export function patchRows(patch: string, remarks: InDiff['remarks'] = []): Html[] {
  const shown = new Map(shownLines(patch).map((one) => [one.position, one]));
  return patch.split('\n').flatMap((line, position) => {
    const { left, right } = shown.get(position) ?? {};
    if (line.startsWith('@@')) return [row('hunk', undefined, undefined, line)];
    const below = remarks
      .filter((one) => (one.side === 'LEFT' ? left : right) === one.line)
      .map(({ view }) => remark(view));
    let kind = '';
    if (line.startsWith('-')) kind = 'del';
    else if (line.startsWith('+')) kind = 'add';
    return [row(kind, left, right, line), ...below];
  });
}

const row = (kind: string, old: number | undefined, now: number | undefined, line: string): Html =>
  html`<tr class="${kind}">
    <td class="line">${old}</td>
    <td class="line">${now}</td>
    <td>${line}</td>
  </tr>`;

const remark = (view: Html): Html =>
  html`<tr class="remark">
    <td colspan="3">${view}</td>
  </tr>`;
