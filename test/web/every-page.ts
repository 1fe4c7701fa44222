// Every kind of page that people see, each with a lot in it, for a browser to look at.
import type { Memory } from '../../src/contracts/memory.ts';
import { TOOLS } from '../../src/tools/index.ts';
import { renderingsOf } from '../../src/tools/define-tool.ts';
import type { LocalGitHub } from '../../packages/local-github/src/index.ts';
import { APP_ID, startPlayground } from '../../packages/local-github/test/support.ts';
import { Journal, type CallMade } from '../support/journal.ts';
import * as stories from '../support/stories.ts';
import type { ListQuery, SessionList, Totals } from '../../src/web/session-source.ts';
import type { StoredSignIn } from '../../src/contracts/sign-in.ts';
import type { PeopleOptions } from '../../src/web/people/sign-ins.ts';
import { SETUP_PAGES } from './setup-pages.ts';
import { pagesOf, startPages, TOKEN } from './support.ts';

export interface Site {
  /** Opens the pages in a browser. */
  readonly link: string;
  /** The address of one of `pages`. */
  address(path: string): string;
  close(): Promise<void>;
}

interface Kind {
  readonly open: () => Promise<Site>;
  /** Paths, by what they show. */
  readonly pages: Readonly<Record<string, string>>;
}

const TEXT = [
  '# A title of its own',
  'Some **bold**, _soft_ and ~~removed~~ words, `code`, [a link](https://example.test) and :tada:',
  '### Much deeper',
  '- [ ] to do\n- [x] done',
  '1. one\n2. two\n\n> A quotation of @maintainer, see #1',
  '> [!WARNING]\n> Take care.',
  `| a | b |\n|---|---|\n| ${'wide'.repeat(30)} | 2 |\n\n---`,
  '```ts\nconst answer: number = 42; // ' + 'a long line '.repeat(30) + '\n```',
  '<details><summary>More</summary>\n\n#### Hidden at first\n\nWords.\n\n</details>',
  '![a picture](https://example.test/a.png)\n\nA footnote[^1].\n\n[^1]: Below.',
].join('\n\n');

const DIFF = '--- a/a.ts\n+++ b/a.ts\n@@ -1,2 +1,2 @@\n same\n-old\n+new\n';

const CALLS: readonly CallMade[] = [
  {
    tool: 'read_file',
    arguments: { path: 'src/a.ts' },
    result: { output: ` 9\tconst a = 1;\n10\t${'long '.repeat(60)}\n(lines 9 to 10 of 80)` },
  },
  {
    tool: 'edit_file',
    arguments: { path: 'src/a.ts', edits: [{ old_text: 'one', new_text: 'two' }] },
    result: { output: 'Edited.' },
  },
  { tool: 'show_changes', result: { output: DIFF } },
  { tool: 'run_command', arguments: { command: 'npm test' }, result: { ok: false, output: 'no' } },
  {
    tool: 'ask_question',
    result: {
      effects: [
        {
          type: 'question',
          text: '',
          items: [{ text: 'Which?', proposedAnswer: 'This one.' }, { text: TEXT }],
        },
      ],
    },
  },
  {
    tool: 'commit',
    result: { effects: [{ type: 'workflow_change', digest: '1', files: [], diff: DIFF }] },
  },
  { tool: 'grep_search', title: 'Search for "greet("' },
];

const busy = (): Journal => stories.wholeStory().turn({ thought: TEXT, calls: CALLS });

/** A run whose provider calls tools itself. */
const equipped = (): Journal =>
  new Journal()
    .start()
    .run({ protocol: 'native', tools: TOOLS.map(({ name }) => name) })
    .turn({ thought: TEXT, native: { key: 'openai:a', value: ['x'.repeat(900)] }, calls: CALLS });

/** A session for each look that a page of one can have. */
const SESSIONS = {
  running: busy(),
  equipped: equipped(),
  waiting: stories.asked(),
  finished: stories.merged(),
  answered: stories.answered(),
  failed: stories.failed(),
  limited: stories.detours(),
};

const MEMORY: Memory = {
  number: 3,
  text: TEXT,
  session: 'finished',
  issue: 7,
  at: '2030-01-15T14:03:00Z',
  fromStrangers: true,
};

const summaries = () =>
  Object.keys(stories.IN_EACH_STATE).map((state, at) => ({
    id: `${at}`,
    repository: { owner: 'example', name: 'greeter' },
    issue: at + 1,
    title: at === 0 ? '' : `Greet people by name ${at}`,
    state,
    outcome: at % 2 === 0 ? '' : `Stopped at a limit: #${at}`,
    model: at === 0 ? '' : 'openai:example-model',
    cost: { dollars: at / 3, isPartial: at % 4 === 3 },
    createdAt: new Date(Date.now() - at ** 5 * 60_000),
    updatedAt: new Date('2030-01-15T14:03:00Z'),
    pullRequest: at % 2 === 0 ? null : at,
  }));

const LIST = ({ search }: ListQuery): SessionList => ({
  sessions: search === undefined ? summaries() : [],
  hasMore: true,
  choices: {
    repositories: [{ id: 21, owner: 'example', name: 'greeter' }],
    models: ['openai:example-model', 'ollama:' + 'long-name-'.repeat(8)],
  },
});

const SUM = {
  sessions: 12,
  merged: 8,
  closed: 1,
  unchanged: 1,
  abandoned: 1,
  open: 1,
  zeroTouch: 5,
  rounds: 9,
  dollars: 4.2,
  mergedDollars: 3.1,
  workedMs: 3_600_000,
  isPartial: false,
  signMs: 2300,
  proposedMs: 400_000,
  mergedMs: 90_000_000,
};

const TOTALS: Totals = {
  all: SUM,
  spent: (['month', 'person', 'repository', 'model'] as const).map((by) => ({
    ...SUM,
    by,
    name: 'long-name-'.repeat(8),
  })),
  byRepository: ['greeter', 'a-repository-with-a-long-name'].map((name) => ({
    ...SUM,
    name: `example/${name}`,
  })),
  byModel: [
    { ...SUM, name: 'openai:example-model' },
    {
      ...SUM,
      name: 'no model',
      merged: 0,
      signMs: null,
      proposedMs: null,
      mergedMs: null,
      isPartial: true,
    },
  ],
};

async function openSessionPages(): Promise<Site> {
  const journals = Object.entries(SESSIONS).map(([name, { entries }]) => [name, entries]);
  const pages = pagesOf(Object.fromEntries(journals), [MEMORY]);
  const web = await startPages({
    pages: { ...pages, list: async (query) => LIST(query), totals: async () => TOTALS },
    renderings: renderingsOf(TOOLS),
  });
  return {
    link: `${web.url}/?token=${TOKEN}`,
    address: (path) => web.url + path,
    close: () => web.close(),
  };
}

const lastReply = ({ entries }: Journal): number =>
  entries.findLast(({ type }) => type === 'reply')?.seq ?? 0;

const SESSION_PAGES = {
  'the list of sessions': '/sessions',
  'a later page of the list': '/sessions?state=done&repository=21&after=3',
  'a search without a result': '/sessions?q=nothing',
  'the totals': '/totals?days=30',
  ...Object.fromEntries(
    Object.keys(SESSIONS).map((name) => [`a session that is ${name}`, `/sessions/${name}`]),
  ),
  'the next prompt': '/sessions/running/prompt',
  'the prompt of a reply': `/sessions/running/prompt/${lastReply(SESSIONS.running)}`,
  'the prompt with its tools': '/sessions/equipped/prompt',
  'the memories of a repository': '/sessions/running/memory',
  'a session that is not there': '/sessions/nowhere',
  'an address of nothing': '/nowhere',
  'the account of the operator': '/account',
};

/** GitHub agrees at once. */
const signInOf = (login: string): PeopleOptions => {
  const rows = new Map<string, StoredSignIn>();
  return {
    clientId: 'Iv23local1',
    clientSecret: 'the-client-secret-of-these-pages',
    admins: new Map(),
    authorization: {
      refusal: () => Promise.resolve(undefined),
      address: ({ redirectUrl, state }) => `${redirectUrl}?code=1&state=${state}`,
      redeem: async () => ({ token: 'token', expiresAt: new Date(Date.now() + 60 * 60_000) }),
      access: async () => ({ account: { id: 1, login }, repositories: new Map([[1, 'read']]) }),
      revoke: async () => {},
      comment: async () => {},
    },
    store: {
      save: async (key, row) => void rows.set(key, row),
      find: async (key) => rows.get(key),
      remove: async (key) => void rows.delete(key),
      firstOf: async ({ id }) => ({ id, isNew: false }),
    },
  };
};

async function openWithSignIn(isSignedIn: boolean): Promise<Site> {
  const pages = pagesOf({ hidden: stories.asked().entries });
  const web = await startPages({ pages, people: signInOf('octo-maintainer') });
  return {
    link: `${web.url}${isSignedIn ? '/sign-in?back=/account' : '/sessions'}`,
    address: (path) => web.url + path,
    close: () => web.close(),
  };
}

async function openWithoutSessions(): Promise<Site> {
  const web = await startPages();
  return {
    link: `${web.url}/?token=${TOKEN}`,
    address: (path) => web.url + path,
    close: () => web.close(),
  };
}

/** As `fill` numbers its threads. */
const GITHUB_PAGES = {
  'the list of repositories': '/',
  'a repository': '/example/words',
  'a repository with a README': '/example/texts',
  'an open issue': '/example/words/issues/1',
  'a closed issue': '/example/words/issues/2',
  'a reviewed pull request': '/example/words/pull/3',
  'a draft': '/example/words/pull/4',
  'a closed pull request': '/example/words/pull/5',
  'a merged pull request': '/example/words/pull/6',
  'a pull request with conflicts': '/example/words/pull/7',
  'a commit': '/example/words/commit/:sha',
  'a pull request with checks': '/example/words/pull/8',
  'a check': '/example/words/runs/:check',
  'a job': '/example/words/actions/runs/:run',
  'the rules of a repository': '/example/texts/rules',
  'an issue that is not there': '/example/words/issues/99',
  'the authorization of an App': `/login/oauth/authorize?client_id=Iv23local${APP_ID}`,
};

const RULESET = {
  name: 'All branches',
  enforcement: 'active' as const,
  conditions: { ref_name: { include: ['~ALL'], exclude: ['refs/heads/loose/**'] } },
  rules: [{ type: 'required_signatures' as const }, { type: 'pull_request' as const }],
};

async function openLocalGitHub(): Promise<Site> {
  const { github, close } = await startPlayground();
  const texts = {
    owner: 'example',
    name: 'texts',
    files: { 'README.md': TEXT },
    collaborators: { maintainer: 'admin' as const },
  };
  await github.createRepository(texts);
  github.as('maintainer').addRuleset(github.repository('example', 'texts'), RULESET);
  const sha = await fill(github);
  const { check, run } = await addChecks(github);
  return {
    link: github.url,
    address: (path) =>
      github.url + path.replace(':sha', sha).replace(':check', check).replace(':run', run),
    close,
  };
}

/** A thread for each look that one can have. Resolves with the SHA of a commit. */
async function fill(github: LocalGitHub): Promise<string> {
  const at = github.repository('example', 'words');
  const [maintainer, helper] = [github.as('maintainer'), github.as('helper')];
  const issue = maintainer.openIssue(at, { title: 'Everything', body: TEXT });
  maintainer.label({ repository: at, number: 1 }, 'issuewright', 'bug', 'help wanted');
  for (const content of ['eyes', '+1', 'heart'] as const) helper.react(issue, content);
  const { id } = helper.comment({ repository: at, number: 1 }, TEXT);
  maintainer.editComment(at, id, `${TEXT}\n\nEdited.`);
  maintainer.openIssue(at, { title: 'Old' });
  await maintainer.close({ repository: at, number: 2 });
  const propose = async (name: string, draft = false) => {
    const files = { 'src/index.js': `export const one = '${name}';\n`, 'README.md': `${name}\n` };
    const sha = await maintainer.push(at, { branch: name, files, message: `${name}\n\nMore.` });
    const pull = { title: name, body: 'For #1.', head: name, base: 'main', draft };
    const { number } = await maintainer.openPull(at, pull);
    return { repository: at, number, sha };
  };
  const suggestion = `Shorter:\n\n\`\`\`suggestion\n${'export const '.repeat(20)}\n\`\`\``;
  const place = { path: 'src/index.js', line: 1 };
  const comments = [TEXT, suggestion, 'Done?'].map((body) => ({ ...place, body }));
  const reviewed = await propose('reviewed');
  await helper.review(reviewed, { event: 'REQUEST_CHANGES', body: TEXT, comments });
  const [first, , last] = at.reviewComments;
  await maintainer.replyTo(at, first!.id, TEXT);
  maintainer.resolve(at, last!.id);
  await github.as('stranger').review(reviewed, { event: 'COMMENT', body: 'Hm.' });
  await propose('draft', true);
  await maintainer.close(await propose('closed'));
  const merged = await propose('merged');
  await helper.review(merged, { event: 'APPROVE', body: 'Fine.' });
  await maintainer.merge(merged);
  return (await propose('conflicting')).sha;
}

/** A pull request with a check, a job or a status in each state. Resolves with the ids of a check and a workflow run. */
async function addChecks(github: LocalGitHub): Promise<{ check: string; run: string }> {
  const at = github.repository('example', 'words');
  const [ci, maintainer] = [github.ci(at), github.as('maintainer')];
  const steps = [{ name: 'Install' }, { name: 'Test', log: TEXT, fails: true }, { name: 'Pack' }];
  const jobs = [{ name: 'test', steps }, { name: 'build' }, { name: 'wait', waits: true }];
  ci.script([{ name: 'CI', jobs }]);
  const files = { 'src/checks.js': '1\n' };
  const sha = await maintainer.push(at, { branch: 'checks', files, message: 'Checks' });
  ci.script();
  await maintainer.openPull(at, { title: 'Checks', head: 'checks', base: 'main' });
  const conclusions = ['neutral', 'skipped', 'cancelled', 'timed_out', 'action_required'] as const;
  for (const conclusion of conclusions)
    await ci.startCheck({ name: `ended ${conclusion}`, head_sha: sha, conclusion });
  for (const state of ['success', 'pending', 'error', 'failure'] as const)
    await ci.setStatus(sha, { state, context: `ci/${state}`, target_url: 'https://ci.test/' });
  const levels = ['notice', 'warning', 'failure'] as const;
  const annotations = levels.map((annotation_level, index) => ({
    path: 'src/checks.js',
    start_line: 1,
    end_line: 1 + index,
    annotation_level,
    message: `${TEXT}\n${'wide'.repeat(100)}`,
    title: `A ${annotation_level}`,
    raw_details: 'Details',
  }));
  const { id } = await ci.startCheck({
    name: 'Everything',
    head_sha: sha,
    conclusion: 'failure',
    output: { title: 'A title', summary: TEXT, text: TEXT, annotations },
    actions: [
      { label: 'Fix it', description: 'Fix all of it', identifier: 'fix' },
      { label: 'Ignore it', description: 'Ignore all of it', identifier: 'ignore' },
    ],
  });
  return { check: String(id), run: String(ci.jobs(sha)[0]?.runId) };
}

export const KINDS: Readonly<Record<string, Kind>> = {
  'session pages': { open: openSessionPages, pages: SESSION_PAGES },
  'session pages without sessions': {
    open: openWithoutSessions,
    pages: { 'the list of sessions': '/sessions', 'the totals': '/totals' },
  },
  'session pages before the sign-in': {
    open: async () => {
      const site = await openWithoutSessions();
      return { ...site, link: site.address('/') };
    },
    pages: { 'the list of sessions': '/sessions' },
  },
  'session pages with a sign-in, before it': {
    open: () => openWithSignIn(false),
    pages: {
      'a session': '/sessions/hidden',
      'a sign-in that did not work': '/sign-in/callback',
    },
  },
  'session pages after the sign-in': {
    open: () => openWithSignIn(true),
    pages: {
      'the account': '/account',
      'a session of a repository that the person cannot read': '/sessions/hidden',
    },
  },
  'the pages of setup': SETUP_PAGES,
  'the local GitHub': { open: openLocalGitHub, pages: GITHUB_PAGES },
};
