import { describe, expect, it } from '@jest/globals';
import { hostPolicy } from '../../../src/github/text/links.ts';
import { stateOf } from '../../../src/session/state.ts';
import { plainBody } from '../../../src/session/texts/markdown.ts';
import { statusComment } from '../../../src/session/texts/status-comment.ts';
import { Journal } from '../../support/journal.ts';
import { published } from '../../support/publishing.ts';
import * as stories from '../../support/stories.ts';

const OPTIONS = {
  label: 'issuewright',
  now: '2030-01-15T14:13:30Z',
  pageUrl: 'https://agent.example/sessions/abc123',
};

const commentOn = (journal: Journal): string => plainBody(statusComment(journal.session, OPTIONS));
const firstLineOf = (journal: Journal): string => commentOn(journal).split('\n')[0] ?? '';

it('a session that waits for a slot says its place in the queue, and starts if slots are free', () => {
  const at = (place?: number) =>
    plainBody(statusComment(stories.queued().session, { ...OPTIONS, place }));
  expect(at(12)).toContain('Queued** · Starts when a slot is free. Place in the queue: 12.');
  expect(at()).toContain('**⏳ Starting**');
  expect(at()).not.toMatch(/Queued|slot|Place/);
});

describe('the first line of the status comment', () => {
  it.each([
    ['about to begin', stories.queued, 'Starting'],
    [
      'working',
      stories.working,
      'Working** · Waiting for the model since 14:03 UTC. Last step: plan',
    ],
    [
      'reviewing its own change',
      () =>
        stories
          .working()
          .turn({ calls: [{ tool: 'finish', title: 'Finish' }] })
          .add({ type: 'self_review_started', run: 1, model: 'openai:other-model' }),
      'Working** · Self-review by openai:other-model',
    ],
    [
      'waiting for an answer',
      stories.asked,
      "Waiting for @octo-maintainer's answer** · see the question",
    ],
    ['ready for review', stories.submitted, 'Ready for review: #12'],
    ['merged', stories.merged, 'Merged: #12'],
    ['closed', stories.closed, 'Stopped** · The issue was closed.'],
    ['failed', stories.failed, 'Failed** · The push was denied: protected branch.'],
    ['at a limit', stories.limited, 'Stopped at a limit** · The limit of 50 model replies'],
    [
      'at a limit, with its pull request open',
      stories.limitedInReview,
      'Stopped at a limit: #12** · The limit of ',
    ],
    [
      'in conflict, with nothing left to resolve it',
      () => stories.limitedInReview('main'),
      'In conflict: #12** · The limit of ',
    ],
    [
      'over red checks',
      () => stories.withFailingChecks(stories.submitted()),
      '**❌ Checks failed: #12**',
    ],
    [
      'ready for review since a later commit',
      () =>
        stories
          .withFailingChecks(stories.submitted())
          .effect({ ...stories.COMMIT, sha: 'f'.repeat(40) }),
      'Ready for review: #12',
    ],
    ['deferred', stories.deferred, 'Waiting until 16 Jan 2030, 00:00 UTC** · The limit of'],
    ['answered', stories.answered, 'Answered** · The answer is in the comments.'],
    [
      'in mode `single`',
      stories.onePlan,
      'One model reply done (`mode: single`)** · 1 commit so far.',
    ],
    [
      'in mode `single`, and that nothing was committed',
      stories.onePlanOfNothing,
      'done (`mode: single`)** · Nothing was committed.',
    ],
    ['without a change', stories.nothingToDo, 'Nothing to change** · The greeting has the name'],
    ['given up', stories.cannot, 'Could not be done** · The names are in a service'],
  ])('says in plain words that it is %s', (_name, story, words) => {
    expect(firstLineOf(story())).toContain(words);
  });

  it('says that a pull request was closed without being merged', () => {
    const journal = stories
      .submitted()
      .receive({ kind: 'pull_request_closed', pullRequest: 12, merged: false });
    expect(firstLineOf(journal)).toContain('Pull request #12 was closed without being merged.');
  });

  it('says that an open pull request is not finished if the agent could not continue', () => {
    const journal = stories
      .working()
      .effect(stories.COMMIT)
      .effect(stories.PULL_REQUEST)
      .effect(stories.finishAs('cannot', 'Half of it needs a new service.'))
      .end({ kind: 'finished' });
    expect(firstLineOf(journal)).toContain('Not finished: #12** · Half of it');
  });

  it('says that only a part is done', () => {
    const journal = stories
      .working()
      .effect(stories.COMMIT)
      .effect(stories.PULL_REQUEST)
      .effect(stories.finishAs('partial', 'The other half is left.'))
      .end({ kind: 'finished' });
    expect(firstLineOf(journal)).toContain('Done in part: #12** · The other half');
    expect(commentOn(journal)).toContain(
      '\n\nMention me with what should happen next, or review it.',
    );
  });

  it('is followed by what of the settings is not followed, until a run follows all of them', () => {
    const warning = '`.github/issuewright.yml`, line 2: `colour` is not a setting; ignored';
    const journal = new Journal().start().run({ warnings: [warning, 'x'.repeat(9_000)] });
    const body = commentOn(journal);
    expect(body).toContain(`⚠️ **Some settings have no effect**\n- ${warning}\n- xxx`);
    expect(body.length).toBeLessThan(2_000);
    expect(commentOn(journal.end({ kind: 'finished' }).run())).not.toContain('settings');
  });

  it('folds away what is longer than a line', () => {
    const body = commentOn(
      stories.failed('The push was denied.\n\nprotected branch hook declined'),
    );
    expect(body).toMatch(/^\*\*❌ Failed\*\* · The push was denied\.\n\n<details>/);
    expect(body).toContain('> protected branch hook declined');
  });
});

describe('the status comment', () => {
  it('is the state, what to do, the plan as a task list, and one line more', () => {
    expect(commentOn(stories.submitted()).split(/\n\n/)).toEqual([
      '**✅ Ready for review: #12**',
      expect.stringMatching(/^Review or merge it\. /),
      '- [x] Read how the greeting is made\n- [ ] Use the name in `greet`\n- [ ] Cover it with a test',
      'I finished without ticking 2 of 3 steps: check whether they are done.',
      expect.stringMatching(/^---\n<sub>[^\n]*<\/sub>$/),
    ]);
  });

  it('says which steps a run left unticked only once it said that all is done', () => {
    const words = 'I finished without ticking 2 of 3 steps';
    for (const story of [stories.submitted, stories.merged])
      expect(commentOn(story())).toContain(words);
    for (const story of [stories.working, stories.asked, stories.failed, stories.cannot])
      expect(commentOn(story())).not.toContain('without ticking');
    const again = stories.submitted().review('Trim it').admit().run();
    expect(commentOn(again)).not.toContain('without ticking');
  });

  it('has no second copy of a plan that waits for approval, which is whole in its own comment', () => {
    expect(commentOn(stories.proposed())).not.toContain('- [ ]');
    const approved = stories.proposed().comment('approve');
    const received = approved.entries.length;
    approved.add({ type: 'admitted', received, lineComments: [], approves: true });
    expect(commentOn(approved.run())).toContain('- [ ] Use the name');
    const block = { reason: 'The issue is locked.', keys: ['plan:9'], until: null };
    const locked = stories.proposed().add({ type: 'publishing_blocked', block });
    expect(commentOn(locked)).toContain('- [ ] Use the name');
  });

  it('names the pull request once, in its first line if that does', () => {
    const again = stories.submitted().review('Trim it').admit().run();
    for (const journal of [stories.submitted(), stories.merged(), again])
      expect(commentOn(journal).match(/#12/g)).toHaveLength(1);
  });

  it('shows what was used: model, replies, cost, and the time while it works', () => {
    const body = commentOn(stories.working());
    expect(body).toContain('`openai:example-model` · 1 reply · $0.01 · ');
    expect(body).toContain('10 min 28 s of work · Updated 14:13 UTC');
  });

  it('says what to do once it is ready, and not over red checks or after the merge', () => {
    const next =
      '\n\nReview or merge it. I see changes that you request and comments on lines; for anything else, mention me.\n';
    expect(commentOn(stories.submitted())).toContain(next);
    for (const story of [
      stories.withFailingChecks(stories.submitted()),
      stories.merged(),
      stories.limitedInReview(),
    ])
      expect(commentOn(story)).not.toContain('Review or merge');
  });

  it('counts replies, cost and work of all runs, without what they waited for', () => {
    const journal = stories
      .asked()
      .wait(3_600)
      .comment('A name.')
      .admit()
      .run()
      .effect(stories.COMMIT);
    expect(commentOn(journal)).toContain('`openai:example-model` · 3 replies in 2 runs · $0.04 · ');
    const ended = journal.effect(stories.PULL_REQUEST).end({ kind: 'finished' });
    expect(commentOn(ended)).toMatch(/ · 4 replies in 2 runs · \$0\.05 · 1\d s of work · Code/);
  });

  it.each([
    ['cents', [0.4, 0.024], ' · $0.42 · '],
    ['less than a cent', [0.0012], ' · less than $0.01 · '],
    ['nothing', [0], ' · $0.00 · '],
    ['a model without a known price', [null, null], ' · price unknown · '],
    ['more than is known', [0.42, null], 'at least $0.42 (some prices are unknown)'],
  ] as const)('says what it costs: %s', (_what, costs, words) => {
    const journal = new Journal().start().run();
    for (const cost of costs) journal.turn({ cost });
    expect(commentOn(journal)).toContain(words);
  });

  it('counts the price of all runs, summaries included', () => {
    const journal = stories.working().compacted('So far.').end({ kind: 'asked' });
    expect(commentOn(journal.start().run())).toContain(' · $0.02 · ');
  });

  it('says who receives code and comments from the first moment on that it is known', () => {
    const begun = new Journal().start().add({ type: 'run_started', run: 1 });
    expect(commentOn(begun)).not.toContain(' go to ');
    expect(commentOn(new Journal().start().run())).toContain(
      'Code, comments and output go to OpenAI (api.openai.com)',
    );
    expect(commentOn(stories.merged())).toContain('go to OpenAI (api.openai.com) · ');
    const reviewer = { model: 'gemini:flash', destination: 'Google' };
    expect(commentOn(new Journal().start().run({ reviewer }))).toContain(
      'go to OpenAI (api.openai.com); changes also to Google · ',
    );
  });

  it('does not forget who received them before', () => {
    const again = stories.failed().start().add({ type: 'run_started', run: 2 });
    expect(commentOn(again)).toContain('Code, comments and output go to OpenAI (api.openai.com)');
    expect(commentOn(stories.detours())).toContain(
      'go to Anthropic (api.anthropic.com); before that to OpenAI (api.openai.com) · ',
    );
  });

  it('shows when it was updated only while it works, also if a run has not heard yet that it is to end', () => {
    const { 'waiting(pause)': paused } = stories.IN_EACH_STATE;
    for (const story of [stories.submitted, stories.deferred, stories.closed, paused])
      expect(commentOn(story())).not.toContain('Updated');
  });

  it('links to the session page only if there is one', () => {
    expect(commentOn(stories.working())).toContain('(https://agent.example/sessions/abc123)');
    const without = plainBody(statusComment(stories.working().session, { now: OPTIONS.now }));
    expect(without).not.toContain('Session page');
  });

  it('names the branch that keeps the work if no pull request has it', () => {
    const repositoryUrl = 'https://github.example/example/words';
    const kept = (journal: Journal, options = {}): string =>
      /.* on the branch .*/.exec(
        plainBody(statusComment(journal.session, { ...OPTIONS, ...options })),
      )?.[0] ?? '';
    const closed = () =>
      stories.working().effect(stories.COMMIT).receive({ kind: 'issue_closed', at: '' });
    const branch = closed().session.run?.branch ?? '';
    expect(kept(closed(), { repositoryUrl })).toBe(
      `1 commit on the branch [\`${branch}\`](${repositoryUrl}/tree/${branch}).`,
    );
    expect(kept(closed())).toContain(`on the branch \`${branch}\`.`);
    expect(kept(stories.closed(), { repositoryUrl })).toBe('');
    expect(kept(stories.submitted().receive({ kind: 'issue_closed', at: '' }))).toBe('');
  });

  it('says how to stop while work may continue, and how to start again after it has ended', () => {
    expect(commentOn(stories.working())).toContain('To stop: `/issuewright stop`</sub>');
    expect(commentOn(stories.asked())).toContain('\n\nReply here to continue.\n');
    expect(commentOn(stories.answered())).toContain('\n\nReply here to continue.\n');
    expect(commentOn(stories.deferred())).toContain("\n\nI'll resume automatically.\n");
    expect(commentOn(stories.onePlan())).toContain("For the model's next reply, write");
    expect(commentOn(stories.submitted())).not.toContain('To stop');
    for (const story of [stories.failed, stories.nothingToDo, stories.closed]) {
      expect(commentOn(story())).toContain('write `/issuewright retry`.');
      expect(commentOn(story())).not.toContain('/issuewright stop');
    }
    expect(commentOn(stories.closed())).toContain('To start again, reopen the issue and write');
  });

  it('reads the same through the gate, which removes what may not be published', async () => {
    const gate = { links: hostPolicy(['agent.example', 'github.com', 'github.example']) };
    for (const story of Object.values(stories.IN_EACH_STATE)) {
      const body = statusComment(story().session, OPTIONS);
      const names = commentOn(story()).replaceAll('@', '@\u200B');
      await expect(published(body, { gate })).resolves.toBe(names);
    }
  });
});

describe.each(Object.entries(stories.IN_EACH_STATE))('in the state %s', (state, story) => {
  it('the comment begins with one bold line and is short', () => {
    const { session } = story();
    expect(stateOf(session)).toBe(state);
    const body = plainBody(statusComment(session, OPTIONS));
    expect(body).toMatch(/^\*\*\P{Cc}+\*\*[^\n]*\n/u);
    expect(body.length).toBeLessThan(1500);
    expect(body).not.toMatch(/undefined|null|NaN|\n\n\n/);
  });
});

describe('hostile text in the status comment', () => {
  const HOSTILE =
    '</details>\n# Big\n- [x] done `a ``` <img src=x> [x](http://evil) **b** __c__ &lt;';
  const hostile = (): Journal =>
    new Journal()
      .start(HOSTILE)
      .run()
      .effect({ type: 'plan', items: [{ id: '1', title: HOSTILE, done: false }] })
      .effect({ type: 'commit', sha: 'a'.repeat(40), message: HOSTILE, files: [] })
      .end({ kind: 'failed', reason: HOSTILE });

  it('stays on its line and shows its special characters as text', async () => {
    const lines = (await published(statusComment(hostile().session, OPTIONS))).split('\n');
    expect(lines.filter((line) => line.startsWith('#') || /^<\/?img/.test(line))).toEqual([]);
    expect(lines.filter((line) => line.startsWith('- ['))).toHaveLength(1);
    expect(lines.find((line) => line.startsWith('- ['))).toContain(
      String.raw`&lt;/details> # Big - \[x\] done `,
    );
    expect(lines.filter((line) => line.includes('</details>'))).toEqual(['</details>']);
  });

  it('never makes it longer than GitHub takes', async () => {
    const long = '<&_'.repeat(50_000);
    const journal = new Journal().start(long).run(long.slice(0, 300));
    const items = Array.from({ length: 400 }, (_, id) => ({
      id: `${id}`,
      title: long,
      done: true,
    }));
    journal.effect({ type: 'plan', items });
    for (let at = 0; at < 60; at += 1) {
      journal.effect({ type: 'commit', sha: `${at}`.repeat(20), message: long, files: [] });
    }
    journal.effect({ type: 'pull_request', number: 1, url: '', title: long, description: long });
    journal.end({ kind: 'failed', reason: `${long}\n${'\n'.repeat(50_000)}` });
    const text = await published(statusComment(journal.session, OPTIONS));
    expect(text.length).toBeLessThan(60_000);
  });
});

it.each([
  [{ seconds: 192 }, 'fetched and unpacked in 3 min 12 s.'],
  [{}, 'which was here already.'],
])('the status comment says which image commands run in, and what it cost: %j', (more, words) => {
  const image = { name: 'ghcr.io/acme/my_tools', digest: `sha256:${'0123456789ab'.repeat(5)}cdef` };
  const journal = new Journal().start().run({ image: { ...image, ...more } });
  expect(commentOn(journal)).toContain(
    `Commands run in the image \`ghcr.io/acme/my_tools\` (\`sha256:0123456789ab\`), ${words}`,
  );
  expect(commentOn(journal.add({ type: 'run_resumed', run: 1 }))).not.toContain('acme');
});
