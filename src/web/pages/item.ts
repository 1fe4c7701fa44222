import { html, type Html } from '../../lib/html.ts';
import type { Entry } from '../../session/entries/entry.ts';

/** An entry's place in the timeline; `kind` is a class of the style sheet. */
export function item({ seq, at }: Entry, kind: string, content: Html): Html {
  const id = `entry-${seq}`;
  const shown = at.slice(11, 19);
  return html`<li class="${kind}" id="${id}" data-part>
    <time datetime="${at}" title="${at}"><a href="#${id}">${shown}</a></time
    >${content}
  </li>`;
}

export const note = (words: string, more: Html | string = ''): Html =>
  html`<div class="note"><strong>${words}</strong> ${more}</div>`;
