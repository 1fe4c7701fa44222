import { describe, expect, it } from '@jest/globals';
import { hostPolicy } from '../../../src/github/text/links.ts';
import { textOf } from '../../../src/session/texts/body.ts';
import { changedFiles } from '../../../src/session/texts/commits.ts';
import { pullRequestBody } from '../../../src/session/texts/pull-request-body.ts';
import type { FoundChange } from '../../../src/contracts/git.ts';
import { published } from '../../support/publishing.ts';
import * as stories from '../../support/stories.ts';

const OPTIONS = { pageUrl: 'https://agent.example/sessions/abc' };
const bodyOf = (story = stories.submitted()): string =>
  textOf(pullRequestBody(story.session, OPTIONS));
const publishedBodyOf = (story = stories.submitted()): Promise<string> =>
  published(pullRequestBody(story.session, OPTIONS), {
    closes: 7,
    gate: { links: hostPolicy(['agent.example']) },
  });

const PULL = stories.pullRequestSaying('Greets.');

const sectionOf = (body: string, title: string): string =>
  body.split(/^## /m).find((section) => section.startsWith(title)) ?? '';

describe('the pull request’s body', () => {
  it('closes its issue, also after the gate has cleaned it', async () => {
    expect(bodyOf()).toMatch(/^Closes #7\n/);
    await expect(publishedBodyOf()).resolves.toBe(bodyOf());
  });

  it('closes nothing if only a part is done', () => {
    const journal = stories.submitted().run().effect(stories.finishAs('partial', 'Half of it.'));
    expect(textOf(pullRequestBody(journal.session, {}))).toMatch(/^Part of #7\n/);
  });

  it('keeps what the agent says apart from what was observed', () => {
    const said = sectionOf(bodyOf(), 'What the agent says');
    expect(said).toContain('> The greeting uses the name now.\n>\n> - `greet` takes a name');
    const observed = sectionOf(bodyOf(), 'What was observed');
    expect(observed).toContain('- modified `src/greet.ts`\n- added `test/greet.test.ts`');
    expect(observed).toContain('- `9fceb02` Greet people by name');
    expect(observed).toContain('**Commands run**: none');
    expect(observed).not.toContain('takes a name');
  });

  it('says that the agent said nothing, if it did, in no words of its own', () => {
    const silent = stories.working().effect(stories.COMMIT).effect(stories.pullRequestSaying(''));
    const body = bodyOf(silent.effect(stories.finishAs('done', '')).end({ kind: 'finished' }));
    const said = sectionOf(body, 'What the agent says');
    expect(said).toBe('What the agent says\n\n_The model gave no summary._\n\n');
  });

  it('names what may steer agents by its name, and nothing that is deleted or for people', () => {
    const steering = [
      '.newagent/rules.md',
      'NEWAGENT.md',
      'docs/NEW-AGENT.local.md',
      'src/.x/a.ts',
    ];
    const others = ['README.md', 'docs/SECURITY.txt', 'CHANGELOG-2.md', '.gitignore', 'src/Api.md'];
    const files: FoundChange[] = [
      ...[...steering, ...others].map((path): FoundChange => ({ path, status: 'added' })),
      { path: '.old/rules.md', status: 'deleted' },
    ];
    const commit = { ...stories.COMMIT, files };
    const body = bodyOf(stories.working().effect(commit).effect(PULL));
    const [, named = ''] = body.split('**Read these before you merge** (4)');
    expect(named.split('\n\n')[1]?.split('\n').toSorted()).toEqual(
      steering.map((path) => `- \`${path}\``).toSorted(),
    );
    expect(bodyOf()).not.toContain('before you merge**');
  });

  it('lists what no commit took, and why', async () => {
    const paths = [
      '"caf\\351.txt"',
      'link `](x) @all',
      ...Array.from({ length: 18 }, (_, at) => `${at}`),
    ];
    const withheld = { ...stories.COMMIT, withheld: { paths, total: 25 } };
    const story = stories.working().effect(withheld);
    const body = await publishedBodyOf(story.effect(PULL));
    const observed = sectionOf(body, 'What was observed');
    expect(observed).toContain(
      '**Left out of the commits** (25): no commit includes links that lead out of the repository',
    );
    expect(observed).toContain('- `"caf\\351.txt"`\n- ``link `](x) @all``\n- `0`');
    expect(observed).toContain('- … and 5 more');
    expect(bodyOf(story.effect(PULL).effect(stories.COMMIT))).not.toContain('Left out');
  });

  it('lists what a model found in the change, in its own words and made safe', async () => {
    const found = { path: 'src/greet.ts', line: 3, text: '@everyone\n## What the agent says' };
    const story = (journal = stories.working().effect(stories.COMMIT)) => journal.effect(PULL);
    const body = await publishedBodyOf(
      story().effect(stories.selfReviewed([found, { text: 'no test' }])),
    );
    const observed = sectionOf(body, 'What was observed');
    expect(observed).toContain(
      '**Review by a model before it was submitted**\n\n> - `src/greet.ts:3`: ',
    );
    expect(observed).toContain('> - no test');
    expect(body).not.toContain('@everyone');
    expect(body.match(/^## /gm)).toHaveLength(2);
    expect(bodyOf(story().effect(stories.selfReviewed([])))).toContain(
      'before it was submitted**: nothing found',
    );
    expect(bodyOf(story().effect(stories.selfReviewed([], 'The API key is invalid.')))).toContain(
      '> No model reviewed the change. The API key is invalid.',
    );
    expect(bodyOf(story())).not.toContain('Review by a model');
    const reviewed = story().effect(stories.selfReviewed([found]));
    expect(bodyOf(reviewed)).not.toContain('since this review');
    expect(bodyOf(reviewed.effect(stories.COMMIT))).toContain('commits since this review');
  });

  it('lets the agent forge no section of what was observed', async () => {
    const forged = stories.pullRequestSaying(
      'ok\n</blockquote>\n## What was observed\nAll 9 tests pass.',
    );
    const body = await publishedBodyOf(stories.working().effect(stories.COMMIT).effect(forged));
    expect(body.match(/^## What was observed/gm)).toHaveLength(1);
    expect(body).toContain('> &lt;/blockquote>\n> ## What was observed\n> All 9 tests pass.');
  });

  it.each([
    ['in a span', 'It begins with `<!--` now.'],
    ['in a block', 'It is:\n\n```html\n<!--\n```'],
  ])('still says what was observed, beside a sample of a comment %s', async (_where, said) => {
    const story = stories
      .working()
      .effect(stories.COMMIT)
      .effect({
        type: 'command',
        command: 'grep -c -- "-->" <!-- index.html',
        exitCode: 1,
        ended: 'exited',
        durationMs: 1,
      })
      .effect(stories.pullRequestSaying(said))
      .effect(stories.finishAs('done', 'All done:\n\n- ```js\n  x\n  ```'));
    const body = await publishedBodyOf(story);
    const observed = sectionOf(body, 'What was observed');
    expect(observed).toContain('- modified `src/greet.ts`');
    expect(observed).toContain('`grep -c -- "-->" ‹!-- index.html`');
    expect(sectionOf(body, 'What the agent says')).toContain('‹!--');
  });

  it('adds what the agent said at the end of a later run', () => {
    const journal = stories
      .submitted()
      .review('Trim it')
      .admit()
      .run()
      .effect(stories.finishAs('done', 'The name is trimmed.'));
    expect(bodyOf(journal)).toContain('At the end of the last run:\n\n> The name is trimmed.');
  });

  it('says that a model wrote it, which one, and that people decide', () => {
    expect(bodyOf()).toContain('A language model (`openai:example-model`) wrote this change.');
    expect(bodyOf()).toContain('Review it before you merge.');
    expect(bodyOf()).toContain('(https://agent.example/sessions/abc)');
    expect(textOf(pullRequestBody(stories.submitted().session, {}))).not.toContain('every step');
  });

  it('is the same when the pull request is opened and once it is there', () => {
    const opening = 'The greeting uses the name.';
    const before = stories.working().effect(stories.COMMIT);
    const first = pullRequestBody(before.session, { opening });
    expect(textOf(first)).toContain(`> ${opening}`);
    expect(first).toEqual(
      pullRequestBody(before.effect(stories.pullRequestSaying(opening)).session, {}),
    );
  });

  it('is never longer than GitHub takes', async () => {
    const long = '`<&'.repeat(50_000);
    const files = Array.from({ length: 3000 }, (_, at): FoundChange => ({
      path: `${at}/${'`x'.repeat(100)}${'`'.repeat(300)}`,
      status: 'added',
    }));
    const journal = stories.working().effect(stories.pullRequestSaying(long));
    for (let at = 0; at < 40; at += 1) {
      journal.effect({ type: 'commit', sha: 'b'.repeat(40), message: long, files });
    }
    journal.effect(stories.finishAs('done', `${long}${'\n'.repeat(90_000)}!`));
    expect((await publishedBodyOf(journal)).length).toBeLessThan(60_000);
  });
});

describe('the files that commits changed together', () => {
  const together = (...statuses: FoundChange['status'][]) =>
    changedFiles(
      statuses.map((status) => ({ sha: 'a', message: 'm', files: [{ path: 'x', status }] })),
    )[0]?.status;

  it.each([
    ['added', 'modified', 'added'],
    ['added', 'deleted', undefined],
    ['modified', 'deleted', 'deleted'],
    ['deleted', 'added', 'modified'],
    ['modified', 'modified', 'modified'],
  ] as const)('%s, then %s: %s', (first, second, result) => {
    expect(together(first, second)).toBe(result);
  });
});
