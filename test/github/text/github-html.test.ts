import { describe, expect, it } from '@jest/globals';
import { readHtml } from '../../../src/github/text/index.ts';

/** HTML in the form in which GitHub gives it, and what is read of it. */
const FORMS: [what: string, html: string, shown: string][] = [
  [
    'a heading with its anchor',
    '<div class="markdown-heading" dir="auto"><h2 class="heading-element" dir="auto">Steps</h2><a id="user-content-steps" class="anchor" aria-label="Permalink: Steps" href="#steps"><svg class="octicon"><path></path></svg></a></div>',
    '## Steps',
  ],
  [
    'highlighted code',
    '<div class="highlight highlight-source-ts notranslate" dir="auto"><pre><span class="pl-k">const</span> a = 1;</pre><div class="zeroclipboard-container"><clipboard-copy>Copy</clipboard-copy></div></div>',
    '```ts\nconst a = 1;\n```',
  ],
  [
    'a list of tasks',
    '<ul class="contains-task-list"><li class="task-list-item"><input type="checkbox" class="task-list-item-checkbox" disabled="" checked=""> done</li><li class="task-list-item"><input type="checkbox" disabled=""> open</li></ul>',
    '- [x] done\n- [ ] open',
  ],
  [
    'an alert',
    '<div class="markdown-alert markdown-alert-warning" dir="auto"><p class="markdown-alert-title" dir="auto"><svg></svg>Warning</p><p dir="auto">Hot.</p></div>',
    '> [!WARNING]\n> Hot.',
  ],
  [
    'a footnote',
    '<p>A<sup><a href="#user-content-fn-1-af" id="user-content-fnref-1-af" data-footnote-ref="" aria-describedby="footnote-label">1</a></sup></p><section data-footnotes="" class="footnotes"><h2 id="footnote-label" class="sr-only">Footnotes</h2><ol><li id="user-content-fn-1-af"><p>Note. <a href="#user-content-fnref-1-af" data-footnote-backref="" class="data-footnote-backref">↩</a></p></li></ol></section>',
    'A[^1]\n\n[^1]: Note.',
  ],
  [
    'a table',
    '<markdown-accessiblity-table><table role="table"><thead><tr><th>a</th><th align="right">b</th></tr></thead><tbody><tr><td>1 | 2</td><td align="right"><code>x</code></td></tr></tbody></table></markdown-accessiblity-table>',
    '| a | b |\n| --- | --- |\n| 1 \\| 2 | `x` |',
  ],
  [
    'names, numbers and commits',
    '<p><a class="user-mention notranslate" data-hovercard-type="user" href="https://github.com/octocat">@octocat</a>, see <a class="issue-link js-issue-link" data-id="1" href="https://github.com/o/r/issues/3">#3</a> and <a class="commit-link" href="https://github.com/o/r/commit/abc"><tt>abc1234</tt></a></p>',
    '@octocat, see #3 and `abc1234`',
  ],
  [
    'emoji',
    '<p><g-emoji class="g-emoji" alias="tada">🎉</g-emoji> <img class="emoji" title=":shipit:" alt=":shipit:" src="x.png"> <img class="emoji" alt=":obey me:"></p>',
    '🎉 :shipit: [image]',
  ],
  [
    'a diagram',
    '<section class="js-render-needs-enrichment render-needs-enrichment" data-type="mermaid"><div class="js-render-enrichment-target" data-plain="graph"><div class="render-plaintext-hidden"><pre lang="mermaid">graph SECRET</pre></div></div></section>',
    '[diagram]',
  ],
  [
    'formulas',
    '<p><math-renderer class="js-inline-math" style="display: inline-block">$a^2 + \\frac{b}{c}$</math-renderer> <math-renderer>$\\phantom{SECRET}$</math-renderer></p>',
    '$a^2 + \\frac{b}{c}$ [formula]',
  ],
  [
    'a colour with its chip',
    '<p><code class="notranslate">#0969DA<span class="ml-1 d-inline-block" style="background-color: #0969DA;"></span></code></p>',
    '`#0969DA`',
  ],
  [
    'what folds',
    '<details><summary>Log</summary><p>text</p></details>',
    '<details>\n<summary>Log</summary>\n\ntext\n</details>',
  ],
  [
    'a suggestion',
    '<div class="js-suggested-changes-blob"><div>Suggested change</div><table><tr><td class="blob-code-deletion">old</td></tr><tr><td class="blob-code-addition">new</td></tr></table></div>',
    '```diff\n-old\n+new\n```',
  ],
  [
    'a link',
    '<p><a href="https://example.com/x" rel="nofollow">there</a></p>',
    '[there](https://example.com/x)',
  ],
  [
    'a bare address',
    '<p><a href="https://example.com/x">https://example.com/x</a></p>',
    'https://example.com/x',
  ],
];

describe("GitHub's rendering", () => {
  it.each(FORMS)('of %s is read as people see it', (_what, html, shown) => {
    expect(readHtml(html).body).toBe(shown);
  });

  it.each(['<blockquote>', '<ul><li>', '<b>', '<div>', '<sub>', '<a href="x">'])(
    'is read however deep its %s are',
    (tag) => {
      const { body, said } = readHtml(`<p>Kingfisher</p>${tag.repeat(20_000)}deep`);
      expect(body).toContain('Kingfisher');
      expect(said.lines[0]).toBe('Kingfisher');
    },
  );
});

describe('what a person says themselves', () => {
  const said = (html: string) => readHtml(html).said;

  it('is in paragraphs, items, headings and rows, each with its mark', () => {
    expect(
      said('<h2>Go</h2><p>one<br>two</p><ul><li>three</li></ul><ol><li>four</li></ol>').lines,
    ).toEqual(['# Go', 'one', 'two', '- three', '1. four']);
  });

  it('is not in code, quotations, links, images, or what is struck out', () => {
    const all =
      '<p>a <code>b</code> <a href="x">c</a> <del>d</del> <img></p><blockquote>e</blockquote><pre>f</pre>';
    expect(said(all).lines.join('\n')).toMatch(/^a [^b-f]*$/);
    expect(said(all).hasMore).toBe(true);
  });

  it('has the names that GitHub found in it', () => {
    const html = '<p><a class="user-mention" href="https://github.com/x">@x</a> stop</p>';
    expect(said(html).lines).toEqual(['@x stop']);
  });
});
