// The whole service on a repository: how long a label takes to reach the model, and how fast webhooks are answered meanwhile.
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Issue, Repository } from '../../packages/local-github/src/github/state.ts';
import { git } from '../../packages/local-github/src/github/git/git.ts';
import { openStage, type Stage } from '../../packages/local-github/src/stage.ts';
import { Child } from '../child.ts';
import { editIn, hasOnlyEdit, scriptOf, type Edit } from './edit.ts';
import { MAX_BYTES, type EngineName } from './engines.ts';
import { addCommits, headOf } from './repository.ts';
import { untilPrepared } from './prepared.ts';
import type { Target } from './webhooks.ts';

const PERSON = 'octo-maintainer';
/** The most that a workspace may take, by its own limit, and some more. */
const PATIENCE_MS = 330_000;
const SETTLED_MS = 2_000;
/** A percentile of fewer is none. */
const LEAST_WEBHOOKS = 100;

export type Reached =
  | {
      /** Milliseconds from the label to the first request to the model. */
      readonly took: number;
      /** Whether the pull request has the change that the model made, and nothing else. */
      readonly isExact: boolean;
    }
  /** What people were told in place of that. */
  | { readonly told: string };

export interface ServiceFigures {
  readonly cold: Reached;
  readonly warm: Reached;
  /** Milliseconds; while the first workspace was made. */
  readonly webhooks: { readonly count: number; readonly p99: number | undefined };
}

/** @param directory has room for the data of the service @param of a bare repository */
export async function measureService(
  directory: string,
  engine: EngineName,
  of: string,
): Promise<ServiceFigures> {
  const edit = await editIn(of);
  const place = await mkdtemp(path.join(directory, `service-${engine}-`));
  // The service refuses a directory below /dev by its name, and /dev/shm is where disks cost nothing.
  const link = path.join('/var/tmp', path.basename(place));
  if (place.startsWith('/dev/')) await symlink(place, link);
  const stage = await openStage({
    directory: place.startsWith('/dev/') ? link : place,
    owner: 'example',
    people: [PERSON],
    scripts: [scriptOf(edit)],
    environment: {
      PATH: process.env['PATH'] ?? '',
      TMPDIR: place,
      GIT_ENGINE: engine,
      WORKSPACE_MAX_BYTES: String(MAX_BYTES),
      CACHE_MAX_BYTES: String(MAX_BYTES),
    },
  });
  try {
    return await play(stage, of, edit);
  } finally {
    await stage.close();
    await rm(link, { force: true });
    await rm(place, { recursive: true, force: true });
  }
}

async function play(stage: Stage, of: string, edit: Edit): Promise<ServiceFigures> {
  const small = await repositoryIn(stage, 'small', edit);
  const large = await repositoryIn(stage, 'large', edit);
  // It shows the objects of the other one without a copy of them.
  const information = path.join(large.git.directory, 'objects/info');
  await mkdir(information, { recursive: true });
  await writeFile(path.join(information, 'alternates'), `${of}/objects\n`);
  await git(large.git.directory, ['update-ref', 'refs/heads/main', await headOf(of)]);
  await stage.startService();
  await reach(stage, small, 'The first of the process', edit);
  const target = await webhookOf(stage, small);
  await pause(SETTLED_MS);
  const sender = new Child(new URL('webhooks.ts', import.meta.url));
  try {
    const answered = sender.said();
    sender.tell(target);
    const cold = await reach(stage, large, 'The first of the repository', edit);
    sender.tell('stop');
    const took = (await answered) as number[];
    await pause(SETTLED_MS);
    await untilPrepared(path.join(stage.environment['DATA_DIR'] ?? '', 'cache'));
    const fresh = await addCommits(of, 1000);
    await git(large.git.directory, ['update-ref', 'refs/heads/main', fresh]);
    const warm = await reach(stage, large, 'The second of the repository', edit);
    return { cold, warm, webhooks: { count: took.length, p99: p99Of(took) } };
  } finally {
    await sender.close();
  }
}

const repositoryIn = (stage: Stage, name: string, edit: Edit): Promise<Repository> =>
  stage.github.createRepository({
    owner: 'example',
    name,
    files: { 'README.md': '# Words\n', [edit.path]: edit.content.toString() },
    collaborators: { [PERSON]: 'admin' },
  });

/** Labels a new issue, and waits for its pull request. */
async function reach(
  stage: Stage,
  repository: Repository,
  title: string,
  edit: Edit,
): Promise<Reached> {
  const { github, model } = stage;
  const issue = github.as(PERSON).openIssue(repository, { title, body: '', labels: [] });
  await github.webhooksSent();
  const ready = repository.issues.filter(isReady).length;
  const asked = model.untilAsked(model.requests.length + 1).then(() => performance.now());
  const begun = performance.now();
  github.as(PERSON).label({ repository, number: issue.number }, 'issuewright');
  const wait = { what: 'the model or an explanation', timeoutMs: PATIENCE_MS };
  const told = await Promise.race([
    asked,
    github.waitFor(() => failureIn(repository, issue), wait),
  ]);
  if (typeof told === 'string') return { told };
  await github.waitFor(() => repository.issues.filter(isReady).length > ready, {
    what: 'the pull request',
    timeoutMs: PATIENCE_MS,
  });
  const pull = repository.issues.findLast(isReady);
  const { directory } = repository.git;
  return {
    took: told - begun,
    isExact: await hasOnlyEdit(directory, pull?.pull?.head ?? '', edit),
  };
}

const isReady = ({ pull }: Issue): boolean => pull?.draft === false;

/** What the status comment says of a session that failed. */
function failureIn({ comments }: Repository, { number }: Issue): string | undefined {
  const said = comments.find(
    ({ issueNumber, author, body }) =>
      issueNumber === number &&
      author.type === 'Bot' &&
      /too large|out of memory|took more/.test(body),
  );
  return said?.body;
}

/** The webhook of a comment on an issue that nobody wants anything of: most of those that an App gets. */
async function webhookOf(stage: Stage, repository: Repository): Promise<Target> {
  const person = stage.github.as(PERSON);
  const { number } = person.openIssue(repository, { title: 'A talk', body: '', labels: [] });
  person.comment({ repository, number }, 'I think so too.');
  await stage.github.webhooksSent();
  const sent = stage.github.deliveries.findLast(({ event }) => event === 'issue_comment');
  if (sent === undefined) throw new Error('the comment sent no webhook');
  const { comment } = sent.payload;
  if (typeof comment !== 'object' || comment === null) throw new Error('it has no comment');
  const url = `${stage.serviceUrl}/api/github/webhooks`;
  return { url, secret: stage.webhookSecret, payload: { ...sent.payload, comment } };
}

function p99Of(took: readonly number[]): number | undefined {
  if (took.length < LEAST_WEBHOOKS) return undefined;
  return took.toSorted((one, other) => one - other)[Math.floor(took.length * 0.99)];
}
