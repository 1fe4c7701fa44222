import { describe, expect, it } from '@jest/globals';
import type { Surroundings } from '../src/github/markdown/index.ts';
import { renderForPage, renderMarkdown, renderText } from '../src/github/markdown/index.ts';
import { expectLinear } from '../../../test/support/growth.ts';

const URL = 'http://127.0.0.1:1234';

/** Where there are the people alice and Bob, the issue #1 and the pull request #2. */
const around: Surroundings = {
  imageAddress: (address) => address,
  url: URL,
  repository: 'o/r',
  findUser: (login) => ['alice', 'Bob'].find((one) => one.toLowerCase() === login.toLowerCase()),
  findIssue: (repository, number) =>
    number > 2 ? undefined : { kind: number === 2 ? 'pull' : 'issues', repository, id: number },
};
const render = (text: string): string => renderMarkdown(text, 'gfm', around).trim();

/** The elements without their attributes: what there is, and in what. */
const shape = (text: string): string => render(text).replaceAll(/<(\/?[\w-]+)[^>]*>/g, '<$1>');

const userLink = (login: string, text = `@${login}`): string =>
  `<a class="user-mention notranslate" data-hovercard-type="user" data-hovercard-url="/users/${login}/hovercard" data-octo-click="hovercard-link-click" data-octo-dimensions="link_type:self" href="${URL}/${login}">${text}</a>`;

describe('the local GitHub’s Markdown', () => {
  it.each([
    ['# Title', '<h1 dir="auto">Title</h1>'],
    [
      'a **b** *c* `e < f`',
      '<p dir="auto">a <strong>b</strong> <em>c</em> <code class="notranslate">e &#x3C; f</code></p>',
    ],
    ['one\ntwo', '<p dir="auto">one<br>\ntwo</p>'],
    ['~~a~~ ~b~', '<p dir="auto"><del>a</del> <del>b</del></p>'],
    ['~~a~ ~~~b~~~', '<p dir="auto">~~a~ ~~~b~~~</p>'],
    [
      '```js\na < b\n```',
      '<div class="highlight highlight-source-js" dir="auto"><pre class="notranslate">a &#x3C; b\n</pre></div>',
    ],
    ['```\na\n```', '<pre class="notranslate"><code class="notranslate">a\n</code></pre>'],
    ['a <!-- hidden\nmarker --> b', '<p dir="auto">a  b</p>'],
    [
      '<details><summary>More</summary>\n\n*in*\n\n</details>',
      '<details><summary>More</summary>\n<p dir="auto"><em>in</em></p>\n</details>',
    ],
    ['hi @Alice', `<p dir="auto">hi ${userLink('alice', '@Alice')}</p>`],
    ['[t](http://x.test)', '<p dir="auto"><a href="http://x.test" rel="nofollow">t</a></p>'],
    [
      '![alt](http://x.test/i.png)',
      '<p dir="auto"><a target="_blank" rel="noopener noreferrer" href="http://x.test/i.png"><img src="http://x.test/i.png" alt="alt"></a></p>',
    ],
    [
      'a $x_1$',
      '<p dir="auto">a <math-renderer class="js-inline-math" style="display: inline-block">$x_1$</math-renderer></p>',
    ],
    [
      '```math\nx\n```',
      '<math-renderer class="js-display-math" style="display: block">$$x$$</math-renderer>',
    ],
    [
      '> [!NOTE]\n> Mind.',
      '<div class="markdown-alert markdown-alert-note" dir="auto"><p class="markdown-alert-title" dir="auto">Note</p><p dir="auto">\nMind.</p>\n</div>',
    ],
    [
      '- [x] done',
      '<ul dir="auto" class="contains-task-list">\n<li class="task-list-item"><input type="checkbox" class="task-list-item-checkbox" disabled checked> done</li>\n</ul>',
    ],
  ])('%j', (text, html) => {
    expect(render(text)).toBe(html);
  });

  it.each([
    ['| a |\n|---|\n| 1 |', 'markdown-accessiblity-table', 'table'],
    ['1. a\n   - b', 'ol', 'li', 'ul'],
    ['[![i](http://a/i)](http://b)', 'p', 'a', 'img'],
  ])('%j has one in the other: %s', (text, ...names) => {
    const nested = new RegExp(names.map((name) => `<${name}>`).join('[^]*'));
    expect(shape(text)).toMatch(nested);
  });

  it('frames a diagram as GitHub does, with its source in it', () => {
    const html = render('```mermaid\ngraph A-->B\n```');
    expect(html).toMatch(/^<section class="js-render-needs-enrichment [^>]* data-type="mermaid"/);
    expect(html).toContain(
      '<pre lang="mermaid" aria-label="Raw mermaid code">graph A-->B</pre></div></div></section>',
    );
  });

  it.each([
    ['#1', '/o/r/issues/1', '#1'],
    ['GH-1', '/o/r/issues/1', 'GH-1'],
    ['#2', '/o/r/pull/2', '#2'],
    ['x/y#1', '/x/y/issues/1', 'x/y#1'],
    [`${URL}/o/r/issues/1`, '/o/r/issues/1', '#1'],
    [`${URL}/x/y/pull/2`, '/x/y/pull/2', 'x/y#2'],
  ])('%s leads to %s and reads %s', (text, path, shown) => {
    const html = render(`see ${text}.`);
    expect(html).toContain('class="issue-link js-issue-link"');
    expect(html).toContain(`href="${URL}${path}">${shown}</a>.`);
  });

  it.each([
    '#99',
    '@nobody',
    'a@alice.test',
    '`#1 @alice`',
    '[@alice](http://x)',
    'x#1',
    '/@alice',
  ])('makes no mention and no reference of %j', (text) => {
    expect(render(text)).not.toMatch(/user-mention|issue-link/);
  });

  it('links no names and numbers and breaks no lines in a document', () => {
    expect(renderMarkdown('@alice\n#1', 'markdown', around)).toBe('<p dir="auto">@alice\n#1</p>\n');
  });

  it('shows footnotes at the end, and only those that are referred to', () => {
    const text = 'a[^1] b[^1]\n\n[^1]: the note\n\n\tgoes on\n\n[^2]: unused';
    expect(renderText(text, around).split(/\s+/)).toEqual(
      'a1 b1 Footnotes the note goes on ↩ ↩'.split(' '),
    );
    expect(render(text)).toContain('<section data-footnotes="" class="footnotes">');
  });
});

describe('what the local GitHub lets through of HTML', () => {
  it.each([
    '<script>alert(1)</script>',
    '<img src=x onerror=alert(1)>',
    '[a](javascript:alert(1))',
    '[a](JaVaScRiPt:alert(1))',
    '[a](data:text/html,x)',
    '[a](https://x.test/"onmouseover="alert(1))',
    '![a](javascript:alert(1))',
    'https://x.test/"onmouseover="alert(1)',
    '<sub onclick="alert(1)">a</sub>',
    '<details ontoggle="alert(1)">',
    '`</code><script>`',
    '```\n</code></pre><script>\n```',
    '```"><script>\nx\n```',
    '<a href="javascript:alert(1)">a</a>',
    '| <script> | b |\n|---|---|\n| <img onerror=x> | 2 |',
    '<!-- <script> --><script>',
    '<svg onload=alert(1)><math><mi xlink:href="javascript:x">',
    '<p style="position:fixed" class="top" hidden>a</p>',
    '<iframe srcdoc="<script>x</script>"></iframe>',
    '<form action=/ui><button formaction=x>a</button></form>',
    '$<script>$ $`<img onerror=x>`$',
  ])('is nothing that runs or disguises: %j', (text) => {
    for (const tag of render(text).match(/<[^>]*>/g) ?? []) {
      expect(tag).not.toMatch(
        /^<\/?(script|iframe|svg|form|button|style)|\son\w+=|javascript:|data:/i,
      );
      expect(tag).not.toMatch(/^<(?!math-renderer).* style=| hidden|class="top"/);
    }
  });

  it('keeps the text of what is nested too deeply', () => {
    expect(renderText(`${'<b>'.repeat(20_000)}words`, around)).toBe('words');
  });

  it.each(
    '[ ` **a <sub> >_ -_ <!-- #1_ |-|⏎ <details> ⏎ -_a⏎⏎ [^a] $a ~ @alice_ www. <b><p>'.split(' '),
  )('is quick with much of %s', (written) => {
    const piece = written.replaceAll('⏎', '\n').replaceAll('_', ' ');
    expectLinear((size) => render(piece.repeat(size / piece.length)), 16_384);
  });
});

describe('headings on a page', () => {
  const levels = (text: string): string =>
    [...renderForPage(text, 'gfm', around).matchAll(/<h(\d)/g)].map(([, level]) => level).join('');

  it.each([
    ['## Said\n\n## Observed', '33'],
    ['# One\n\n## Two\n\n# Three\n\n### Four', '3434'],
    ['### Small\n\n## Large\n\n### Small', '334'],
    ['# 1\n\n## 2\n\n### 3\n\n#### 4\n\n##### 5\n\n#### 4', '345666'],
  ])('%j have the levels %s: equal ones stay equal, and none is left out', (text, wanted) => {
    expect(levels(text)).toBe(wanted);
  });
});
