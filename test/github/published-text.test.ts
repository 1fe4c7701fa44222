import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import nock from 'nock';
import { RenderingFailed } from '../../src/github/errors.ts';
import { publicBody, publicTitle } from '../../src/github/gate.ts';
import { plainText } from '../../src/github/text/safe.ts';
import { createRedactor } from '../../src/lib/text/redact.ts';
import { quotation, unquoted, type Section } from '../../src/session/texts/markdown.ts';
import { asGitHubShows, checkBy, links, published } from '../support/publishing.ts';
import { api, comment, knowsItself, mintsTokens, REPO, repository, TOKEN } from './support.ts';

const MARKER = '<!-- issuewright:5:status -->';
const wanted = { issue: 1, session: '5', key: 'status', body: ['hello'] };

beforeEach(() => {
  mintsTokens();
  knowsItself();
});
afterEach(() => nock.cleanAll());

const sent: Record<string, unknown>[] = [];
const takes = async (request: Request) => {
  const body = (await request.json()) as Record<string, unknown>;
  sent.push(body);
  return { ...comment(50, ''), ...body, number: 3, html_url: 'https://github.com/example/words/3' };
};
afterEach(() => {
  sent.length = 0;
});

describe('a public text', () => {
  const redactor = createRedactor(['the-operator-password']);
  const text = (body: string, mentions: string[] = []) =>
    published([unquoted(body)], { redactor, mentions });

  it('is cleaned of mentions, markers and secrets', async () => {
    const body = `@everyone fixes #1 ${TOKEN} the-op\u200Berator-password\n<!-- issuewright:6:x -->`;
    const clean = '@\u200Beveryone fixes → #1 [redacted] [redacted]';
    await expect(text(body)).resolves.toBe(clean);
    await expect(published([body], { redactor })).resolves.toBe(`${clean}\n`);
  });

  it.each([
    ['a token', `a\\*b ghp\\_${'a1B2'.repeat(9)} c`, 'a\\*b [redacted] c'],
    ['one below code', `\\d\\.\nghp\\_${'a1B2'.repeat(9)}`, '\\d\\.\n[redacted]'],
    ['a known value', 'the\\-operator\\-password', '[redacted]'],
    ['one with an invisible character', 'the\\\u200B-operator-password', '[redacted]'],
    [
      'one beside a link',
      '[x]\\(https://evil.example) the\\-operator-password',
      '[x]\\(https：//evil.example) [redacted]',
    ],
    ['none, so all stays', 'C:\\.a the-operator-password \\*b\\*', 'C:\\.a [redacted] \\*b\\*'],
  ])('shows no secret behind the backslashes of Markdown: %s', async (_what, body, expected) => {
    await expect(text(body)).resolves.toBe(expected);
  });

  it('ends at the limit of GitHub, with a mark and its marker', async () => {
    const long = await text('🙂'.repeat(50_000));
    expect(long.length).toBeLessThanOrEqual(65_536 - 2 - MARKER.length);
    expect(long.length).toBeGreaterThan(65_200);
    expect(long.isWellFormed()).toBe(true);
    expect(long).toMatch(/🙂\n\n… \(cut here.*\)$/);
    const whole = 'x'.repeat(65_536 - MARKER.length - 4);
    await expect(text(whole)).resolves.toBe(whole);
    await expect(published([whole])).resolves.toBe(whole);
    await expect(published([`${whole}fixes #1`])).resolves.toMatch(/cut here/);
  });

  it('does not swallow its marker in a code block that stays open', async () => {
    await expect(text('see:\n```js\none()')).resolves.toBe('see:\n```js\none()\n```');
    await expect(text(`\`\`\`js\n${'one()\n'.repeat(20_000)}\`\`\`\nend`)).resolves.toMatch(
      /one\(\)\n```\n\n… \(cut here.*\)$/,
    );
  });

  it('that was cut links to the complete text', async () => {
    const whole = 'http://127.0.0.1:3000/sessions/5';
    const long = await published([unquoted('word '.repeat(20_000))], { whole });
    expect(long).toMatch(
      /word\n\n… \(cut here: the rest was too long for GitHub; \[read all of it here\]\(http:\/\/127\.0\.0\.1:3000\/sessions\/5\)\)$/,
    );
  });

  it('changes nothing but secrets in what people copy, where nothing acts', async () => {
    const code =
      '@everyone fixes #1 [skip ci]\n</details>\n<!-- x -->\n````\nReviewed-by: ann\nthe-';
    const around = (section: Section) => ['<details>', section, '</details>'];
    const whole = `<details>\n\n\`\`\`\`\`diff\n${code}\n\`\`\`\`\`\n\n</details>`;
    await expect(published(around({ code, language: 'diff' }))).resolves.toBe(whole);
    await expect(checkBy(asGitHubShows)(whole, [])).resolves.toBeUndefined();
    const secret = { code: `${code}operator-password`, language: 'diff' };
    await expect(published(around(secret), { redactor })).resolves.toContain('\n[redacted]\n');
  });

  it('is cleaned also in what people copy if a commit message may be made of it, or it has what nobody sees', async () => {
    const copied = (code: string, closes?: number) =>
      published([{ code, language: 'diff' }], closes === undefined ? {} : { closes });
    await expect(copied('fixes #1', 2)).resolves.toBe('```diff\nfixes → #1\n```');
    await expect(copied('a\u202Eb')).resolves.toBe('```diff\nab\n```');
  });

  it('links only to GitHub, and hides no secret in a link', async () => {
    const body = `![x](https://evil.example/${TOKEN}) [y](https://github.com/example/words)`;
    await expect(text(body)).resolves.toBe(
      '![x]\\(https：//evil.example/[redacted]) [y](https://github.com/example/words)',
    );
  });

  it('rejects a session or key that would break out of the marker', async () => {
    const check = async () => undefined;
    await expect(
      publicBody({ ...wanted, key: 'a --> b' }, { redactor, links, check }),
    ).rejects.toThrow(RangeError);
  });

  it('as a title is one clean line', () => {
    expect(publicTitle(' Fixes #1:\n\n@you ', { redactor })).toBe('Fixes → #1: ＠you');
    expect(publicTitle('    @you', { redactor })).toBe('＠you');
    expect(publicTitle('x'.repeat(300), { redactor })).toHaveLength(256);
    expect(publicTitle('\u200B', { redactor })).toBe('Untitled');
  });

  it.each([
    ['Fix it\n\n```\n@you\n```\n', 'Fix it\n\n```\n＠you\n```\n'],
    ['Fix it\n\n    @you did\n', 'Fix it\n\n    ＠you did\n'],
    ['Fix it\n\n-     @you\n', 'Fix it\n\n-     ＠you\n'],
    ['Fix it\n\n~~~ @you', 'Fix it\n\n~~~ ＠you'],
    ['Use `@scope/name`', 'Use `＠scope/name`'],
    ['Tell ``@you`` and `\n@me\n`', 'Tell ``＠you`` and `\n＠me\n`'],
    [
      'Fix it\n\nSigned-off-by\u00A0: You <y@example.test>',
      'Fix it\n\nSigned-off-by\u00A0： You <y@example.test>',
    ],
  ])(
    'a message of a commit has no code, since GitHub mentions people in it: %j',
    (message, clean) => {
      expect(plainText(message, redactor)).toBe(clean);
    },
  );
});

describe('a text that a model wrote', () => {
  const say = (...texts: string[]) =>
    repository().comment({ ...wanted, known: 9, body: texts.map((text) => quotation(text, 500)) });
  const rendersAs = (html: (text: string) => string) => {
    const asked: string[] = [];
    api()
      .post('/markdown')
      .reply(200, async (request: Request) => {
        const { text, mode, context } = (await request.json()) as Record<string, string>;
        expect({ mode, context }).toEqual({ mode: 'gfm', context: 'example/words' });
        asked.push(text ?? '');
        return html(text ?? '');
      })
      .persist();
    return asked;
  };
  const IMAGE = '<p><img src="https://evil.example/a.png"></p>';
  beforeEach(() => {
    api().patch(`${REPO}/issues/comments/9`).reply(200, takes).persist();
  });
  const bodies = () => sent.map(({ body }) => String(body).replace(`\n\n${MARKER}`, ''));

  it('is shown to GitHub first, all texts of a comment at once, and each time once', async () => {
    const asked = rendersAs((text) => `<p>${text}</p>`);
    const github = repository();
    const body = ['Own words.', quotation('one', 500), 'More.', quotation('two', 500)];
    for (const known of [9, 9]) await github.comment({ ...wanted, known, body });
    expect(asked).toEqual(['> one\n\n> two']);
    expect(bodies()).toEqual(Array(2).fill('Own words.\n\n> one\n\nMore.\n\n> two'));
  });

  it('is not requested if there is none', async () => {
    await repository().comment({ ...wanted, known: 9, body: ['Own words.'] });
    expect(bodies()).toEqual(['Own words.']);
  });

  it('is published as code if GitHub would show an image, and the texts beside it stay', async () => {
    rendersAs((text) => (/(?<!`\n)> bad/.test(text) ? IMAGE : '<p>x</p>'));
    await say('*good*', 'bad ``` *text*');
    expect(bodies()).toEqual(['> *good*\n\n> ````\n> bad ``` *text*\n> ````']);
  });

  it('is published as code with the others if they could do together what none does alone', async () => {
    rendersAs((text) => (/one[^]*two/.test(text) ? IMAGE : '<p>x</p>'));
    await say('one', 'two');
    expect(bodies()).toEqual(['> ```\n> one\n> ```\n\n> ```\n> two\n> ```']);
  });

  it('is published as code if GitHub will not render it', async () => {
    api().post('/markdown').reply(403, { message: 'Resource not accessible by integration' });
    await say('one');
    expect(bodies()).toEqual(['> ```\n> one\n> ```']);
  });

  it('waits if GitHub cannot render now', async () => {
    api().post('/markdown').times(4).reply(503);
    await expect(say('one')).rejects.toThrow(RenderingFailed);
    expect(sent).toEqual([]);
  });

  it('uses up none of the write budget', async () => {
    rendersAs((text) => text);
    const taken: string[] = [];
    const limits = {
      requestPause: async () => 0,
      pauseRequests: async () => {},
      takeWrite: async () => {
        taken.push('write');
        return { write: 'one' };
      },
      writeMade: async () => {},
    };
    await repository({ limits }).comment({
      ...wanted,
      known: 9,
      body: [quotation('one', 500)],
    });
    expect(taken).toHaveLength(1);
  });
});
