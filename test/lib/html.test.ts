import { describe, expect, it } from '@jest/globals';
import { html, trusted, webAddress } from '../../src/lib/text/html.ts';

describe('html', () => {
  it('escapes what is put in, in text and in attributes', () => {
    expect(html`<p title="${'"><b>'}">${"<&'"}</p>`.text).toBe(
      '<p title="&quot;&gt;&lt;b&gt;">&lt;&amp;&#39;</p>',
    );
  });

  it('takes HTML, lists and numbers, and leaves nothing for what is missing', () => {
    const items = [1, 2].map((item) => html`<i>${item}</i>`);
    expect(html`${items}${undefined}${null}${trusted('<hr>')}`.text).toBe('<i>1</i><i>2</i><hr>');
  });

  it('shows invisible characters', () => {
    expect(html`${'a\u202E\r\n\t\u0000\u{E0041}'}`.text).toBe('a⟨U+202E⟩\n\t⟨U+0000⟩⟨U+E0041⟩');
  });
});

describe('a web address', () => {
  it.each(['https://github.com/a', 'http://localhost:3000/x'])('%s is one', (address) => {
    expect(webAddress(address)).toBe(address);
  });

  it.each(['javascript:alert(1)', ' jAvascript:alert(1)', 'data:text/html,x', '//evil', ''])(
    '%s is none',
    (address) => {
      expect(webAddress(address)).toBeUndefined();
    },
  );
});
