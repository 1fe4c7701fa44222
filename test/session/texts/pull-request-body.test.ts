import { describe, expect, it } from '@jest/globals';
import { hostPolicy } from '../../../src/github/text/links.ts';
import { plainBody } from '../../../src/session/texts/markdown.ts';
import { combineChanges } from '../../../src/session/texts/work-done.ts';
import { pullRequestText } from '../../../src/app/run/ports/forge.ts';
import { pullRequestBody, summaryIn } from '../../../src/session/texts/pull-request-body.ts';
import type { FoundChange } from '../../../src/contracts/git.ts';
import { asGitHubShows, published } from '../../support/publishing.ts';
import * as stories from '../../support/stories.ts';

const OPTIONS = { pageUrl: 'https://agent.example/sessions/abc' };
const bodyOf = (story = stories.submitted()): string =>
  plainBody(pullRequestBody(story.session, OPTIONS));
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
    expect(plainBody(pullRequestBody(journal.session, {}))).toMatch(/^Part of #7\n/);
  });

  it('closes it once if the agent says so in a line of its own', async () => {
    const closing = (said: string) =>
      bodyOf(stories.working().effect(stories.pullRequestSaying(said)));
    expect(closing('Greets.\n\nFixes #7.').match(/#7/g)).toHaveLength(1);
    for (const said of ['It is like #7.', '- Closes #7', '```\nCloses #7\n```', 'Closes #71'])
      expect(closing(said)).toMatch(/^Closes #7\n/);
  });

  it('lets the agent close nothing if only a part is done', async () => {
    const journal = stories
      .working()
      .effect(stories.pullRequestSaying('Fixes #7'))
      .effect(stories.finishAs('partial', 'The e-mail is left.'));
    const { body, closes } = pullRequestText(journal.session, { id: '5' });
    expect(closes).toBeUndefined();
    const text = await published(body);
    expect(text).toMatch(/^Part of #7\n/);
    expect(text).toContain('Fixes → #7');
    expect(text).toContain('## Not done yet\n\nThe e-mail is left.\n\n## Checked');
  });

  it('has what the agent says as its summary, apart from what was checked', () => {
    const said = sectionOf(bodyOf(), 'Summary');
    expect(said).toBe(
      'Summary\n\nThe greeting uses the name now.\n\n- `greet` takes a name\n- without one it says "world"\n\n',
    );
    const checked = sectionOf(bodyOf(), 'Checked by Issuewright');
    expect(checked).toContain('**Tests**: none ran');
    expect(checked).not.toContain('takes a name');
  });

  it('names the steps of the plan that the agent left unticked when it said that all is done', async () => {
    expect(sectionOf(bodyOf(), 'Checked by Issuewright')).toContain(
      '⚠️ **Finished without ticking in the plan** (2 of 3)\n\n- Use the name in `greet`\n- Cover it with a test\n',
    );
    for (const story of [stories.working, stories.limited, stories.cannot])
      expect(bodyOf(story())).not.toContain('without ticking');
  });

  it('repeats neither its title, nor the files and commits that GitHub shows', () => {
    const said = (words: string) =>
      bodyOf(stories.working().effect(stories.COMMIT).effect(stories.pullRequestSaying(words)));
    expect(said('# Greet people by name\n\nIt had none.')).toContain(
      '## Summary\n\nIt had none.\n',
    );
    expect(said('Greet people by name')).not.toContain('Summary');
    expect(bodyOf()).not.toMatch(/src\/greet\.ts|9fceb02/);
  });

  it('is the form of the repository if the agent filled that in', () => {
    const form = '## What\n\nIt greets.\n\n## Checklist\n\n- [x] Tests';
    const body = bodyOf(stories.working().effect(stories.pullRequestSaying(form)));
    expect(body).toContain(`Closes #7\n\n${form}\n\n## Checked by Issuewright`);
  });

  it('says that the agent said nothing, if it did, in no words of its own', () => {
    const silent = stories.working().effect(stories.COMMIT).effect(stories.pullRequestSaying(''));
    const body = bodyOf(silent.effect(stories.finishAs('done', '')).end({ kind: 'finished' }));
    expect(body).toContain('\n\n_The model gave no summary._\n\n');
    expect(summaryIn(body)).toBe('');
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
    const observed = sectionOf(body, 'Checked by Issuewright');
    expect(observed).toContain('**Left out of the commits** (25): links out of the repository');
    expect(observed).toContain('- `"caf\\351.txt"`\n- ``link `](x) @all``\n- `0`');
    expect(observed).toContain('- … and 5 more');
    expect(bodyOf(story.effect(PULL).effect(stories.COMMIT))).not.toContain('Left out');
  });

  it('lists the files that could not be changed, as Git LFS stores them', async () => {
    const inLfs = { ...stories.COMMIT, inLfs: { paths: ['model.bin'], total: 1 } };
    const body = await publishedBodyOf(stories.working().effect(inLfs).effect(PULL));
    expect(sectionOf(body, 'Checked by Issuewright')).toMatch(
      /\*\*Could not be changed\*\* \(1\): Git LFS stores .*\n\n- `model\.bin`/,
    );
    expect(bodyOf()).not.toContain('Git LFS');
  });

  it('lists what a model found in the change, in its own words and made safe', async () => {
    const found = { path: 'src/greet.ts', line: 3, text: '@everyone\n## Summary' };
    const story = (journal = stories.working().effect(stories.COMMIT)) => journal.effect(PULL);
    const body = await publishedBodyOf(
      story().effect(stories.selfReviewed([found, { text: 'no test' }])),
    );
    const observed = sectionOf(body, 'Checked by Issuewright');
    expect(observed).toContain('**Self-review**: 2 open findings\n\n> - `src/greet.ts:3`: ');
    expect(observed).toContain('> - no test');
    expect(body).not.toContain('@everyone');
    expect(body.match(/^## /gm)).toHaveLength(2);
    expect(bodyOf(story().effect(stories.selfReviewed([])))).toContain(
      '**Self-review**: nothing found',
    );
    expect(bodyOf(story().effect(stories.selfReviewed([], 'The API key is invalid.')))).toContain(
      '**Self-review**: not done\n\n> The API key is invalid.',
    );
    expect(bodyOf(story())).not.toContain('Self-review');
    const reviewed = story().effect(stories.selfReviewed([found]));
    expect(bodyOf(reviewed)).not.toContain('since this review.');
    expect(bodyOf(reviewed.effect(stories.COMMIT))).toContain(
      'Reviewed before the newest commits.',
    );
  });

  it.each([
    '## Checked by Issuewright\nAll 9 tests pass.',
    '**Checked** *by* Issue\u200Bwright',
    'Checked by Іssuewright',
    'Checked by ＩＳＳＵＥＷＲＩＧＨＴ',
    'Checked by &Iscr;ssuewright',
  ])('quotes what people could take for what was checked: %j', async (forged) => {
    const said = stories.pullRequestSaying(`ok\n</blockquote>\n${forged}`);
    const body = await publishedBodyOf(stories.working().effect(stories.COMMIT).effect(said));
    expect(body).toContain('> ok\n> &lt;/blockquote>\n> ');
    expect(body.match(/^[#*]* ?Checked/gm)).toEqual(['## Checked']);
  });

  it.each([
    ['a block', '```js\nconst a = 1;'],
    ['an element', '<details>\n<summary>All checks</summary>\n\n<table><tr>'],
    ['a comment', 'See <!-- this'],
    ['a footnote', '[^1]\n\n[^1]: Seen.'],
    ['a formula', '$$\nx'],
  ])('keeps what was checked out of %s that the agent leaves open', async (_what, said) => {
    const body = await publishedBodyOf(stories.working().effect(stories.pullRequestSaying(said)));
    const page = asGitHubShows(body);
    expect(page).toMatch(/<h2[^>]*>(?:<[^>]*>)*Checked by Issuewright/);
    expect(page).not.toMatch(/<details|<table|footnote/);
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
    const observed = sectionOf(body, 'Checked by Issuewright');
    expect(observed).toContain('`grep -c -- "-->" ‹!-- index.html`');
    expect(sectionOf(body, 'Summary')).toContain('‹!--');
  });

  it('says what later runs changed, after the summary of the first', () => {
    const journal = stories.submitted();
    const round = (review: string, summary: string, ...shas: string[]): void => {
      journal.review(review).admit().run();
      for (const sha of shas) journal.effect({ ...stories.COMMIT, sha: sha.repeat(40) });
      journal.effect(stories.finishAs('done', summary)).end({ kind: 'finished' });
    };
    round('Trim it', 'Trim the name.\n\nIt had spaces.', 'a', 'b');
    round('Why?', 'Because of `x`.');
    round('And <!-- this', 'Say <!-- "world".\n## Checked by Issuewright', 'c');
    const body = bodyOf(journal);
    expect(body).toContain(
      '\n\n## Changed since\n\n- Trim the name. (aaaaaaa, bbbbbbb)\n- Say &lt;!-- "world". (ccccccc)\n\n## Checked by Issuewright\n',
    );
    expect(summaryIn(body)).toBe(summaryIn(bodyOf()));
  });

  it('stays as it is when a later run ends that changed nothing', () => {
    const journal = stories
      .submitted()
      .review('Trim it')
      .admit()
      .run()
      .effect(stories.finishAs('done', 'The name is trimmed.'))
      .end({ kind: 'finished' });
    expect(bodyOf(journal)).toBe(bodyOf());
  });

  it('says that a model wrote it, which one, and that people decide', () => {
    expect(bodyOf()).toContain('Written by a language model (`openai:example-model`).');
    expect(bodyOf()).toContain('Review it before you merge.');
    expect(bodyOf()).toContain('(https://agent.example/sessions/abc)');
    expect(plainBody(pullRequestBody(stories.submitted().session, {}))).not.toContain('Every step');
  });

  it('gives back what the agent said first', async () => {
    const form = '## What\n\nIt greets.';
    const quotation = 'Checked by Issuewright, it says.\n\nReally.';
    for (const said of ['Greets.\n\n- `a`', form, quotation, '']) {
      const story = stories.working().effect(stories.pullRequestSaying(said));
      const body = await publishedBodyOf(story);
      expect(summaryIn(`<!-- issuewright:5:pull-request:begin -->\n${body}`)).toBe(said);
    }
  });

  it('is the same when the pull request is opened and once it is there', () => {
    const opening = 'The greeting uses the name.';
    const before = stories.working().effect(stories.COMMIT);
    const first = pullRequestBody(before.session, { opening });
    expect(plainBody(first)).toContain(`## Summary\n\n${opening}\n`);
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
    combineChanges(
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
