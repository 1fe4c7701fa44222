// The page of a prompt: the system prompt, the tools and the messages of one request.
import type { Call, Message, ToolSpec } from '../../contracts/model.ts';
import { html, type Html } from '../../lib/text/html.ts';
import { imageLine, foldedSection, longCode } from './text.ts';
import type { SentTools, ShownRequest } from '../session-source.ts';
import { page } from './layout.ts';
import { jsonText } from './value.ts';

/** A complete request. */
export function promptPage(id: string, { at, replies, prompt }: ShownRequest): Html {
  const number = at === undefined ? 0 : replies.indexOf(at) + 1;
  const which = titleOf(at, number);
  return page({
    title: `${which} · session ${id}`,
    live: false,
    content: html`<h1>${which}</h1>
      <p class="soft">
        From the journal of <a href="/sessions/${id}">session ${id}</a>: all that the model is sent.
        Each provider has a form of its own for it.
      </p>
      ${others(id, replies, at)}
      <section class="request">
        <h2>System prompt</h2>
        <pre>${prompt.system}</pre>
      </section>
      <section class="request">
        <h2>Tools</h2>
        ${toolsSection(prompt.tools)}
      </section>
      ${prompt.messages.map(
        (message, at) =>
          html`<section class="request">
            <h2>Message ${at + 1}: ${ROLES[message.role]}</h2>
            ${content(message, at)}
          </section>`,
      )}`,
  });
}

function titleOf(at: number | undefined, number: number): string {
  if (at === undefined) return 'Next prompt';
  return number === 0 ? `Prompt after entry ${at}` : `Prompt for reply ${number}`;
}

function toolsSection(tools: SentTools): Html {
  if (tools === 'described')
    return html`<p class="soft">The system prompt describes the tools and how to call them.</p>`;
  if (tools === 'not recorded')
    return html`<p class="soft">
      The version that wrote this journal did not record which tools there were.
    </p>`;
  if (tools.length === 0) return html`<p class="soft">The model has no tools.</p>`;
  const toolCount = tools.length === 1 ? 'One tool' : `${tools.length} tools`;
  return html`<p class="soft">
      Sent with the system prompt, as prepared for this run. For the service's own tools the journal
      has only the names, so their descriptions come from the version that runs now.
    </p>
    ${foldedSection('tools', toolCount, html`${tools.map(tool)}`)}`;
}

const tool = ({ name, description, parameters }: ToolSpec): Html =>
  html`<h3>${name}</h3>
    ${description === '' ? html`<p class="soft">Its description depends on the question that an MCP server asked.</p>` : html`<pre>${description}</pre>`}
    ${foldedSection(`tool-${name}`, `Arguments of ${name}, as a JSON schema`, html`<pre>${jsonText(parameters)}</pre>`)}`;

const ROLES: Readonly<Record<Message['role'], string>> = {
  user: 'user',
  assistant: 'model',
  results: 'tool results',
};

function content(message: Message, at: number): Html {
  switch (message.role) {
    case 'user':
      return html`<pre>${message.text}</pre>
        ${(message.images ?? []).map((image) => html`<h3>${imageLine(image)}</h3>`)}`;
    case 'assistant':
      return html`${message.text === '' ? '' : html`<pre>${message.text}</pre>`}${message.calls.map(call)}${items(message, at)}`;
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

type AssistantMessage = Extract<Message, { readonly role: 'assistant' }>;

/** The provider that they are of gets them in place of the text and the calls. */
const items = ({ native }: AssistantMessage, at: number): Html | string =>
  native === null
    ? ''
    : foldedSection(
        `items-${at}`,
        `Sent to ${native.key} as it replied then`,
        longCode(`items-all-${at}`, jsonText(native.value)),
      );

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
