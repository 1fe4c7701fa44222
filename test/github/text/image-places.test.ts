import { describe, expect, it } from '@jest/globals';
import { readHtml } from '../../../src/github/text/index.ts';

const SIGNED = 'https://private-user-images.githubusercontent.com/1/a.png?jwt=x.y|`z';
const img = (src: string): string => `<img src="${src}" alt="SECRET">`;

describe('the images of a text', () => {
  it.each([
    ['a paragraph', `<p>See ${img('1')} and ${img('2')}.</p>`, 'See [image] and [image].'],
    ['a link', `<p><a href="${SIGNED}">${img(SIGNED)}</a></p>`, '[image]'],
    [
      'a table',
      `<table><tr><td>a|b</td><td>${img(SIGNED)}</td></tr></table>`,
      '| a\\|b | [image] |\n| --- | --- |',
    ],
    [
      'a list',
      `<ul><li>one<ul><li>${img('1')}</li></ul></li><li>${img('2')}</li></ul>`,
      '- one\n  - [image]\n- [image]',
    ],
    ['a heading', `<h2>${img('1')} Title</h2>`, '## [image] Title'],
    ['code', `<p><code>${img('`')}</code></p>`, '`[image]`'],
    [
      'a footnote',
      `<p>a</p><section data-footnotes><ol><li><p>${img('1')}</p></li></ol></section>`,
      'a\n\n[^1]: [image]',
    ],
  ])('are where the text names them: %s', (_where, html, body) => {
    const shown = readHtml(html);
    expect(shown.body).toBe(body);
    const names = shown.images.map(({ from, to }) => shown.body.slice(from, to));
    expect(names).toEqual([...body.matchAll(/\[image\]/g)].map(([name]) => name));
  });

  it('keep their addresses, in their order', () => {
    const { images } = readHtml(`<p>${img(SIGNED)}</p><p>${img('b')}${img('')}</p>`);
    expect(images.map(({ address }) => address)).toEqual([SIGNED, 'b', '']);
  });

  it('are not what only looks like one', () => {
    const mark = '\u0001https%3A%2F%2Fexample.test\u0002[image]';
    const html = `<p>[image] ${mark}</p><pre><code>${mark}</code></pre><p><code>${mark}</code> <a href="${mark}">a</a></p>`;
    const { body, images } = readHtml(html);
    expect(images).toEqual([]);
    expect(body.startsWith('[image] ')).toBe(true);
    for (const sign of ['\u0001', '\u0002']) expect(body).not.toContain(sign);
  });

  it('are neither pictures of words nor films, nor what people do not see', () => {
    const html = `<p><img class="emoji" alt=":octocat:" src="a.png"><video src="b"></video><span hidden>${img('c')}</span></p>`;
    expect(readHtml(html).images).toEqual([]);
  });
});
