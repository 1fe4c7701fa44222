import { describe, expect, it } from '@jest/globals';
import type { FailedCheck } from '../../../src/contracts/checks.ts';
import { checksComment } from '../../../src/session/texts/check-words.ts';
import { asGitHubShows, published } from '../../support/publishing.ts';
import * as stories from '../../support/stories.ts';

const EXIT = 'Process completed with exit code 1.';
const SHA = '9fceb02d0ae598e95dc970b74767f19372d61af8';

const failing = (more: Partial<FailedCheck>): FailedCheck => ({
  source: 'check',
  name: 'test (22)',
  conclusion: 'failure',
  url: null,
  summary: '',
  annotations: [{ path: '.github', line: 38, message: EXIT }],
  log: '',
  fingerprint: 'a',
  ...more,
});

const commentOn = (...failures: readonly FailedCheck[]): Promise<string> =>
  published(
    checksComment(stories.submitted().session, SHA, {
      kind: 'failed',
      failures,
      more: 0,
      next: { do: 'ask' },
      rounds: 3,
    }),
    { mentions: ['octo-maintainer'] },
  );

const log = (...lines: readonly string[]): string =>
  ['> npm test', 'FAIL test/a.test.ts', ...lines, '1 failed, 13 passed', `##[error]${EXIT}`].join(
    '\n',
  );

describe('the comment about checks that failed', () => {
  it.each([
    [
      'an error',
      log('  ● greets', '    TypeError: x is not a function'),
      'TypeError: x is not a function',
    ],
    ['an error with a code', log('a.ts(3,1): error TS2322: No.'), 'a.ts(3,1): error TS2322: No.'],
    ['an assertion of pytest', log('E       assert 1 == 2'), 'E       assert 1 == 2'],
    [
      'a panic',
      log("thread 'main' panicked at src/a.rs:3"),
      "thread 'main' panicked at src/a.rs:3",
    ],
    ['the name of a test', log('  ● greet › trims the name', '    x'), '● greet › trims the name'],
    ['a test of TAP', log('ok 1 - a', 'not ok 2 - b'), 'not ok 2 - b'],
    ['no more than a failure', log(), 'FAIL test/a.test.ts'],
  ])('says why by the line of the log that does: %s', async (_what, text, reason) => {
    const shown = reason.replaceAll(/\s+/g, ' ');
    await expect(commentOn(failing({ log: text }))).resolves.toContain(
      `- \`test (22)\`: ${shown}\n`,
    );
  });

  it('says it by what the check says of itself, or of the code', async () => {
    const annotations = [
      { path: '.github', line: 1, message: EXIT },
      { path: 'src/a.ts', line: 3, message: 'No such name.' },
    ];
    await expect(commentOn(failing({ annotations, log: log() }))).resolves.toContain(
      '- `test (22)`: src/a.ts:3: No such name.\n',
    );
    await expect(commentOn(failing({ annotations, summary: '3 of 9 failed' }))).resolves.toContain(
      '- `test (22)`: 3 of 9 failed\n',
    );
    await expect(commentOn(failing({}))).resolves.toContain(`- \`test (22)\`: ${EXIT}\n`);
  });

  it('has the logs folded, as code in which nothing acts', async () => {
    const text = await commentOn(failing({ log: log('</details>', '```', '@everyone fixes #1') }));
    expect(text).toMatch(/<details><summary>Log of test \(22\)<\/summary>\n\n````\n> npm test\n/);
    expect(text.match(/^<\/details>$/gm)).toHaveLength(2);
    expect(text).toMatch(/@everyone fixes #1\n[^]*\n````\n\n<\/details>$/);
  });

  it('shows the name of a check as text within the HTML of the fold too', async () => {
    const name = '`</summary></details><img src=https://evil.example/x>`';
    const page = asGitHubShows(await commentOn(failing({ name, log: log() })));
    expect(page).not.toMatch(/<img|<\/details>[^]*<\/details>/);
    expect(page).toMatch(/<summary>Log of \/summary/);
  });

  it('is never longer than GitHub takes', async () => {
    const long = failing({ log: '`'.repeat(6_000), name: '<'.repeat(6_000) });
    const text = await commentOn(...Array.from({ length: 12 }, () => long));
    expect(text.length).toBeLessThan(60_000);
    expect(text).toMatch(/^@octo-maintainer 12 checks failed on `9fceb02`:/);
  });
});
