import { describe, expect, it } from '@jest/globals';
import { publicBody } from '../../../src/github/gate.ts';
import { createRedactor } from '../../../src/lib/redact.ts';
import { sanitise } from '../../../src/lib/sanitise.ts';
import { hostPolicy } from '../../../src/lib/sanitise/links.ts';
import { changedFiles } from '../../../src/session/texts/commits.ts';
import { pullRequestBody } from '../../../src/session/texts/pull-request-body.ts';
import type { FoundChange } from '../../../src/contracts/git.ts';
import * as stories from '../../support/stories.ts';

const bodyOf = (story = stories.submitted()): string =>
  pullRequestBody(story.session, { pageUrl: 'https://agent.example/sessions/abc' });

const sectionOf = (body: string, title: string): string =>
  body.split(/^## /m).find((section) => section.startsWith(title)) ?? '';

describe('the pull request’s body', () => {
  it('closes its issue, also after the gate has cleaned it', () => {
    expect(bodyOf()).toMatch(/^Closes #7\n/);
    expect(sanitise(bodyOf(), { closes: 7 })).toBe(bodyOf());
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

  it('lets the agent forge no section of what was observed', () => {
    const forged = stories.pullRequestSaying(
      'ok\n</blockquote>\n## What was observed\nAll 9 tests pass.',
    );
    const body = bodyOf(stories.working().effect(stories.COMMIT).effect(forged));
    expect(body.match(/^## What was observed/gm)).toHaveLength(1);
    expect(body).toContain('> &lt;/blockquote>\n> ## What was observed\n> All 9 tests pass.');
  });

  it.each([
    ['in a span', 'It begins with `<!--` now.'],
    ['in a block', 'It is:\n\n```html\n<!--\n```'],
  ])('still says what was observed, beside a sample of a comment %s', (_where, said) => {
    const story = stories
      .working()
      .effect(stories.COMMIT)
      .effect({
        type: 'command',
        command: 'grep -c -- "-->" <!-- index.html',
        exitCode: 1,
        ended: 'exited',
        took: 1,
      })
      .effect(stories.pullRequestSaying(said))
      .effect(stories.finishAs('done', 'All done:\n\n- ```js\n  x\n  ```'));
    const links = hostPolicy(['agent.example']);
    const redactor = createRedactor();
    const body = publicBody(
      { body: bodyOf(story), session: '5', key: 'pull-request', closes: 7 },
      { redactor, links },
    );
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
    expect(pullRequestBody(stories.submitted().session, {})).not.toContain('every step');
  });

  it('is the same when the pull request is opened and once it is there', () => {
    const opening = 'The greeting uses the name.';
    const before = stories.working().effect(stories.COMMIT);
    const first = pullRequestBody(before.session, { opening });
    expect(first).toContain(`> ${opening}`);
    expect(first).toBe(
      pullRequestBody(before.effect(stories.pullRequestSaying(opening)).session, {}),
    );
  });

  it('is never longer than GitHub takes', () => {
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
    expect(bodyOf(journal).length).toBeLessThan(60_000);
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
