// The pictures between the pull request and the merge: a review, failed checks and the buttons for them, a conflict, one
// pull request on top of another, and pull requests of others.
import { SAMPLE } from '../../packages/local-github/src/sample/index.ts';
import type { Issue, PullRequest } from '../../packages/local-github/src/github/state.ts';
import type { Script } from '../../packages/local-github/src/model/script.ts';
import { failsOnTodo } from '../e2e/merging/ci-script.ts';
import type { Scene } from '../e2e/scene.ts';
import { call, say } from '../e2e/turns.ts';
import { entryOf, open, pageOf, says, untilSaid, type Chapter } from './chapters.ts';

const write = (path: string, content: string) => call('write_file', { path, content });
const finish = (summary: string) => call('finish', { summary });

const LONG = '# Limits\n\nThe longest duration is a year.\nThe shortest one is a moment.\n';
const CLEAR = '# Limits\n\nThe longest duration is a year.\nThe shortest one is 1 ms.\n';

const PARSE = 'export const parse = (text) => text.match(/(\\d+)(h|m)/g) ?? [];\n';

const PAD =
  "// Minutes as two digits.\nexport const pad = (minutes) => String(minutes).padStart(3, '0');\n";

export const MERGE_SCRIPTS: readonly Script[] = [
  {
    match: 'Document the limits',
    turns: [
      say(
        write('docs/limits.md', LONG),
        write('docs/years.md', 'A year has 365 days.\n'),
        finish('The limits are documented.'),
      ),
      say(
        write('docs/limits.md', CLEAR),
        call('reply', { to: '1', text: 'It is exact now.' }),
        call('reply', {
          to: '2',
          text: 'The parser takes no leap years, so I left the sentence as it is.',
        }),
        finish('Say the shortest duration exactly.'),
      ),
    ],
  },
  {
    match: 'Greet by name',
    turns: [
      say(write('src/greet.js', '// TODO\n'), finish('Greets everyone.')),
      {
        ...say(
          write('src/greet.js', 'export const greet = (name) => `Hello ${name}`;\n'),
          finish('Greet by name.'),
        ),
        when: 'Checks failed',
      },
    ],
  },
  {
    match: 'Say who made it',
    turns: [
      say(write('AUTHORS.md', 'Made by many.\n'), finish('The authors are named.')),
      {
        ...say(
          write('AUTHORS.md', 'Made by many, in Berlin.\n'),
          call('commit', { message: 'Merge the base branch' }),
          finish('Kept both: who, and where.'),
        ),
        when: 'could not merge all of it',
      },
    ],
  },
  {
    match: 'Parse durations',
    turns: [say(write('src/parse.js', PARSE), finish('Parse durations'))],
  },
  {
    match: 'Parse weeks',
    turns: [
      say(write('src/parse.js', PARSE.replace('h|m', 'w|d|h|m')), finish('Parse weeks and days')),
    ],
  },
  {
    match: 'Name the seconds',
    turns: [say(write('seconds.md', 'A minute has 60.\n'), finish('Say how long a minute is.'))],
  },
  {
    match: 'Name the months',
    turns: [
      say(
        write('months.md', 'A month has 30 days.\nFebruary has 30 days too.\n'),
        finish('Say how long a month is.\n\nFebruary is no exception, so I say that too.'),
      ),
    ],
  },
  {
    match: 'About shorter',
    turns: [
      say(
        call('submit_review', {
          summary: 'Short and clear. One thing would surprise people who read logs.',
          comments: [{ path: 'shorter.md', line: 2, body: 'Does this also hold for `0s`?' }],
        }),
      ),
    ],
  },
  {
    match: 'Pad the minutes',
    turns: [
      say(
        call('submit_review', {
          summary: 'Minutes line up now. One of them has a digit too many.',
          comments: [
            {
              path: 'src/pad.js',
              line: 2,
              severity: 'medium',
              body: '`5` becomes `005`, while hours have two digits.',
              suggestion: PAD.replace('3', '2').split('\n')[1],
            },
          ],
          not_checked: 'how logs that were written before are read',
        }),
      ),
    ],
  },
];

/** What the repository of these chapters holds besides the sample. */
export const MERGE_FILES = {
  '.github/local-ci.json': JSON.stringify(failsOnTodo()),
  '.github/issuewright.yml': 'self_review: false\nmerge_when_ready: true\n',
};

const pullPage = (scene: Scene, pull: PullRequest): string =>
  pageOf(scene, pull).replace('/issues/', '/pull/');

async function pullOf(scene: Scene, issue: Issue): Promise<PullRequest> {
  // Over failed checks, the status of the issue does not say that it is ready.
  return scene.until('the pull request', () =>
    scene
      .pulls()
      .find(({ pull }) => pull.head === `issuewright/issue-${issue.number}` && !pull.draft),
  );
}

const reviewed: Chapter = async (scene, camera) => {
  const issue = open(scene, 'Document the limits', 'People ask for them.', SAMPLE.label);
  const pull = await pullOf(scene, issue);
  await scene.maintainer.review(scene.thread(pull), {
    event: 'REQUEST_CHANGES',
    body: 'Almost there.',
    comments: [
      { path: 'docs/limits.md', line: 4, body: 'How long is a moment?' },
      { path: 'docs/years.md', line: 1, body: 'Also in a leap year?' },
    ],
  });
  const replies = () =>
    scene.repository.reviewComments.filter(({ author }) => author.type === 'Bot');
  await scene.until('the replies', () => replies().length === 2);
  await camera.parts(
    'using-review',
    pullPage(scene, pull),
    '.thread:nth-of-type(1)',
    `#discussion_r${replies().at(-1)?.id}`,
  );
};

const fixed: Chapter = async (scene, camera) => {
  const issue = open(scene, 'Greet by name', 'With the name of the user.', SAMPLE.label);
  const pull = await pullOf(scene, issue);
  const question = await untilSaid(scene, pull, /👍/);
  const { runs } = scene.repository.checks;
  const run = await scene.until('the button', () =>
    runs.find(({ actions }) => actions.some(({ label }) => label === 'Fix checks')),
  );
  const check = pullPage(scene, pull).replace(/\/pull\/.*/, `/runs/${run.id}`);
  await camera.parts('using-buttons', check, '#header', '#buttons');
  scene.maintainer.react(question, '+1');
  await untilSaid(scene, issue, /checks passed after/i);
  await camera.parts('using-checks', pullPage(scene, pull), entryOf(question), '#checks');
};

const resolved: Chapter = async (scene, camera) => {
  const issue = open(scene, 'Say who made it', 'In a file of its own.', SAMPLE.label);
  const pull = await pullOf(scene, issue);
  await scene.maintainer.push(scene.repository, {
    branch: 'main',
    files: { 'AUTHORS.md': 'Made in Berlin.\n' },
    message: 'Say where it was made',
  });
  await scene.until('the merge', async () =>
    (await scene.git('log', '-1', '--format=%P', pull.pull.head)).includes(' '),
  );
  await scene.untilStatus(issue, /ready for review/i);
  await camera.parts('using-conflict', pullPage(scene, pull), '#merge', '#commits');
};

const stacked: Chapter = async (scene, camera) => {
  const lower = await pullOf(scene, open(scene, 'Parse durations', '', SAMPLE.label));
  const body = `Weeks and days too. Depends on #${lower.number}.`;
  const issue = open(scene, 'Parse weeks', body, SAMPLE.label);
  const upper = await pullOf(scene, issue);
  await camera.parts('using-stack', pullPage(scene, upper), 'h1', `#issue-${upper.number}`);
};

const patched: Chapter = async (scene, camera) => {
  const ben = scene.github.as('ben');
  const fork = await ben.fork(scene.repository);
  const files = { 'months.md': 'A month has 31 days.\n' };
  await ben.push(fork, { branch: 'months', files, message: 'Name the months' });
  const pull = await ben.openPull(scene.repository, {
    title: 'Name the months',
    body: 'For people who count in months.',
    head: 'ben:months',
    base: 'main',
  });
  const mention = says(scene, pull, '@issuewright a month has 30 days here. What is February?');
  const patch = await untilSaid(scene, pull, /here is a patch/);
  await camera.parts('using-patch', pullPage(scene, pull), entryOf(mention), entryOf(patch));
};

const looked: Chapter = async (scene, camera) => {
  const ann = scene.github.as('ann');
  const files = { 'shorter.md': '`1h 0m` is now `1h`.\nZero parts are left out.\n' };
  await ann.push(scene.repository, { branch: 'shorter', files, message: 'Leave out zeros' });
  const pull = await ann.openPull(scene.repository, {
    title: 'About shorter durations',
    body: 'Zeros are noise.',
    head: 'shorter',
    base: 'main',
  });
  const mention = says(scene, pull, '@issuewright what do you think of this?');
  await scene.until('the review', () => scene.repository.reviewComments.length > 0);
  const own = () => scene.repository.reviewComments.filter(({ body }) => /`0s`/.test(body));
  await scene.until('the comment of the review', () => own().length === 1);
  await scene.untilStatus(pull, /✅/);
  await camera.parts(
    'using-others',
    pullPage(scene, pull),
    entryOf(mention),
    `#discussion_r${own()[0]?.id}`,
  );
};

const labelled: Chapter = async (scene, camera) => {
  const ann = scene.github.as('ann');
  const files = { 'src/pad.js': PAD };
  await ann.push(scene.repository, { branch: 'pad', files, message: 'Pad the minutes' });
  const pull = await ann.openPull(scene.repository, {
    title: 'Pad the minutes',
    body: 'So that columns line up.',
    head: 'pad',
    base: 'main',
  });
  scene.maintainer.label(scene.thread(pull), SAMPLE.label);
  const own = () => scene.repository.reviewComments.filter(({ body }) => /Medium/.test(body));
  await scene.until('the comment of the review', () => own().length === 1);
  await scene.untilStatus(pull, /✅/);
  const review = scene.repository.reviews.find(({ body }) => /too many/.test(body));
  await camera.parts(
    'using-labelled',
    pullPage(scene, pull),
    `#pullrequestreview-${review?.id}`,
    `#discussion_r${own()[0]?.id}`,
  );
};

/** The last one: from here on, the base branch has rules. */
const whenReady: Chapter = async (scene, camera) => {
  const pull = await pullOf(scene, open(scene, 'Name the seconds', '', SAMPLE.label));
  scene.maintainer.addRuleset(scene.repository, {
    name: 'Reviews',
    enforcement: 'active',
    conditions: { ref_name: { include: ['~DEFAULT_BRANCH'] } },
    rules: [{ type: 'pull_request', parameters: { required_approving_review_count: 1 } }],
  });
  scene.maintainer.changeMergeSettings(scene.repository, { allow_auto_merge: true });
  const order = says(scene, pull, '/issuewright merge when ready');
  const answer = await untilSaid(scene, pull, /Auto-merge is on/);
  await scene.until('the reaction', () => order.reactions.length > 0);
  await camera.parts('using-when-ready', pullPage(scene, pull), entryOf(order), entryOf(answer));
};

export const MERGE_CHAPTERS: readonly Chapter[] = [
  reviewed,
  fixed,
  resolved,
  stacked,
  looked,
  labelled,
  patched,
  whenReady,
];
