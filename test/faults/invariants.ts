// What must hold after every fault. The only place that says so.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Client } from 'pg';
import type { Entry } from '../../src/session/entry.ts';
import { fold } from '../../src/session/fold/fold.ts';
import { headline } from '../../src/session/texts/headline.ts';
import { secretsIn } from './canaries.ts';
import { leftBehind } from './left-behind.ts';
import type { Expected } from './tales.ts';
import type { World } from './world.ts';

const run = promisify(execFile);

export const KINDS = ['duplicates', 'losses', 'unfinished', 'left behind', 'secrets'] as const;
type Kind = (typeof KINDS)[number];

/** One way in which an invariant is broken, as a sentence. */
export interface Finding {
  readonly kind: Kind;
  readonly words: string;
}

/** What the database says of a session. */
interface Told {
  readonly id: string;
  readonly issue: number;
  readonly last_seq: number;
  readonly published_seq: number;
  readonly entries: readonly Entry[];
}

/** Journals that are read together. */
const AT_ONCE = 50;
const MARKER = /<!-- issuewright:([\w.-]+):([\w.:-]+) -->/;
const found = (kind: Kind, all: readonly string[]): Finding[] =>
  all.map((words) => ({ kind, words }));

interface Wanted {
  /** Those for which nothing is left to do. Of others, only what is there twice counts. */
  readonly issues: readonly number[];
  /** What has to have come of each issue; `null`: only nothing twice, and nothing lost. */
  readonly expected: Expected | null;
  /** GitHub shows an earlier state, because the App cannot write there. */
  readonly isMuted: boolean;
}

/** Has one part of the journals in memory at a time, however many sessions there are. */
export async function inspect(world: World, wanted: Wanted): Promise<Finding[]> {
  const commits = await commitsOf(world);
  return [
    ...found('duplicates', duplicateBranches(commits)),
    ...found('duplicates', duplicatePulls(world)),
    ...found('duplicates', duplicateComments(world)),
    ...found('duplicates', duplicateCommits(commits)),
    ...(await inspectSessions(world, commits, wanted)),
    ...found('secrets', await secretsIn(world)),
  ];
}

async function inspectSessions(
  world: World,
  commits: ReadonlyMap<string, string[]>,
  { issues, expected, isMuted }: Wanted,
): Promise<Finding[]> {
  const wanted = new Set(issues);
  const there = new Set(world.repository.issues.map(({ number }) => number));
  const met = new Set<number>();
  const heard = new Set<string>();
  const findings: Finding[] = [];
  const look = async (issue: number, session: Told | undefined): Promise<void> => {
    if (!there.has(issue)) return;
    if (expected !== null) {
      const unwritten = await notWritten(world, { issue, expected, commits });
      const all = [...missing(world, { issue, expected, commits, session }), ...unwritten];
      findings.push(...found('losses', all));
    }
    if (!isMuted) findings.push(...found('unfinished', shownWrong(world, issue, session)));
  };
  for await (const session of sessionsOf(world)) {
    const { issue, entries } = session;
    const ids = entries.flatMap(commentIds);
    for (const id of ids) heard.add(id);
    findings.push(...found('duplicates', heardTwice(issue, ids)));
    if (wanted.has(issue)) findings.push(...found('losses', gapsIn(session)));
    if (met.has(issue)) findings.push(...found('duplicates', [`two sessions of issue ${issue}`]));
    else if (wanted.has(issue)) await look(issue, session);
    met.add(issue);
  }
  for (const issue of wanted) if (!met.has(issue)) await look(issue, undefined);
  return [...findings, ...found('losses', acknowledgedAndLost(world, heard))];
}

/** Stops the services, and looks for what they leave. */
export async function inspectAfterStop(world: World): Promise<Finding[]> {
  const codes = await world.stop();
  const wrong = codes.filter((code) => code !== 0).map((code) => `a service ended with ${code}`);
  return found('left behind', [...wrong, ...(await leftBehind(world))]);
}

export async function readSessions(world: World): Promise<Told[]> {
  const sessions: Told[] = [];
  for await (const session of sessionsOf(world)) sessions.push(session);
  return sessions;
}

type Row = Omit<Told, 'entries'>;

/** In the order of their ids. */
async function* sessionsOf(world: World): AsyncGenerator<Told> {
  const client = await world.connect();
  for (let after = ''; ;) {
    const { rows } = await client.query<Row>(
      `select id, issue, last_seq, published_seq from issuewright.sessions
       where id > $1 order by id limit ${AT_ONCE}`,
      [after],
    );
    const journals = await entriesOf(client, rows);
    yield* rows.map((row) => ({ ...row, entries: journals.get(row.id) ?? [] }));
    const last = rows.at(-1);
    if (last === undefined) return;
    after = last.id;
  }
}

async function entriesOf(client: Client, sessions: readonly Row[]): Promise<Map<string, Entry[]>> {
  const { rows } = await client.query<{
    session_id: string;
    seq: number;
    at: Date;
    type: string;
    body: string;
  }>(
    `select session_id, seq, at, type, body from issuewright.journal
     where session_id = any($1) order by session_id, seq`,
    [sessions.map(({ id }) => id)],
  );
  const entries = rows.map(({ session_id: session, body, at, ...row }) => ({
    session,
    entry: { ...JSON.parse(body), ...row, at: at.toISOString() } as Entry,
  }));
  const bySession = Map.groupBy(entries, ({ session }) => session);
  return new Map([...bySession].map(([id, all]) => [id, all.map(({ entry }) => entry)]));
}

/** The first lines of the commits of each branch that is not there from the beginning, by its name. */
async function commitsOf(world: World): Promise<ReadonlyMap<string, string[]>> {
  const { repository } = world;
  const git = async (...args: string[]) =>
    (await gitIn(world, ...args)).split('\n').filter((line) => line !== '');
  const names = await git('for-each-ref', '--format=%(refname:short)', 'refs/heads/issuewright');
  const root = await git('rev-list', '--max-parents=0', repository.defaultBranch);
  const commits = new Map<string, string[]>();
  for (const name of names)
    commits.set(name, await git('log', '--no-merges', '--format=%s', `${root[0]}..${name}`));
  return commits;
}

const gitIn = async ({ repository }: World, ...args: string[]): Promise<string> =>
  (await run('git', ['-C', repository.git.directory, ...args])).stdout;

/** Numbers of the branches of one issue: `issuewright/issue-7`, `issuewright/issue-7-2`. */
const issueOf = (branch: string): string => /issue-(\d+)/.exec(branch)?.[1] ?? branch;

const duplicateBranches = (commits: ReadonlyMap<string, string[]>): string[] =>
  repeated([...commits.keys()].map(issueOf)).map((issue) => `two branches for issue ${issue}`);

function duplicatePulls(world: World): string[] {
  return repeated(world.pulls().map(({ pull }) => issueOf(pull.head))).map(
    (issue) => `two pull requests for issue ${issue}`,
  );
}

/** A comment without a marker is the same as another if it has the same text. */
function duplicateComments({ repository }: World): string[] {
  const said = [
    ...repository.comments.map(({ issueNumber: at, ...one }) => ({ at, ...one })),
    ...repository.reviewComments.map(({ pullNumber: at, ...one }) => ({ at, ...one })),
  ].filter(({ author }) => author.type === 'Bot');
  const keys = said.map(({ at, body }) => `${MARKER.exec(body)?.[2] ?? body} on ${at}`);
  return repeated(keys).map((key) => `two comments: ${key}`);
}

const duplicateCommits = (commits: ReadonlyMap<string, string[]>): string[] =>
  [...commits].flatMap(([branch, subjects]) =>
    repeated(subjects).map((subject) => `two commits on ${branch}: ${subject}`),
  );

/** GitHub's answer to one thing that a person did is in the journal once. */
const heardTwice = (issue: number, ids: readonly string[]): string[] =>
  repeated(ids).map((id) => `heard twice on issue ${issue}: ${id}`);

function commentIds(entry: Entry): string[] {
  if (entry.type !== 'received') return [];
  const { intent } = entry;
  if (intent.kind === 'comment') return [`comment ${intent.commentId}`];
  return intent.kind === 'review' ? [`review ${intent.reviewId}`] : [];
}

function gapsIn({ id, last_seq: last, published_seq: published, entries }: Told): string[] {
  const whole = entries.length === last && entries.every(({ seq }, at) => seq === at + 1);
  return [
    ...(whole ? [] : [`the journal of ${id} has ${entries.length} entries, the last is ${last}`]),
    ...(published === last ? [] : [`published up to ${published} of ${last}`]),
  ];
}

/** What the service answered with a 2xx is in the journal. */
function acknowledgedAndLost({ stage }: World, heard: ReadonlySet<string>): string[] {
  return stage.github.deliveries
    .filter(({ status = 0 }) => status >= 200 && status < 300)
    .filter(({ event, action }) => event === 'issue_comment' && action === 'created')
    .filter(({ payload }) => senderOf(payload) === 'User')
    .map(({ payload }) => `comment ${(payload['comment'] as { id: number }).id}`)
    .filter((id) => !heard.has(id))
    .map((id) => `acknowledged, and not in a journal: ${id}`);
}

const senderOf = (payload: Record<string, unknown>): string =>
  (payload['sender'] as { type: string }).type;

interface Looked {
  readonly issue: number;
  readonly expected: Expected;
  readonly commits: ReadonlyMap<string, string[]>;
  readonly session: Told | undefined;
}

function missing(world: World, { issue, expected, commits, session }: Looked): string[] {
  const made = [...commits].flatMap(([name, all]) => (issueOf(name) === `${issue}` ? all : []));
  const keys = world.comments(issue).map(({ body }) => MARKER.exec(body)?.[2] ?? '');
  const journal = JSON.stringify(session?.entries ?? []);
  const own = world.pulls().some(({ pull }) => issueOf(pull.head) === `${issue}`);
  return [
    ...expected.commits.filter((one) => !made.includes(one)).map((one) => `the commit: ${one}`),
    ...expected.comments
      .filter((key) => !keys.some((one) => one.startsWith(key)))
      .map((key) => `the comment ${key} on issue ${issue}`),
    ...expected.heard
      .filter((words) => !journal.includes(JSON.stringify(words).slice(1, -1)))
      .map((words) => `what a person said: ${words.slice(0, 40)}`),
    ...(own || expected.commits.length === 0 ? [] : [`the pull request of issue ${issue}`]),
    ...(session !== undefined ? [] : [`the session of issue ${issue}`]),
  ];
}

/** The files of the branch contain what was to be written to them. */
async function notWritten(
  world: World,
  { issue, expected: { written = {} }, commits }: Omit<Looked, 'session'>,
): Promise<string[]> {
  const branch = [...commits.keys()].find((name) => issueOf(name) === `${issue}`);
  const contains = async ([file, words]: [string, string]): Promise<boolean> =>
    branch !== undefined && (await gitIn(world, 'show', `${branch}:${file}`)).includes(words);
  const all = Object.entries(written);
  const kept = await Promise.all(all.map(contains));
  return all.flatMap(([file, words], at) => (kept[at] ? [] : [`"${words}" in ${file}`]));
}

/** The status comment says what the journal says. */
function shownWrong(world: World, issue: number, session: Told | undefined): string[] {
  const status = world.comments(issue).find(({ body }) => MARKER.exec(body)?.[2] === 'status');
  if (session === undefined || status === undefined) return [];
  const { words } = headline(fold(session.entries));
  const [line = ''] = status.body.split('\n');
  return line.includes(words)
    ? []
    : [`issue ${issue} shows "${line}", and the session is "${words}"`];
}

/** Each that is there more than once, once. */
function repeated<T>(all: readonly T[]): T[] {
  const seen = new Set<T>();
  const again = new Set<T>();
  for (const one of all) (seen.has(one) ? again : seen).add(one);
  return [...again];
}
