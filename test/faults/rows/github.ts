// Answers of GitHub that fail, are lost, or come late; and what its people do to a session meanwhile.
import type { Distortion } from '../../../packages/local-github/src/distortions.ts';
import type { Failure } from '../../../packages/local-github/src/github/faults.ts';
import type { PullRequest } from '../../../packages/local-github/src/github/state.ts';
import { SAMPLE } from '../../../packages/local-github/src/sample/index.ts';
import type { Row, Try } from '../fault.ts';
import { commitAsApp, openPullAsApp } from '../planted.ts';
import { PERMISSIONS } from '../../../src/github/access/permissions.ts';
import { PLAIN, REVIEWED, type Tale } from '../tales.ts';
import type { World } from '../world.ts';
import { readyAtLast } from './disk.ts';
import { atEntry, onRequest, onWrite, spread, untilHappened, type Arm } from './moments.ts';

/** What can happen to any write: each of one story. */
const everyWrite = (fault: string, how: Distortion): Row => ({
  fault: `GitHub: ${fault}`,
  least: 5,
  tries: (lengthOf) =>
    spread(lengthOf(REVIEWED).writes, lengthOf(REVIEWED).writes).map((nth) => ({
      name: `write ${nth}`,
      tale: REVIEWED,
      arm: onWrite(nth, how),
    })),
});

/** What any request may meet: a few of one story. */
const someRequests = (fault: string, count: number, armAt: (nth: number) => Arm): Row => ({
  fault: `GitHub: ${fault}`,
  tries: (lengthOf) =>
    spread(count, lengthOf(PLAIN).requests).map((nth) => ({
      name: `request ${nth}`,
      tale: PLAIN,
      arm: armAt(nth),
    })),
});

/** The request does not take effect. */
const denied =
  (failure: Omit<Failure, 'path' | 'after'>) =>
  (nth: number): Arm =>
  async (world) => {
    world.stage.github.faults.failNext({ ...failure, path: /./, after: nth - 1 });
    const { requests } = world.stage.github;
    return (over) =>
      untilHappened(world, over, () => requests.some(({ status }) => status === failure.status));
  };

const soon = (): string => String(Math.ceil(Date.now() / 1_000) + 2);
const SECONDARY = {
  message:
    'You have exceeded a secondary rate limit. Please wait a few minutes before you try again.',
};

const LIMITS: readonly Row[] = [
  someRequests(
    '403, secondary limit',
    5,
    denied({ status: 403, body: SECONDARY, headers: { 'retry-after': '1' }, times: 2 }),
  ),
  someRequests(
    '429',
    5,
    denied({ status: 429, body: SECONDARY, headers: { 'retry-after': '1' }, times: 2 }),
  ),
  someRequests('primary limit', 5, (nth) =>
    denied({
      status: 403,
      body: { message: 'API rate limit exceeded for installation ID 1.' },
      headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': soon() },
    })(nth),
  ),
  someRequests(
    '401 to a valid token',
    5,
    denied({ status: 401, body: { message: 'Bad credentials' } }),
  ),
];

/** Something happens to the session while a run works. */
const meanwhile = (
  fault: string,
  seqs: readonly number[],
  work: (world: World) => Promise<void> | void,
  more: Omit<Try, 'name' | 'tale' | 'arm'> = {},
): Row => ({
  fault: `GitHub: ${fault}`,
  tries: () =>
    seqs.map((seq) => ({
      ...more,
      name: `entry ${seq}`,
      tale: PLAIN,
      arm: atEntry(seq, async (world) => {
        await work(world);
      }),
    })),
});

const askOnly = async (world: World): Promise<void> => void world.ask(PLAIN.title);
/** The session ends in whatever way; another issue shows that the service works. */
const early = { play: askOnly, expected: null };
const ISSUE = 1;

const untilDenied = (world: World, since: number): Promise<unknown> =>
  world.until('GitHub to deny something', () =>
    world.stage.github.requests.slice(since).some(({ status }) => status === 401 || status === 403),
  );

const MEANWHILE: readonly Row[] = [
  meanwhile('all tokens expired', [3, 8, 14, 18], ({ stage }) => stage.github.expireTokens()),
  {
    fault: 'GitHub: suspended, and no more',
    tries: () =>
      [4, 10, 15].map((seq) => ({
        name: `entry ${seq}`,
        tale: PLAIN,
        arm: atEntry(seq, async (world, gate) => {
          const since = world.stage.github.requests.length;
          world.stage.github.installations.suspend(1);
          await gate.open();
          await untilDenied(world, since);
          world.stage.github.installations.unsuspend(1);
        }),
      })),
  },
  meanwhile('uninstalled', [4, 10, 15], ({ stage }) => stage.github.installations.uninstall(1), {
    ...early,
    isMuted: true,
  }),
  meanwhile(
    'issue deleted',
    [4, 10, 15],
    (world) => world.maintainer.deleteIssue(world.thread(ISSUE)),
    early,
  ),
  meanwhile(
    'issue transferred',
    [4, 10, 15],
    async (world) => {
      const other = await world.stage.github.createRepository({
        owner: SAMPLE.owner,
        name: 'elsewhere',
        files: { 'README.md': '# Elsewhere\n' },
        collaborators: { [SAMPLE.maintainer]: 'admin' },
      });
      world.maintainer.transfer(world.thread(ISSUE), other);
    },
    early,
  ),
  meanwhile(
    'issue locked',
    [4, 10, 15],
    (world) => world.maintainer.lock(world.thread(ISSUE)),
    early,
  ),
  meanwhile(
    'repository archived',
    [4, 10, 15],
    ({ maintainer, repository }) => maintainer.archive(repository),
    { ...early, isMuted: true },
  ),
];

/** Before this entry, the run ends without a call. */
const FIRST_CALL = 8;

/** What ends is asked again after a failure that people see. */
const LONGER: Tale = {
  ...PLAIN,
  scripts: PLAIN.scripts.map((script) => ({
    ...script,
    turns: [...script.turns, ...script.turns.slice(-1), ...script.turns.slice(-1)],
  })),
};

/** Tokens of before have it no more. It is given back once the work failed for it, or nobody can be told. */
const lost = (permission: keyof typeof PERMISSIONS): Row => ({
  fault: `GitHub: ${permission} lost, of tokens too`,
  tries: () =>
    [4, 10, 15].map((seq) => ({
      name: `entry ${seq}`,
      tale: LONGER,
      play: readyAtLast(LONGER),
      // What it could not commit then, it does at the end.
      ...(permission === 'contents' && seq > FIRST_CALL
        ? { expected: { ...PLAIN.expected, commits: ['It says “Bonjour” now.'] } }
        : {}),
      arm: atEntry(seq, async (world, gate) => {
        const { github } = world.stage;
        const since = github.requests.length;
        const { [permission]: _lost, ...left } = PERMISSIONS;
        github.installations.withdraw(1, left);
        await gate.open();
        await (permission === 'issues'
          ? untilDenied(world, since)
          : world.untilStatus(ISSUE, /failed/i));
        github.installations.acceptPermissions(1);
      }),
    })),
});

const LOST: readonly Row[] = [lost('contents'), lost('issues'), lost('pull_requests')];

const DAYS = 9;
/** All that the database has is older by so many days: nothing else knows how long the service was away. */
const AGE = `do $$ declare c record; begin
  for c in select table_name as t, column_name as n
      from information_schema.columns join information_schema.tables using (table_schema, table_name)
      where table_schema = 'issuewright' and table_type = 'BASE TABLE'
      and data_type like 'timestamp%' and is_generated = 'NEVER' loop
    execute format('update issuewright.%I set %I = %I - interval %L', c.t, c.n, c.n, '${DAYS} days');
  end loop; end $$`;

const DOWNTIME: Row = {
  fault: `service: down for ${DAYS} days, with RETENTION_DAYS=7`,
  tries: () =>
    [4, 10, 15].map((seq) => ({
      name: `entry ${seq}`,
      tale: PLAIN,
      database: 'server',
      environment: { RETENTION_DAYS: '7' },
      arm: atEntry(seq, async (world) => {
        const roles = await world.kill();
        await (await world.connect()).query(AGE);
        for (const role of roles) await world.start(role);
      }),
    })),
};

const BRANCH = 'issuewright/issue-1';
const OTHER = 'Other work';
const EARLIER = 'Work of an earlier life';

/**
 * The branch that the App would take for its first issue is there before, perhaps with a pull request. It works on them,
 * and keeps what is there.
 */
const branchThere = (
  name: string,
  message: string,
  prepare: (world: World) => Promise<PullRequest | void>,
): Try => ({
  name,
  tale: PLAIN,
  expected: { ...PLAIN.expected, commits: [...PLAIN.expected.commits, message] },
  arm: async () => async () => {},
  play: async (world) => {
    const { number } = world.maintainer.openIssue(world.repository, { title: PLAIN.title });
    const pull = await prepare(world);
    world.maintainer.label(world.thread(number), SAMPLE.label);
    await world.untilStatus(number, /ready for review/i);
    if (pull) await requireTaken(world, pull);
  },
});

/** The session has made this pull request its own. */
async function requireTaken(world: World, { number }: PullRequest): Promise<void> {
  const client = await world.connect();
  const { rows } = await client.query<{ pull_request: number | null }>(
    'select pull_request from issuewright.sessions',
  );
  const taken = rows.map((row) => row.pull_request);
  if (taken.length !== 1 || taken[0] !== number)
    throw new Error(`pull request ${number} was there, and sessions have ${taken.join(', ')}`);
}

const pushForeign = async (world: World): Promise<void> => {
  const files = { 'OTHER.md': 'Somebody else’s.\n' };
  await world.maintainer.push(world.repository, { branch: BRANCH, files, message: OTHER });
};

const pushOwn = async (world: World): Promise<void> => {
  const content = 'Of an earlier life.\n';
  await commitAsApp(world, { branch: BRANCH, message: EARLIER, content });
};

const openPull = ({ maintainer, repository }: World): Promise<PullRequest> =>
  maintainer.openPull(repository, {
    title: OTHER,
    body: 'By hand.',
    head: BRANCH,
    base: repository.defaultBranch,
  });

const THERE: Row = {
  fault: 'GitHub: branch or pull request there already',
  least: 4,
  tries: () => [
    branchThere('branch of a stranger', OTHER, pushForeign),
    branchThere('branch of ours', EARLIER, pushOwn),
    branchThere('pull request of a stranger', OTHER, async (world) => {
      await pushForeign(world);
      return openPull(world);
    }),
    branchThere('pull request of ours', EARLIER, async (world) => {
      // No journal knows of it, as after the database was lost.
      await pushOwn(world);
      return openPullAsApp(world, BRANCH);
    }),
  ],
};

export const GITHUB: readonly Row[] = [
  everyWrite('500 after it applied', {
    kind: 'replaced',
    status: 500,
    body: { message: 'Server Error' },
  }),
  everyWrite('connection reset after it applied', { kind: 'reset' }),
  everyWrite('2xx cut in the middle', { kind: 'cut' }),
  ...LIMITS,
  someRequests('any answer cut in its body', 8, (nth) => onRequest(nth, { kind: 'cut' })),
  someRequests('a page in place of any answer', 8, (nth) =>
    onRequest(nth, {
      kind: 'replaced',
      status: 200,
      body: '<!doctype html><title>Sign in</title>',
    }),
  ),
  someRequests('no answer (hang)', 4, (nth) => onRequest(nth, { kind: 'silent', forMs: 60_000 })),
  someRequests('slow drip, 5 s', 4, (nth) => onRequest(nth, { kind: 'dripping', overMs: 5_000 })),
  someRequests('slow drip, 60 s', 3, (nth) => onRequest(nth, { kind: 'dripping', overMs: 60_000 })),
  ...MEANWHILE,
  ...LOST,
  DOWNTIME,
  THERE,
];
