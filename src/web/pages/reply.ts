import { html, type Html } from '../../lib/html.ts';
import type { Call, EntryOf } from '../../session/entry.ts';
import { duration, tokens } from '../../session/views/words.ts';
import { effect } from './effect.ts';
import type { CallProgress, JournalIndex } from './journal-index.ts';
import { folded, longCode, longProse } from './text.ts';

type Reply = EntryOf<'reply'>;

/** One reply of the model: its thought, and each call with what came of it. */
export function reply(entry: Reply, index: JournalIndex): Html {
  const { seq, thought, fault, calls, usage, took, text } = entry;
  const number = index.numberOf(seq);
  const spent = `${duration(took)} · ${tokens(usage.input)} in, ${tokens(usage.output)} out`;
  return html`<div class="card">
    <header><strong>Reply ${number}</strong><span class="faint">${spent}</span></header>
    ${thought === '' ? '' : longProse(`thought-${seq}`, thought)}
    ${fault === null ? '' : html`<p class="fault">Its form could not be used: ${fault}</p>`}
    ${folded(`raw-${seq}`, 'As the model wrote it', longCode(`raw-all-${seq}`, text))}
    ${calls.length === 0 ? '' : html`<div class="calls">${calls.map((made, at) => call(seq, made, at, index.call(seq, at)))}</div>`}
  </div>`;
}

function call(reply: number, made: Call, at: number, { started, finished }: CallProgress): Html {
  const took =
    started === undefined || finished === undefined
      ? ''
      : duration(Date.parse(finished.at) - Date.parse(started.at));
  const key = `call-${reply}-${at}`;
  const [tone, result] = outcome({ started, finished });
  return html`<div class="call ${tone}">
    <details data-key="${key}" ${finished?.ok === false ? html` open` : ''}>
      <summary>
        <span class="title">${started?.title ?? made.tool}</span
        ><span class="tool mono">${made.tool}</span><span class="took">${took}</span
        ><span class="result">${result}</span>
      </summary>
      <div class="body">
        ${argumentsOf(key, made.arguments)}${
          finished === undefined
            ? ''
            : labelled('Result', longCode(`${key}-output`, finished.output))
        }
      </div>
    </details>
    ${
      finished === undefined || finished.effects.length === 0
        ? ''
        : html`<div class="effects">${finished.effects.map(effect)}</div>`
    }
  </div>`;
}

function outcome({ started, finished }: CallProgress): [tone: string, words: string] {
  if (finished !== undefined) return finished.ok ? ['ok', 'ok'] : ['not-ok', 'failed'];
  return started === undefined ? ['waits', ''] : ['open', 'running'];
}

const labelled = (label: string, content: Html): Html =>
  html`<div>
    <div class="label">${label}</div>
    ${content}
  </div>`;

/** Each argument under its name: text as it is, anything else as JSON. */
function argumentsOf(key: string, value: unknown): Html {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return labelled('Arguments', longCode(`${key}-arguments`, json(value)));
  }
  return html`${Object.entries(value).map(([name, argument], at) =>
    labelled(
      name,
      longCode(`${key}-${at}`, typeof argument === 'string' ? argument : json(argument)),
    ),
  )}`;
}

const json = (value: unknown): string => JSON.stringify(value, null, 2) ?? String(value);
