// Elements that GitHub adds around what people write, and those that nobody has seen yet: what a person sees of them is read,
// and nothing else.
import { describe, expect, it } from '@jest/globals';
import { readHtml } from '../../../src/github/text/index.ts';
import { renderedLocally } from '../../support/rendered-markdown.ts';

const SOURCE = '<source media="(prefers-color-scheme: dark)" srcset="https://x.test/dark.png">';
const LIGHT = '<source media="(prefers-color-scheme: light)" srcset="https://x.test/light.png">';
const IMAGE =
  '<img alt="SECRET" src="https://x.test/a.png" style="visibility:visible;max-width:100%;">';
const themed = (html: string): string =>
  `<themed-picture data-catalyst-inline="true" data-catalyst=""><picture>${html}</picture></themed-picture>`;

/** HTML, what a person sees of it, and the addresses of its images. */
const ELEMENTS: [what: string, html: string, shown: string, images?: string[]][] = [
  ['a picture', `<p>a ${themed(IMAGE)} b</p>`, 'a [image] b', ['https://x.test/a.png']],
  [
    'a picture for dark and for light pages',
    `<p>${themed(`\n  ${SOURCE}\n  ${LIGHT}\n  ${IMAGE}\n`)}</p>`,
    '[image]',
    ['https://x.test/a.png'],
  ],
  [
    'a picture in a link',
    `<p><a href="https://x.test/">${themed(IMAGE)}</a></p>`,
    '[image]',
    ['https://x.test/a.png'],
  ],
  ['a picture without an image', `<p>a${themed(SOURCE)}b</p>`, 'ab', []],
  [
    'words in a picture',
    `<p>${themed(`words ${IMAGE}`)}</p>`,
    'words [image]',
    ['https://x.test/a.png'],
  ],
  [
    'two images, one for dark and one for light pages',
    '<p><img src="https://x.test/a.png#gh-dark-mode-only" style="max-width: 100%;"><img src="https://x.test/b.png#gh-light-mode-only"></p>',
    '[image][image]',
    ['https://x.test/a.png#gh-dark-mode-only', 'https://x.test/b.png#gh-light-mode-only'],
  ],
  ['an element that is not known', '<p>a <new-thing>word</new-thing> b</p>', 'a word b'],
  [
    'elements that are not known, in one another',
    '<p><one-thing>a <two-things><b>bold</b> <i-thing><code>c</code></i-thing></two-things></one-thing></p>',
    'a **bold** `c`',
  ],
  [
    'blocks in an element that is not known',
    '<new-list><ul><li>one</li><li>two</li></ul><p>three</p></new-list>',
    '- one\n- two\n\nthree',
  ],
  ['an emoji', '<p><g-emoji class="g-emoji" alias="robot">🤖</g-emoji> a</p>', '🤖 a'],
  [
    'a list of tasks in its element',
    '<task-lists><ul><li><input type="checkbox" checked> done</li></ul></task-lists>',
    '- [x] done',
  ],
  ['a formula', '<p><math-renderer>$a+b$</math-renderer></p>', '$a+b$'],
  [
    'a time',
    '<p>until <relative-time datetime="2030-01-01">tomorrow</relative-time></p>',
    'until tomorrow',
  ],
  ['what is loaded later', '<p>a<include-fragment src="/x">SECRET</include-fragment>b</p>', 'ab'],
  ['a template', '<p>a<template><b>SECRET</b></template>b</p>', 'ab'],
  ['a tip', '<p>a<tool-tip for="x">SECRET</tool-tip>b</p>', 'ab'],
  ['a dialog', '<p>a</p><dialog>SECRET</dialog>', 'a'],
  ['a popover', '<p>a<new-thing popover>SECRET</new-thing>b</p>', 'ab'],
  [
    'a script, a style and a title',
    '<p>a</p><script>SECRET</script><style>SECRET</style><title>SECRET</title>',
    'a',
  ],
  [
    'what stands in for a canvas, an object and a film',
    '<p>a<canvas>SECRET</canvas><object>SECRET</object><video>SECRET</video></p>',
    'a[video]',
  ],
  [
    'a field and a choice',
    '<p>a<textarea>SECRET</textarea><select><option>SECRET</option></select></p>',
    'a',
  ],
  ['a hidden element that is not known', '<p>a<new-thing hidden>SECRET</new-thing>b</p>', 'ab'],
  [
    'one that programs do not read',
    '<p>a<new-thing aria-hidden="true">SECRET</new-thing>b</p>',
    'ab',
  ],
  ['one without a display', '<p>a<new-thing style="display:none">SECRET</new-thing>b</p>', 'ab'],
  [
    'one that is visible, but tiny',
    '<p>a<new-thing style="visibility:visible;font-size:0">SECRET</new-thing>b</p>',
    'ab',
  ],
  ['one of a class that hides', '<p>a<new-thing class="x d-none">SECRET</new-thing>b</p>', 'ab'],
  ['a drawing in one', '<p>a<new-thing><svg><text>SECRET</text></svg></new-thing>b</p>', 'ab'],
  ['a hidden element in one', '<p>a<new-thing>b<span hidden>SECRET</span></new-thing></p>', 'ab'],
  [
    'letters that get smaller around one',
    '<p>a<sub><sub><new-thing><sub><sub>SECRET</sub></sub></new-thing></sub></sub></p>',
    'a',
  ],
];

describe('of the rendering of GitHub, people see', () => {
  it.each(ELEMENTS)('%s as it is read', (_what, html, shown, images = []) => {
    const read = readHtml(html);
    expect(read.body).toBe(shown);
    expect(read.images.map(({ address }) => address)).toEqual(images);
  });
});

describe('elements that a person writes', () => {
  it('keep their words and lose their tags, so people and the model see the same', () => {
    const text = 'a <new-thing hidden>word</new-thing> b <themed-picture>word</themed-picture>';
    const html = renderedLocally(text);
    expect(html).not.toMatch(/new-thing|themed-picture/);
    expect(readHtml(html).body).toBe('a word b word');
  });

  it('arrive as a themed picture if they are a picture', () => {
    const html = renderedLocally(`<picture>${SOURCE}<img src="https://x.test/a.png"></picture>`);
    expect(html).toContain('<themed-picture data-catalyst-inline="true"><picture>');
    const { body, images } = readHtml(html);
    expect(body).toBe('[image]');
    expect(images).toMatchObject([{ address: 'https://x.test/a.png', from: 0 }]);
  });
});
