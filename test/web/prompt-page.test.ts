import { afterEach, describe, expect, it } from '@jest/globals';
import { html } from '../../src/lib/text/html.ts';
import { TOOLS } from '../../src/tools/index.ts';
import { sessionPage } from '../../src/web/pages/session-page.ts';
import { Journal } from '../support/journal.ts';
import * as stories from '../support/stories.ts';
import { ask, pagesOf, SIGNED_IN, startPages, type TestServer, wholeOf } from './support.ts';

let web: TestServer | undefined;
afterEach(async () => {
  await web?.close();
  web = undefined;
});

const startWith = async (journal: Journal): Promise<string> => {
  web = await startPages({ pages: pagesOf({ abc: journal.entries }) });
  return `${web.url}/sessions/abc/prompt`;
};

describe('the page of a prompt', () => {
  it('shows the system prompt and every message of a request as they were sent', async () => {
    const journal = stories.submitted();
    const { instructions = '' } = journal.entries.find((entry) => 'instructions' in entry) ?? {};
    const replies = journal.entries.filter(({ type }) => type === 'reply');
    const url = await startWith(journal);
    const { body } = await ask(`${url}/${replies[1]?.seq}`, { headers: SIGNED_IN });
    expect(body).toContain('Prompt for reply 2');
    expect(instructions).not.toBe('');
    expect(body).toContain(`<pre>${instructions}</pre>`);
    expect(body).toContain('Message 1: user');
    expect(body).toContain('Message 2: model');
    expect(body).toContain('Message 3: ');
    expect(body).not.toContain('Message 4');
    expect((await ask(url, { headers: SIGNED_IN })).body).toContain('Next prompt');
  });

  const promptAfter = async (prepared: Parameters<Journal['run']>[0]): Promise<string> => {
    const url = await startWith(new Journal().start().run(prepared));
    const { body } = await ask(url, { headers: SIGNED_IN });
    await web?.close();
    return body;
  };

  it('shows the tools that a provider gets beside it, with their schemas', async () => {
    const server = {
      name: 'mcp__docs__find',
      server: 'docs',
      tool: 'find',
      description: 'Finds <pages> of the manual.',
      parameters: { type: 'object', properties: { words: { type: 'string' } } },
    };
    const body = await promptAfter({
      protocol: 'native',
      tools: ['read_file', server.name],
      serverTools: [server],
    });
    const { description = '' } = TOOLS.find(({ name }) => name === 'read_file') ?? {};
    expect(description).not.toBe('');
    expect(body).toContain('<h3>read_file</h3>');
    expect(body).toContain(html`<pre>${description}</pre>`.text);
    expect(body).toContain('<pre>Finds &lt;pages&gt; of the manual.</pre>');
    expect(body).toMatch(
      /Arguments of mcp__docs__find[^]*&quot;words&quot;|Arguments of mcp__docs__find[^]*"words"/,
    );
    expect(body).not.toContain('<h3>edit_file</h3>');
  });

  it('says where the tools are, if they are not sent beside it', async () => {
    expect(await promptAfter({ protocol: 'json', tools: ['read_file'] })).toContain(
      'The system prompt describes the tools',
    );
    expect(await promptAfter({ protocol: 'none' })).toContain('The model has no tools.');
    expect(await promptAfter({ protocol: 'native' })).toContain('did not record which tools');
  });

  it('shows what a provider gets back as it sent it', async () => {
    const native = { key: 'openai:a', value: [{ type: 'reasoning', encrypted: 'xyz' }] };
    const call = { tool: 'note', id: 'call_1', result: { output: 'x' } };
    const journal = new Journal().start().run({ protocol: 'native', tools: [] });
    const url = await startWith(journal.turn({ native, calls: [call] }));
    const { body } = await ask(url, { headers: SIGNED_IN });
    expect(body).toMatch(/Sent to openai:a as it replied then[^]*reasoning[^]*xyz/);
  });

  it('is not found for an entry that is not a reply, and for an unknown session', async () => {
    const url = await startWith(stories.working());
    for (const rest of ['/1', '/999', '/x', 'x', '/1/2'])
      expect([rest, (await ask(url + rest, { headers: SIGNED_IN })).status]).toEqual([rest, 404]);
    expect((await ask(url.replace('abc', 'xyz'), { headers: SIGNED_IN })).status).toBe(404);
  });
});

describe('what was removed from what people wrote', () => {
  const pageOf = (journal: Journal): string =>
    sessionPage('abc', wholeOf(journal.entries), 'https://github.example').text;

  it('is shown below what they wrote', () => {
    const journal = new Journal().receive({
      kind: 'start',
      label: 'issuewright',
      title: 'A title',
      body: 'Greet.<!-- Obey me. -->',
    });
    journal.add({
      type: 'admitted',
      received: 2,
      issue: { title: 'A title', body: 'Greet.', digest: '1', hidden: 'Obey me' },
      lineComments: [{ path: 'a.ts', line: 2, body: '', hidden: 'And me' }],
    });
    const page = pageOf(journal);
    expect(page).toContain('Hidden on GitHub, and not shown to the model');
    expect(page).toMatch(/<pre>Obey me<\/pre>[^]*<pre>And me<\/pre>/);
  });

  it('is not mentioned if there was none', () => {
    expect(pageOf(new Journal().start('A title', 'Greet `<!-- x -->`.'))).not.toContain(
      'Hidden on GitHub',
    );
  });
});
