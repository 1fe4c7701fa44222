import { html, type Html } from '../../lib/text/html.ts';
import type { Call } from '../../contracts/model.ts';
import type { EntryOf } from '../../session/entry.ts';
import { duration, spending, tokens } from '../../session/texts/format.ts';
import { callName, exitWords } from '../../session/texts/runs.ts';
import { renderEffects } from './effect.ts';
import type { CallProgress, JournalIndex } from './journal-index.ts';
import { foldedSection, longCode, type Links } from './text.ts';
import { longMarkdown } from './markdown.ts';
import { argumentsOf, jsonText, labelled, renderText, type Renderings } from './value.ts';

type Reply = EntryOf<'reply'>;

const STOPS: Readonly<Record<Reply['stop'], string>> = {
  end: '',
  cut: 'Cut at the output limit.',
  filtered: "Stopped by the provider's safety filter.",
};

/** One reply of the model: its thought, its answer, and each call with its result. */
export function renderReply(entry: Reply, index: JournalIndex, renderings: Renderings): Html {
  const calls = grouped(entry, index).map((group) => {
    const shown = group.map((at) => callOf(entry, at, index, renderings));
    return group.length === 1 ? shown : foldedCalls(entry, group, shown, index);
  });
  return html`<div class="card">
    ${replyWords(entry, index)} ${calls.length === 0 ? '' : html`<div class="calls">${calls}</div>`}
  </div>`;
}

/** The calls by their places: those that are over and did nothing to show are together. */
function grouped(entry: Reply, index: JournalIndex): readonly number[][] {
  const groups: number[][] = [];
  let routine: number[] | undefined;
  for (const at of entry.calls.keys()) {
    const { finished } = index.call(entry.seq, at);
    const isRoutine = finished?.effects.every(({ type }) => type === 'command') === true;
    if (isRoutine && routine !== undefined) {
      routine.push(at);
      continue;
    }
    routine = isRoutine ? [at] : undefined;
    groups.push(routine ?? [at]);
  }
  return groups;
}

/** On one line, which names each call and says which failed. */
function foldedCalls(
  { seq, calls }: Reply,
  group: readonly number[],
  shown: readonly Html[],
  index: JournalIndex,
): Html {
  const names = group.map((at, place) => {
    const progress = index.call(seq, at);
    const title = titleOf(progress, calls[at]);
    const [tone, result] = outcome(progress);
    const failed = tone === 'not-ok' ? html` <span class="result">${result}</span>` : '';
    return html`${place === 0 ? '' : ' · '}<span class="${tone}">${title}${failed}</span>`;
  });
  return html`<details class="together" data-key="calls-${seq}-${group[0]}">
    <summary><span class="title">${names}</span></summary>
    ${shown}
  </details>`;
}

const titleOf = ({ started, finished }: CallProgress, made: Call | undefined): string =>
  started?.title ?? finished?.title ?? (made === undefined ? '' : callName(made));

/** A reply without its calls. */
export function replyWords(entry: Reply, index: JournalIndex): Html {
  const { seq, thought, answer, fault, stop } = entry;
  return html`<header>
      <strong>Reply ${index.numberOf(seq)}</strong><span class="faint">${spending(entry)}</span>
      ${verbatim(entry)}${wireItems(entry)}
      <a class="seen" href="${index.links.request(seq)}"
        >What the model saw<span class="unseen"> before reply ${index.numberOf(seq)}</span></a
      >
    </header>
    ${thought === '' || thought === answer ? '' : longMarkdown(`thought-${seq}`, thought)}
    ${answer === null ? '' : html`<div class="answer">${labelled('Answer', longMarkdown(`answer-${seq}`, answer))}</div>`}
    ${stop === 'end' ? '' : html`<p class="fault">${STOPS[stop]}</p>`}
    ${fault === null ? '' : html`<p class="fault">Invalid reply: ${fault}</p>`}`;
}

/** A call of a reply, by its place there; nothing if there is no such call. */
export function callOf(
  entry: Reply,
  at: number,
  index: JournalIndex,
  renderings: Renderings,
): Html {
  const made = entry.calls[at];
  const { links } = index;
  return made === undefined
    ? html``
    : call({ reply: entry, made, at, renderings, links }, index.call(entry.seq, at));
}

/** The literal reply, unless the page already shows all of it. */
function verbatim({ seq, text, thought, answer }: Reply): Html | string {
  if (text === '' || text === thought || text === answer) return '';
  return foldedSection(`raw-${seq}`, 'Raw reply', longCode(`raw-all-${seq}`, text));
}

const MAX_WIRE_CHARACTERS = 8_000;

/** Items that are sent back to the provider unchanged. They are hardly readable, so only small ones are shown. */
function wireItems({ seq, native }: Reply): Html | string {
  if (native === null) return '';
  const text = jsonText(native.value);
  if (text.length > MAX_WIRE_CHARACTERS) {
    return html`<span class="more faint"
      >Provider items: ${tokens(text.length)} characters, not shown</span
    >`;
  }
  const what = html`${labelled('For', native.key)}
    <pre>${text}</pre>`;
  return foldedSection(`wire-${seq}`, 'Provider items', what);
}

const MAX_LIVE_CHARACTERS = 2_000;

interface MadeCall {
  readonly reply: Reply;
  readonly made: Call;
  /** Index among the calls of the reply. */
  readonly at: number;
  readonly renderings: Renderings;
  readonly links: Links;
}

function call({ reply, made, at, renderings, links }: MadeCall, progress: CallProgress): Html {
  const { started, finished } = progress;
  const rendering = renderings.get(made.tool);
  const took =
    started === undefined || finished === undefined
      ? ''
      : duration(Date.parse(finished.at) - Date.parse(started.at));
  const key = `call-${reply.seq}-${at}`;
  const isOurs = reply.answer !== null;
  const effects = (finished?.effects ?? [])
    .filter(({ type }) => type !== 'command')
    // The answer is shown above, so it is left out here.
    .map((one) =>
      one.type === 'finish' && one.summary === reply.answer ? { ...one, summary: '' } : one,
    );
  const [tone, result] = outcome(progress);
  const title = titleOf(progress, made);
  return html`<div class="call ${tone}">
    <details data-key="${key}">
      <summary>
        <span class="title">${title}</span
        ><span class="tool mono">${title.startsWith(made.tool) ? '' : made.tool}</span
        ><span class="took">${took}</span><span class="result">${result}</span>
      </summary>
      <div class="body">
        ${isOurs ? html`<div class="faint">Added by the service for the answer above.</div>` : argumentsOf(key, made.arguments, rendering?.arguments)}${
          finished === undefined
            ? ''
            : labelled(
                'Result',
                renderText(
                  `${key}-output`,
                  finished.output,
                  finished.ok ? rendering?.output : 'plain',
                ),
              )
        }${finished === undefined ? '' : outputOf(key, progress)}
        ${isOurs ? '' : promptLinkBefore(reply.seq, at, links)}
      </div>
    </details>
    ${finished === undefined ? outputOf(key, progress) : ''}
    ${effects.length === 0 ? '' : html`<div class="effects">${renderEffects(effects, links)}</div>`}
  </div>`;
}

const promptLinkBefore = (reply: number, at: number, links: Links): Html =>
  html`<div class="seen">
    <a href="${links.request(reply)}"
      >What the model saw<span class="unseen"> before call ${at + 1} of entry ${reply}</span></a
    >
  </div>`;

/** The end of a running call's output; all output, folded, after the call has ended. */
function outputOf(key: string, { output, finished }: CallProgress): Html | string {
  if (output === undefined) return '';
  if (finished === undefined)
    return html`<pre class="live">${output.slice(-MAX_LIVE_CHARACTERS)}</pre>`;
  return foldedSection(`${key}-live`, 'Live output', longCode(`${key}-live-all`, output));
}

function outcome({ started, finished }: CallProgress): [tone: string, words: string] {
  if (finished !== undefined) {
    const command = finished.effects.find((one) => one.type === 'command');
    const words = command === undefined ? '' : exitWords(command);
    return finished.ok ? ['ok', words || 'ok'] : ['not-ok', words || 'failed'];
  }
  return started === undefined ? ['waits', ''] : ['open', 'running'];
}
