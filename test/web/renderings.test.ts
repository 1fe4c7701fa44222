import { describe, expect, it } from '@jest/globals';
import type { ToolRendering } from '../../src/contracts/tool.ts';
import { sessionPage } from '../../src/web/pages/session-page.ts';
import { Journal, type CallMade } from '../support/journal.ts';
import * as stories from '../support/stories.ts';
import { ask, pagesOf, SIGNED_IN, startPages, wholeOf } from './support.ts';
import { expectLinear } from '../support/growth.ts';

const RENDERINGS: ReadonlyMap<string, ToolRendering> = new Map([
  ['read', { arguments: { path: 'path' }, output: 'code' }],
  ['edit', { arguments: { path: 'path', old: 'removed', new: 'added' }, output: 'plain' }],
  ['compare', { arguments: {}, output: 'diff' }],
  ['move', { arguments: { moves: 'path' }, output: 'plain' }],
  ['say', { arguments: { words: 'prose' }, output: 'prose' }],
]);

function pageOf(call: CallMade): string {
  const journal = new Journal()
    .start()
    .run()
    .turn({ thought: 'I look.', calls: [call] });
  return sessionPage('abc', wholeOf(journal.entries), 'https://github.example', {
    renderings: RENDERINGS,
  }).text;
}

/** What the page shows of a call, without the rest of the page. */
function shown(call: CallMade): string {
  const page = pageOf(call);
  return page.slice(page.indexOf('<div class="call '), page.indexOf('</main>'));
}

const diffOf = (output: string): string[] =>
  [...shown({ tool: 'compare', result: { output } }).matchAll(/<div class="(\w+)">([^<]*)<\/div>/g)]
    .filter(([, kind]) => kind !== 'label')
    .map(([, kind, line]) => `${kind}: ${line}`);

describe('how a call is shown', () => {
  it('is a path as such, and a listing with its numbers beside the lines', () => {
    const page = shown({
      tool: 'read',
      arguments: { path: 'src/a.ts', start_line: 9 },
      result: { output: ' 9\tif (a) {\r\n10\t\tb();\n(lines 9 to 10 of 80)' },
    });
    expect(page).toContain('<div class="mono text">src/a.ts</div>');
    expect(page).toContain('<div class="mono">9</div>');
    expect(page).toContain('<span class="number">9</span><span>if (a) {</span>');
    expect(page).toContain('<span class="number">10</span><span>\tb();</span>');
    expect(page).toContain('<div class="about">(lines 9 to 10 of 80)</div>');
  });

  it('is what goes and what comes, also within a list', () => {
    const edits = [{ old: 'one\n\ttwo\n', new: '' }];
    for (const given of [edits[0], { edits }]) {
      const page = shown({ tool: 'edit', arguments: given });
      expect(page).toContain('<div class="removed">one</div><div class="removed">\ttwo</div>');
      expect(page).toContain('<div class="faint">nothing</div>');
    }
  });

  it('is every path of a list, and of what is in it', () => {
    const moves = ['a b.ts', { from: 'c.ts', to: 'd.ts' }];
    const page = shown({ tool: 'move', arguments: { moves } });
    expect(page.match(/<div class="mono text">.*?</g)).toHaveLength(3);
  });

  it('is a diff by the place of each line, not by its first signs alone', () => {
    const lines = [
      'diff --git a/a b/a',
      '--- a/a',
      '+++ b/a',
      '@@ -1,3 +1,2 @@',
      ' one',
      '--- a head',
      '-two',
      '\\ No newline at end of file',
      '+++ a head',
      '--- a/b',
      '@@ -0,0 +1 @@',
      '+new',
      '+not counted',
    ];
    expect(diffOf(`${lines.join('\n')}\n`)).toEqual([
      'about: diff --git a/a b/a',
      'about: --- a/a',
      'about: +++ b/a',
      'hunk: @@ -1,3 +1,2 @@',
      'same:  one',
      'removed: --- a head',
      'removed: -two',
      'about: \\ No newline at end of file',
      'added: +++ a head',
      'about: --- a/b',
      'hunk: @@ -0,0 +1 @@',
      'added: +new',
      'about: +not counted',
    ]);
  });

  it('shows the text of a failure unchanged', () => {
    const result = { ok: false, output: '1\tno file' };
    expect(shown({ tool: 'read', result })).toContain('<pre>1\tno file</pre>');
  });

  it('is plain if the tool or the argument is unknown', () => {
    for (const tool of ['other', 'constructor', '__proto__'])
      expect(shown({ tool, arguments: { path: 'a' } })).toContain('<pre>a</pre>');
    for (const name of ['constructor', '__proto__', 'toString']) {
      const args = JSON.parse(`{"${name}": "a"}`) as unknown;
      expect(shown({ tool: 'edit', arguments: args })).toContain('<pre>a</pre>');
    }
    expect(shown({ tool: 'edit', arguments: 'text' })).toContain('<pre>&quot;text&quot;</pre>');
  });
});

describe('what a call may hold', () => {
  const HOSTILE = "<script>alert(1)</script>\" onclick='x' \u202e\u0000</div></pre>";

  it.each([...RENDERINGS.keys(), 'other'])('is never HTML, with %s', (tool) => {
    const args = Object.fromEntries(
      ['path', 'old', 'new', 'moves', 'words', HOSTILE].map((name) => [name, [HOSTILE]]),
    );
    const output = `@@ -1 +1 @@ ${HOSTILE}\n-${HOSTILE}\n1\t${HOSTILE}`;
    const page = pageOf({ tool, title: HOSTILE, arguments: args, result: { output } });
    expect(page).not.toContain('<script>alert');
    expect(page).not.toContain('\u202e');
    expect(page.match(/<div/g)?.length).toBe(page.match(/<\/div>/g)?.length);
  });

  const deep = (depth: number): unknown =>
    JSON.parse(`${'{"moves":['.repeat(depth)}"a"${']}'.repeat(depth)}`);
  const wide = (paths: number) => ({ moves: Array.from({ length: paths }, () => 'a/b') });
  const long = (lines: number) => ({ old: '-\n'.repeat(lines), new: '\t'.repeat(2 * lines) });

  it.each([
    ['deep', 'move', deep, 64],
    ['wide', 'move', wide, 65_536],
    ['long', 'edit', long, 524_288],
  ] as const)(
    'that is %s is shown in time in proportion to its size, and not whole',
    (_how, tool, argumentsOf, most) => {
      expectLinear((size) => {
        const result = {
          output: '@@ -1,999999999 +1,999999999 @@\n-\n'.repeat((32_768 * size) / most),
        };
        const call = { tool, arguments: argumentsOf(size), result };
        expect(shown(call).length).toBeLessThan(500_000);
        expect(shown({ tool: 'compare', result }).length).toBeLessThan(500_000);
      }, most);
    },
  );
});

describe('the server', () => {
  it('shows calls with the given renderings', async () => {
    const journal = stories
      .working()
      .turn({ calls: [{ tool: 'read', result: { output: '1\ta' } }] });
    const pages = pagesOf({ abc: journal.entries });
    const web = await startPages({ pages, renderings: RENDERINGS });
    const { body } = await ask(`${web.url}/sessions/abc`, { headers: SIGNED_IN });
    await web.close();
    expect(body).toContain('<span class="number">1</span>');
  });
});
