import { describe, expect, it } from '@jest/globals';
import { createRedactor } from '../../../src/lib/text/redact.ts';
import { faultIn } from '../../../src/github/text/rendering-check.ts';
import { quotation, unquoted } from '../../../src/session/texts/markdown.ts';
import { WRITTEN } from '../../lib/hostile-texts.ts';
import { INNOCENT } from '../../lib/innocent-texts.ts';
import { mix } from '../../lib/mixes.ts';
import { asGitHubShows, links, published } from '../../support/publishing.ts';
import { acts, describeWritten } from './written.ts';
import { cases } from '../../support/cases.ts';

const ALLOWED = { mentions: ['me'], closes: 7 };
const safe = (text: string) => published([unquoted(text)], ALLOWED);

describe('what is published', () => {
  it.each(INNOCENT)('is what the model wrote: %s', async (_what, text) => {
    await expect(safe(text)).resolves.toBe(text);
  });

  it.each(WRITTEN)('is without %s', async (_attack, text, clean) => {
    await expect(safe(text)).resolves.toBe(clean);
    expect(acts(clean, asGitHubShows(clean))).toBeUndefined();
    const shown = await published([quotation(text, 2000)], ALLOWED);
    expect(acts(shown, asGitHubShows(shown))).toBeUndefined();
  });

  it('becomes code if plain replacements are not enough', async () => {
    await expect(safe('$\\href{//evil.example}{x}$')).resolves.toBe(
      '```\n$\\href{//evil.example}{x}$\n```',
    );
  });

  it('is the same however often it is made safe', async () => {
    for (let seed = 1; seed <= cases(20, 100); seed += 1) {
      const once = await safe(mix(seed).text);
      await expect(safe(once)).resolves.toBe(once);
    }
  });

  it('leaves no gap for a text of which nothing may be shown', async () => {
    const text = await published(
      ['One.', unquoted('<!-- issuewright:1:status -->'), 'Two.'],
      ALLOWED,
    );
    expect(text).toBe('One.\n\nTwo.');
  });

  it('may be long, and what the cut uncovers is taken out too', async () => {
    const text = `a \`${'@x'.repeat(20_000)}\``;
    const cut = await published([quotation(text, 3000)], ALLOWED);
    expect(acts(cut, asGitHubShows(cut))).toBeUndefined();
    expect(cut.length).toBeLessThanOrEqual(3000);
  });
});

describe('a rendering', () => {
  const of = (html: string) =>
    faultIn(html, { mentions: ['me'], links, redactor: createRedactor() });

  it.each([
    ['a link elsewhere', '<a href="https://evil.example">x</a>'],
    ['a link without a protocol', '<a href="//evil.example">x</a>'],
    ['an image through GitHub', '<img src="https://camo.githubusercontent.com/a">'],
    ['an image by its own address', '<img src="/a.png" data-canonical-src="https://evil.example">'],
    ['a source', '<img srcset="https://evil.example 2x">'],
    ['an unknown element', '<portal src="/x"></portal>'],
    ['a mention', '<a class="user-mention" href="https://github.com/someone">@someone</a>'],
    ['a mention of a team', '<a class="team-mention" href="/orgs/me/teams/x">@me/x</a>'],
    ['a comment', 'a<!-- b -->'],
    ['mail with more than an address', '<a href="mailto:a@example.com?body=x">x</a>'],
    ['a script', '<a href="javascript:alert(1)">x</a>'],
    ['a diagram that loads', '<pre lang="mermaid">click A "https://evil.example"</pre>'],
    ['a style that loads', '<p style="background:url(x)">x</p>'],
  ])('with %s is not published', (_what, html) => {
    expect(of(html)).toBeDefined();
  });

  it.each([
    ['a heading', '<h1>x</h1><a class="anchor" href="#x"><svg><path d="m0"></path></svg></a>'],
    ['an own mention', '<a class="user-mention" href="https://github.com/me">@me</a>'],
    ['code', '<code>@someone https://evil.example</code>'],
    ['an own emoji', '<img class="emoji" src="https://github.githubassets.com/o.png" alt=":o:">'],
    [
      'an issue',
      '<a class="issue-link" data-url="x" href="https://github.com/o/r/issues/1">#1</a>',
    ],
    ['mail', '<a href="mailto:a@example.com">a@example.com</a>'],
    ['a path', '<a href="docs/a.md?b=c#d">x</a>'],
    [
      'a diagram',
      '<section data-host="https://viewscreen.githubusercontent.com"><pre lang="mermaid">graph TD</pre></section>',
    ],
  ])('with %s is', (_what, html) => {
    expect(of(html)).toBeUndefined();
  });
});

describeWritten(1, cases(200, 500));
