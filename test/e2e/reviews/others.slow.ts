// Pull requests of other people, through the shipped service.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Script } from '../../../packages/local-github/src/model/script.ts';
import type { PullRequest } from '../../../packages/local-github/src/github/state.ts';
import { Scene } from '../scene.ts';
import { call, say } from '../turns.ts';

const write = (path: string, content: string) => say(call('write_file', { path, content }));
const commit = (message: string) => say(call('commit', { message }));
const review = (summary: string, comments: object[]) =>
  say(call('submit_review', { summary, comments }));
const finish = (summary: string, outcome = 'done') => say(call('finish', { summary, outcome }));

const SCRIPTS: Script[] = [
  {
    match: 'Say it louder',
    turns: [
      { ...write('LOUD.md', 'Louder\n'), when: 'Pull request #\\d+ by @ann, from `louder` into' },
      commit('Say it louder'),
      finish('It is louder.'),
      { ...write('LOUD.md', 'Loudest\n'), when: 'even louder' },
      finish('It is the loudest.'),
    ],
  },
  {
    match: 'What do you think',
    turns: [
      review('I would wait.', [{ path: 'thoughts.txt', line: 9, body: 'Where?' }]),
      {
        ...review('I would wait, @ann.\n\nSee below.', [
          { path: 'thoughts.txt', line: 1, body: 'Why “Theirs”? Ask @ann.' },
        ]),
        when: 'line 9 of the new side is not in the diff, which has 1',
      },
    ],
  },
  {
    match: 'Guard it better',
    turns: [
      write('GUARD.md', 'Guarded\n'),
      finish('It is guarded.'),
      { ...write('GUARD.md', 'Guarded well\n'), when: 'even better' },
      finish('It is guarded well.'),
    ],
  },
  {
    match: 'Open it',
    turns: [
      { ...write('OPEN.md', 'Open\n'), when: 'nobody said yes' },
      { ...review('It could be opened.', []), when: 'write_file' },
    ],
  },
  {
    match: 'Free it',
    turns: [{ ...write('FREE.md', 'Free\n'), when: 'Yes, please' }, finish('It is free.')],
  },
  { match: 'Lend it', turns: [review('It could be lent.', []), finish('It has all of main.')] },
  {
    match: 'Release it',
    turns: [write('RELEASED.md', 'Released\n'), finish('It is released.')],
  },
  { match: 'Look at it', turns: [finish('Nothing is wrong with it.', 'nothing_to_do')] },
];

describe('a mention on the pull request of someone else', () => {
  let scene: Scene;
  beforeAll(async () => {
    const people = ['ann', 'update-bot[bot]'];
    scene = await Scene.open({ scripts: SCRIPTS, people });
    scene.repository.collaborators.set('ann', 'write');
  });
  afterAll(() => scene.closeReplayed());

  const ann = () => scene.github.as('ann');
  const head = (branch: string) => scene.git('rev-parse', branch);

  async function pullBy(login: string, branch: string): Promise<PullRequest> {
    const files = { [`${branch}.txt`]: 'Theirs\n' };
    const person = scene.github.as(login);
    await person.push(scene.repository, { branch, files, message: `Begin ${branch}` });
    const text = { title: `About ${branch}`, body: 'Words of its author.' };
    return person.openPull(scene.repository, { ...text, head: branch, base: 'main' });
  }
  const mention = (pull: PullRequest, body: string) =>
    scene.maintainer.comment(scene.thread(pull), body);
  const textOf = (pull: PullRequest): string =>
    scene
      .comments(pull)
      .map(({ body }) => body)
      .join('\n');

  it('works on its branch, says so once, and leaves its text and its reviews alone', async () => {
    const pull = await pullBy('ann', 'louder');
    const before = await head('louder');
    mention(pull, '@issuewright Say it louder, please.');
    await scene.untilStatus(pull, /Done.*It is louder/);
    const sent = scene.agentRequests.map(({ body }) => body).join('\n');
    expect(sent).toContain('Words of its author.');
    expect(sent).toContain('Begin louder');
    expect(sent).toContain('> +Theirs');
    expect(await scene.git('rev-parse', 'louder^')).toBe(before);
    expect(await scene.git('show', 'louder:LOUD.md')).toBe('Louder');
    expect(pull).toMatchObject({ title: 'About louder', body: 'Words of its author.' });
    expect(pull.pull).toMatchObject({ draft: false, requestedReviewers: [] });
    expect(scene.pulls()).toHaveLength(1);

    ann().comment(scene.thread(pull), 'Thank you, it is even louder than I thought.');
    mention(pull, 'I agree with you.');
    mention(pull, '@issuewright Make it even louder.');
    await scene.untilStatus(pull, /Done.*It is the loudest/);
    expect(await scene.git('show', 'louder:LOUD.md')).toBe('Loudest');
    expect(await scene.git('rev-list', '--count', `${before}..louder`)).toBe('2');
    // Its status, and a reply to each of the two requests.
    expect(scene.comments(pull).map(({ body }) => /:(status|reply):?/.exec(body)?.[1])).toEqual([
      'status',
      'reply',
      'reply',
    ]);
    expect(await scene.branches()).toEqual(['louder']);

    await scene.maintainer.merge(scene.thread(pull));
    await scene.untilStatus(pull, /Merged: #/);
    mention(pull, '@issuewright Say it louder.');
    await scene.until('the rejection', () =>
      /@octo-maintainer This pull request is merged\. Open a new issue/.test(textOf(pull)),
    );
  });

  it('that asks for an opinion is answered in a review with comments on lines, and changes nothing', async () => {
    const pull = await pullBy('ann', 'thoughts');
    const before = await head('thoughts');
    mention(pull, '@issuewright What do you think of this?');
    await scene.untilStatus(pull, /Reviewed/);
    const { reviews, reviewComments } = scene.repository;
    const [written, ...others] = reviews.filter(({ pullNumber }) => pullNumber === pull.number);
    expect(others).toEqual([]);
    expect(written).toMatchObject({ state: 'COMMENTED', commitSha: before });
    expect(written?.body).toMatch(/^I would wait, @\u200Bann\.\n\nSee below\./);
    const lines = reviewComments.filter(({ reviewId }) => reviewId === written?.id);
    expect(lines.map(({ body }) => body)).toEqual(['Why “Theirs”? Ask @\u200Bann.']);
    expect(await head('thoughts')).toBe(before);
    expect(scene.comments(pull)).toHaveLength(1);
  });

  describe('whose branch is protected', () => {
    const protect = (branch: string) =>
      scene.maintainer.addRuleset(scene.repository, {
        name: `Checks for ${branch}`,
        enforcement: 'active',
        conditions: { ref_name: { include: [`refs/heads/${branch}`], exclude: [] } },
        bypass_actors: [{ actor_id: 1, actor_type: 'Integration' }],
        rules: [
          {
            type: 'required_status_checks',
            parameters: { required_status_checks: [{ context: 'test' }] },
          },
        ],
      });

    it('is answered with a question before the model is asked, and after a yes it works there', async () => {
      const pull = await pullBy('ann', 'guarded');
      protect('guarded');
      const before = await head('guarded');
      const asked = scene.agentRequests.length;
      mention(pull, '@issuewright Guard it better.');
      await scene.untilStatus(pull, /Waiting for \S+ answer/);
      await scene.until('the question', () =>
        /`guarded` is protected\. May I push to it\?/.test(textOf(pull)),
      );
      expect(scene.agentRequests).toHaveLength(asked);
      scene.github.as('stranger').comment(scene.thread(pull), 'Yes');
      mention(pull, 'Yes, please.');
      await scene.untilStatus(pull, /Done.*It is guarded/);
      expect(await scene.git('rev-parse', 'guarded^')).toBe(before);
      expect(scene.agentRequests.at(-1)?.body).toContain('Guard it better.');
      mention(pull, '@issuewright Guard it even better.');
      await scene.untilStatus(pull, /Done.*It is guarded well/);
      expect(textOf(pull).match(/May I push/g)).toHaveLength(1);
    });

    it('is only answered if people say anything but yes', async () => {
      const pull = await pullBy('ann', 'closed');
      protect('closed');
      const before = await head('closed');
      mention(pull, '@issuewright Open it.');
      await scene.until('the question', () => /May I push to it\?/.test(textOf(pull)));
      mention(pull, 'No, just tell us what you think.');
      await scene.untilStatus(pull, /Reviewed/);
      expect(scene.repository.reviews.at(-1)?.body).toContain('It could be opened.');
      expect(await head('closed')).toBe(before);
    });

    it('is worked on also if the yes comes while the run for another answer is prepared', async () => {
      const pull = await pullBy('ann', 'freed');
      protect('freed');
      mention(pull, '@issuewright Free it.');
      await scene.until('the question', () => /May I push to it\?/.test(textOf(pull)));
      const hold = scene.github.faults.hold({ method: 'GET', path: /info\/refs/ });
      mention(pull, 'Let me think.');
      await hold.applied;
      mention(pull, 'Yes, please.');
      await scene.github.webhooksSent();
      hold.release();
      await scene.untilStatus(pull, /Done.*It is free/);
      expect(await scene.git('show', 'freed:FREE.md')).toBe('Free');
    });

    /** What else is said while the run for another answer than yes is prepared. The base branch has moved. */
    async function whilePrepared(pull: PullRequest, words: readonly string[]): Promise<void> {
      await scene.until('the question', () => /May I push to it\?/.test(textOf(pull)));
      const files = { [`base-of-${pull.number}.md`]: 'Moved\n' };
      await scene.maintainer.push(scene.repository, { branch: 'main', files, message: 'Move' });
      const hold = scene.github.faults.hold({ method: 'GET', path: /info\/refs/ });
      mention(pull, 'Let me think.');
      await hold.applied;
      for (const one of words) mention(pull, one);
      await scene.github.webhooksSent();
      hold.release();
    }

    it('gets no merge without a yes if one is asked for while the run for another answer is prepared', async () => {
      const pull = await pullBy('ann', 'lent');
      protect('lent');
      const before = await head('lent');
      mention(pull, '@issuewright Lend it.');
      await whilePrepared(pull, ['/issuewright resolve']);
      await scene.until('the second question', () => /May I push.*May I push/s.test(textOf(pull)));
      expect(scene.repository.reviews.at(-1)?.body).toContain('It could be lent.');
      expect(await head('lent')).toBe(before);
      mention(pull, 'Yes, please.');
      await scene.untilStatus(pull, /Done.*It has all of main/);
      expect(await scene.git('rev-parse', 'lent^1')).toBe(before);
      expect(await scene.git('rev-parse', 'lent^2')).toBe(await head('main'));
    });

    it('is merged and worked on if both are asked for with a yes while such a run is prepared', async () => {
      const pull = await pullBy('ann', 'released');
      protect('released');
      mention(pull, '@issuewright Release it.');
      await whilePrepared(pull, ['Yes, please.', '/issuewright resolve']);
      await scene.untilStatus(pull, /Done.*It is released/);
      expect(await scene.git('show', 'released:RELEASED.md')).toBe('Released');
      expect(await scene.git('merge-base', 'main', 'released')).toBe(await head('main'));
    });
  });

  it('that a bot opened is answered with a question before the model is asked', async () => {
    scene.repository.collaborators.set('update-bot[bot]', 'write');
    const pull = await pullBy('update-bot[bot]', 'update');
    const asked = scene.agentRequests.length;
    mention(pull, '@issuewright Update it.');
    await scene.until('the question', () =>
      /`update` belongs to a bot, update-bot\[bot\], which may overwrite/.test(
        textOf(pull).replaceAll('\\', ''),
      ),
    );
    expect(scene.agentRequests).toHaveLength(asked);
    mention(pull, '/issuewright stop');
    await scene.untilStatus(pull, /Stopped/);
  });

  it('is rejected if it comes from someone without write access', async () => {
    const pull = await pullBy('ann', 'quiet');
    const before = scene.agentRequests.length;
    scene.github.as('stranger').comment(scene.thread(pull), '@issuewright Look at it.');
    await scene.until('the rejection', () =>
      /@stranger Thanks! Someone with write access has to start me/.test(textOf(pull)),
    );
    ann().comment(scene.thread(pull), '@issuewright Look at it.');
    await scene.untilStatus(pull, /Nothing to change/);
    expect(scene.agentRequests).toHaveLength(before + 1);
    await scene.maintainer.close(scene.thread(pull));
    await scene.untilStatus(pull, /Stopped.*Pull request #\d+ was closed without being merged/);
    await scene.maintainer.reopen(scene.thread(pull));
    await scene.untilStatus(pull, /Nothing to change/);
  });
});
