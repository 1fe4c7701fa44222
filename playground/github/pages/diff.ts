// A file's diff from git, with the review comments below their lines.
import type { FileFacts } from '../git/pull.ts';
import type { ReviewComment } from '../state.ts';
import type { Html } from '../../../src/lib/html.ts';
import { html } from '../../../src/lib/html.ts';
import type { Render } from './markdown.ts';
import { userName } from './parts.ts';

export function fileDiff(
  file: FileFacts,
  comments: readonly ReviewComment[],
  render: Render,
): Html {
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
            : rows(patch, comments, render)
        }
      </table>
    </div>
  </section>`;
}

function rows(patch: string, comments: readonly ReviewComment[], render: Render): Html[] {
  let [old, now] = [0, 0];
  return patch.split('\n').flatMap((line) => {
    const hunk = /^@@ -(\d+)(?:,\d+)? \+(\d+)/.exec(line);
    if (hunk !== null) {
      [old, now] = [Number(hunk[1]), Number(hunk[2])];
      return [
        html`<tr class="hunk">
          <td class="line"></td>
          <td class="line"></td>
          <td>${line}</td>
        </tr>`,
      ];
    }
    if (line.startsWith('-')) return [row('del', old++, undefined, line)];
    if (line.startsWith('\\')) return [row('', undefined, undefined, line)];
    const remarks = comments.filter((one) => one.line === now).map((one) => remark(one, render));
    if (line.startsWith('+')) return [row('add', undefined, now++, line), ...remarks];
    return [row('', old++, now++, line), ...remarks];
  });
}

const row = (kind: string, old: number | undefined, now: number | undefined, line: string): Html =>
  html`<tr class="${kind}">
    <td class="line">${old}</td>
    <td class="line">${now}</td>
    <td>${line}</td>
  </tr>`;

const remark = (comment: ReviewComment, render: Render): Html =>
  html`<tr class="remark" id="discussion_r${comment.id}">
    <td colspan="3">
      ${userName(comment.author)}
      <div class="body">${render(comment.body)}</div>
    </td>
  </tr>`;
