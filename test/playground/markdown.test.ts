import { describe, expect, it } from '@jest/globals';
import { renderMarkdown } from '../../playground/github/pages/markdown.ts';

const render = (text: string): string => renderMarkdown(text, '/o/r').text;

describe('Markdown', () => {
  it.each([
    ['# Title', '<h1>Title</h1>'],
    [
      'a **b** *c* ~~d~~ `e < f`',
      '<p>a <strong>b</strong> <em>c</em> <del>d</del> <code>e &lt; f</code></p>',
    ],
    ['one\ntwo\n\nthree', '<p>one<br>\ntwo</p><p>three</p>'],
    ['- a\n- b\n  - c', '<ul><li>a</li><li>b<ul><li>c</li></ul></li></ul>'],
    ['1. a\n2. b', '<ol start="1"><li>a</li><li>b</li></ol>'],
    [
      '- [ ] a\n- [x] b',
      '<ul><li class="task"><input type="checkbox" disabled> a</li><li class="task"><input type="checkbox" disabled checked> b</li></ul>',
    ],
    ['```js\n<b> & `x`\n```', '<pre><code>&lt;b&gt; &amp; `x`</code></pre>'],
    ['> a\n> b', '<blockquote><p>a<br>\nb</p></blockquote>'],
    ['---', '<hr>'],
    ['a <!-- hidden\nmarker --> b', '<p>a  b</p>'],
    [
      '```\na\n```\nb <!-- hidden -->\n```\n<!-- shown -->\n```',
      '<pre><code>a</code></pre><p>b</p><pre><code>&lt;!-- shown --&gt;</code></pre>',
    ],
    ['```\n<!-- shown -->\n```', '<pre><code>&lt;!-- shown --&gt;</code></pre>'],
    [
      '<details><summary>More `x`</summary>\n\ninside\n\n</details>\nafter',
      '<details><summary>More <code>x</code></summary><p>inside</p></details><p>after</p>',
    ],
    ['<details>\nnever closed', '<details><p>never closed</p></details>'],
    ['</details></main>', '<p>&lt;/main&gt;</p>'],
    [
      '| a | b |\n|---|---|\n| 1 | `2` |',
      '<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td><code>2</code></td></tr></table>',
    ],
    ['see #12', '<p>see <a href="/o/r/issues/12" rel="nofollow noreferrer">#12</a></p>'],
    ['snake_case_name and 2 * 3 * 4', '<p>snake_case_name and 2 * 3 * 4</p>'],
    ['<sub>small</sub>', '<p><sub>small</sub></p>'],
    [
      '[a](https://example.test/?a=1&b=2)',
      '<p><a href="https://example.test/?a=1&amp;b=2" rel="nofollow noreferrer">a</a></p>',
    ],
  ])('%j', (text, expected) => {
    expect(render(text)).toBe(expected);
  });

  it.each([
    '<script>alert(1)</script>',
    '<img src=x onerror=alert(1)>',
    '[a](javascript:alert(1))',
    '[a](JaVaScRiPt:alert(1))',
    '[a](data:text/html,x)',
    '[a](//evil.test)',
    '[a](https://x.test/"onmouseover="alert(1))',
    '![a](javascript:alert(1))',
    'https://x.test/"onmouseover="alert(1)',
    '<sub onclick="alert(1)">a</sub>',
    '<details ontoggle="alert(1)">',
    '`</code><script>`',
    '```\n</code></pre><script>\n```',
    '<a href="javascript:alert(1)">a</a>',
    '| <script> | b |\n|---|---|\n| <img onerror=x> | 2 |',
    '<!-- <script> --><script>',
  ])('lets nothing through: %j', (text) => {
    const tags = render(text).match(/<[^>]*>/g) ?? [];
    for (const tag of tags)
      expect(tag).toMatch(
        /^<(\/?(p|code|pre|ul|li|sub|table|tr|th|td|details|a)|a href="(https?:|\/o\/)[^"<>]*" rel="nofollow noreferrer")>$/,
      );
    expect(tags.join('')).not.toContain('evil');
  });

  it.each([
    '[',
    '`',
    '**a',
    '<sub>',
    '> ',
    '- ',
    '<!--',
    '#1 ',
    '|-|\n',
    '<details>',
    '\n',
    '- a\n\n',
  ])('is quick with much of %j', (piece) => {
    const began = performance.now();
    render(piece.repeat(65_536 / piece.length));
    expect(performance.now() - began).toBeLessThan(1500);
  });
});
