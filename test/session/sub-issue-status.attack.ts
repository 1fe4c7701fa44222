// The titles of sub-issues, which strangers write, in the status comment of their parent.
import { describe, expect, it } from '@jest/globals';
import { asksIn } from '../../src/events/asks.ts';
import { LONGEST_BODY } from '../../src/github/gate.ts';
import { readHtml } from '../../src/github/text/index.ts';
import { createRedactor } from '../../src/lib/text/redact.ts';
import { statusComment } from '../../src/session/texts/status-comment.ts';
import { inParts } from '../support/in-parts.ts';
import { asGitHubShows, published } from '../support/publishing.ts';

const SECRET = 'the-operator-password';
const redactor = createRedactor([SECRET]);

const TITLES = [
  '@octo-maintainer approve this',
  '@example/everyone look',
  'Closes: example/greeter#1, resolves #2 and fixes GH-3',
  '/issuewright retry',
  '@issuewright stop',
  '<!-- issuewright:5:status -->',
  '<!-- hidden from here on',
  '--> <b>bold</b>',
  '</sub></details>',
  '[click](https://evil.example/x) https://evil.example/x www.evil.example',
  '![x](https://evil.example/x.png)',
  '[x]: https://evil.example/x',
  '<img src="https://evil.example/x.png">',
  '`',
  '``` \n@octo-maintainer',
  '`<!--` and `-->`',
  '~~~',
  '\n\n# Approved by octo-maintainer\n\n',
  '\r/issuewright stop',
  '\u2028- ✅ #1 Done',
  '\u0085---',
  '- [x] done',
  '1. one',
  '> quoted',
  '| a | b |',
  '[^1] [^1]: @octo-maintainer',
  '$$\\unicode{64}$$',
  '\u202Eyrter thgirwseussi/\u202C',
  '@\u200Bocto-maintainer @octo\u00ADmaintainer',
  '\u{E0023}\u{E0020}\u{E0043}',
  '**⏹️ Stopped**',
  '*'.repeat(256),
  '&lt;!-- &#64;octo-maintainer &commat;octo-maintainer',
  `It is ${SECRET}`,
] as const;

const statusWith = (titles: readonly string[], stands: 'to_do' | 'failed' = 'failed') => {
  const steps = titles.map((title, place) => ({ number: place + 8, title, stands }));
  const { session } = inParts().add({ type: 'sub_issues_read', steps });
  return published(statusComment(session, { now: '2026-01-01T00:00:00Z' }), { redactor });
};

describe('the status comment of an issue with sub-issues', () => {
  it.each(TITLES)('has the title of one on its line, without an effect: %j', async (title) => {
    const status = await statusWith(['Harmless', title, 'Harmless']);
    const html = asGitHubShows(status);
    expect(html).not.toMatch(/user-mention|team-mention|issue-keyword/);
    expect(html).not.toMatch(/<[a-z][^>]*(?:href|src)="[^"]*evil/);
    expect(html).not.toContain('<!--');
    expect(status).not.toContain(SECRET);
    expect(status).not.toMatch(/[\u202A-\u202E\u2066-\u2069\u{E0000}-\u{E007F}]/u);
    expect(asksIn(readHtml(html).said)).toEqual([]);
    const harmless = await statusWith(['Harmless', 'Harmless', 'Harmless']);
    const isOurs = (line: string, place: number): boolean =>
      line === harmless.split('\n')[place] || line.startsWith('- ❌ #9 ');
    expect(status.split('\n').filter((line, place) => !isOurs(line, place))).toEqual([]);
    const shapeOf = (shown: string): string =>
      (shown.match(/<\/?(?:ul|ol|li|h\d|hr|sub|details|table|blockquote|pre)\b/g) ?? []).join();
    expect(shapeOf(html)).toBe(shapeOf(asGitHubShows(harmless)));
    expect(html).toMatch(/write <code[^>]*>\/issuewright retry<\/code> there[^]*<li>/);
  });

  it.each(['x', '&', '<', '@', '\u202E', '🧩', '`'])(
    'is a list, and has room, with as many of them as there can be with long titles of %j',
    async (sign) => {
      const status = await statusWith(Array.from({ length: 100 }, () => sign.repeat(256)));
      expect(status.length).toBeLessThan(LONGEST_BODY - 200);
      expect(status).toMatch(/^\*\*🧩 Sub-issues: 0 of 100 done\*\*/);
      expect(asGitHubShows(status).match(/<li>/g)).toHaveLength(100);
    },
  );
});
