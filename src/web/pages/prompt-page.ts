// The page of a prompt: the system prompt and the messages of one request.
import type { Call, Message } from '../../contracts/model.ts';
import { html, type Html } from '../../lib/text/html.ts';
import { imageLine } from './image-line.ts';
import type { ShownRequest } from '../session-source.ts';
import { page } from './layout.ts';

/** A complete request. */
export function promptPage(id: string, { at, replies, prompt }: ShownRequest): Html {
  const number = at === undefined ? 0 : replies.indexOf(at) + 1;
  const which = titleOf(at, number);
  return page({
    title: `${which} · session ${id}`,
    live: false,
    content: html`<h1>${which}</h1>
      <p class="soft">
        From the journal of <a href="/sessions/${id}">session ${id}</a>. A provider with native tool
        calling also gets the tool descriptions, and its own items from earlier replies are sent
        back unchanged.
      </p>
      ${others(id, replies, at)}
      <section class="request">
        <h2>System prompt</h2>
        <pre>${prompt.system}</pre>
      </section>
      ${prompt.messages.map(
        (message, at) =>
          html`<section class="request">
            <h2>Message ${at + 1}: ${ROLES[message.role]}</h2>
            ${content(message)}
          </section>`,
      )}`,
  });
}

function titleOf(at: number | undefined, number: number): string {
  if (at === undefined) return 'Next prompt';
  return number === 0 ? `Prompt after entry ${at}` : `Prompt for reply ${number}`;
}

const ROLES: Readonly<Record<Message['role'], string>> = {
  user: 'user',
  assistant: 'model',
  results: 'tool results',
};

function content(message: Message): Html {
  switch (message.role) {
    case 'user':
      return html`<pre>${message.text}</pre>
        ${(message.images ?? []).map((image) => html`<h3>${imageLine(image)}</h3>`)}`;
    case 'assistant':
      return html`${message.text === '' ? '' : html`<pre>${message.text}</pre>`}${message.calls.map(call)}`;
    case 'results':
      return html`${message.results.map(
        ({ tool, output }) =>
          html`<h3>${tool}</h3>
            <pre>${output}</pre>`,
      )}`;
    default:
      return message satisfies never;
  }
}

const call = ({ tool, arguments: given }: Call): Html =>
  html`<h3>Call: ${tool}</h3>
    <pre>${JSON.stringify(given, null, 2)}</pre>`;

/** Links to the requests before and after this one, the first and the next. */
function others(id: string, replies: readonly number[], at = Infinity): Html {
  const link = (seq: number | undefined, words: string): Html =>
    seq === undefined ? html`` : html`<a href="/sessions/${id}/prompt/${seq}">${words}</a> `;
  const [before, after] = [replies.findLast((seq) => seq < at), replies.find((seq) => seq > at)];
  const [first] = replies;
  return html`<nav class="pages" aria-label="Prompts">
    ${first === at || first === before ? '' : link(first, 'First prompt')}${link(before, 'Previous prompt')}${link(after, 'Following prompt')}${at === Infinity ? '' : html`<a href="/sessions/${id}/prompt">Next prompt to be sent</a>`}
  </nav>`;
}
