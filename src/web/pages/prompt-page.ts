// The page of a prompt: the system prompt and the messages of one request.
import type { Call, Message } from '../../contracts/model.ts';
import { html, type Html } from '../../lib/text/html.ts';
import type { Entry } from '../../session/entry.ts';
import { imageLine } from './image-line.ts';
import type { Prompt } from '../session-source.ts';
import { page } from './layout.ts';

export interface PromptPage {
  readonly id: string;
  readonly entries: readonly Entry[];
  readonly prompt: Prompt;
  /** The `seq` of the reply to this request; `undefined` for the next request. */
  readonly reply: number | undefined;
}

/** A complete request. */
export function promptPage({ id, entries, prompt, reply }: PromptPage): Html {
  const replies = entries.filter(({ type }) => type === 'reply').map(({ seq }) => seq);
  const number = reply === undefined ? undefined : replies.indexOf(reply) + 1;
  const which = number === undefined ? 'Next prompt' : `Prompt for reply ${number}`;
  return page({
    title: `${which} · session ${id}`,
    live: false,
    content: html`<h1>${which}</h1>
      <p class="soft">
        From the journal of <a href="/sessions/${id}">session ${id}</a>. A provider with native tool
        calling also gets the tool descriptions, and its own items from earlier replies are sent
        back unchanged.
      </p>
      ${others(id, replies, number)}
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

/** Links to the other requests: one for each reply, and the next one. */
function others(id: string, replies: readonly number[], number: number | undefined): Html {
  const link = (rest: string, words: number | string, isThis: boolean): Html =>
    isThis
      ? html` <strong aria-current="page">${words}</strong>`
      : html` <a href="/sessions/${id}/prompt${rest}">${words}</a>`;
  return html`<nav aria-label="Prompts">
    Prompts:
    ${replies.map((seq, at) => link(`/${seq}`, at + 1, at + 1 === number))}${link('', 'next', number === undefined)}
  </nav>`;
}
