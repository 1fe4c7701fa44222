import { afterEach, expect, it } from '@jest/globals';
import type { Memory } from '../../src/contracts/memory.ts';
import * as stories from '../support/stories.ts';
import { ask, pagesOf, SIGNED_IN, startPages, type TestServer } from './support.ts';

let web: TestServer | undefined;
afterEach(() => web?.close());

const MEMORY: Memory = {
  number: 3,
  text: 'The <b>grammar</b> is made by hand.',
  session: 'def',
  issue: 7,
  at: '2030-01-15T14:03:00.000Z',
  fromStrangers: false,
};

const open = async (memories: readonly Memory[]): Promise<string> => {
  web = await startPages({ pages: pagesOf({ abc: stories.working().entries }, memories) });
  return `${web.url}/sessions/abc`;
};
const read = async (url: string, headers: object = SIGNED_IN) => {
  const { status, body } = await ask(url, { headers: { ...headers } });
  return { status, text: body.replaceAll(/\s+/g, ' ') };
};

it('the session page leads to the memories of its repository, which says how one is deleted', async () => {
  const url = await open([{ ...MEMORY, number: 4, fromStrangers: true }, MEMORY]);
  expect((await read(url)).text).toContain('<a href="/sessions/abc/memory">');
  const { status, text } = await read(`${url}/memory`);
  expect(status).toBe(200);
  expect(text).toContain('<pre>The &lt;b&gt;grammar&lt;/b&gt; is made by hand.</pre>');
  expect(text).toContain('By <a href="/sessions/def">the session of issue #7</a>, 15 Jan 2030');
  expect(text).toContain('<code>/issuewright forget 3</code>');
  const [, marked = '', unmarked = ''] = text.split('<h2>Memory');
  expect(marked).toContain('had read words of people without write access');
  expect(unmarked).not.toContain('had read words of people without write access');
});

it('the page says so if there are none, and is for people with the token and known sessions only', async () => {
  const url = await open([]);
  expect((await read(`${url}/memory`)).text).toContain('No memories yet.');
  expect((await read(`${url}/memory`, {})).status).toBe(401);
  expect((await read(`${url.replace('abc', 'xyz')}/memory`)).status).toBe(404);
  expect((await read(`${url.replace('abc', 'a%2Fc')}/memory`)).status).toBe(404);
});

it('the session page says what was stored, what was read of strangers, and what people deleted', async () => {
  const journal = stories.working();
  journal.effect({ type: 'memory', number: 3 }).effect({ type: 'strangers_read' });
  journal.comment('/issuewright forget 3 and 9').admitAsking('forget', true);
  const received = journal.entries.length - 1;
  journal.add({
    type: 'memory_answered',
    received,
    answer: { kind: 'forgotten', numbers: [3], unknown: [9] },
  });
  web = await startPages({ pages: pagesOf({ abc: journal.entries }) });
  const { text } = await read(`${web.url}/sessions/abc`);
  expect(text).toContain('<strong>Remembered</strong> as memory 3');
  expect(text).toContain('comments of people without write access');
  expect(text).toContain('<strong>Memory:</strong> deleted 3');
});
