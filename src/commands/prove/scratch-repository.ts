// The repository in which a proof is made: what is in it, what may be written to it, and what is removed at the end.
import { SETTINGS_FILE } from '../../session/settings/index.ts';
import { issueBranch } from '../../session/github-names.ts';
import { STATUS_COMMENT } from '../../github/gate.ts';
import { TellPerson } from '../../lib/errors.ts';
import { PROOF_MODEL } from '../../models/providers/scripted.ts';
import { valueIn, type GitHubAnswer, type Asker } from './ask-github.ts';
import { PROOF_PREFIX } from './scenery.ts';
import { removeWaitingRules } from './beliefs/auto-merge.ts';

export interface ScratchRepository {
  readonly isPrivate: boolean;
  /**
   * `empty`: it has no commit. `own`: a proof made its first commit, so its default branch is the proof's. `other`: nothing
   * that exists may be changed.
   */
  readonly kind: 'empty' | 'own' | 'other';
  /** Names at its root that a new repository does not have. */
  readonly contents: readonly string[];
}

const MARK = '# Written by `issuewright prove`, for which this repository is a scratch.';

/** Of a repository whose default branch is the proof's own. */
const SETTINGS = `${MARK}
label: ${PROOF_PREFIX}
model: ${PROOF_MODEL}
review_model: ${PROOF_MODEL}
resolve_threads: own
review: off
`;

/** What GitHub offers to put into a new repository. */
const OF_NEW_REPOSITORY =
  /^(?:readme(?:\.\w+)?|licen[cs]e(?:\.\w+)?|\.gitignore|\.gitattributes)$/i;

/** @throws {TellPerson} if the person may not use it */
export async function lookAt(
  person: Asker,
  name: string,
  login: string,
): Promise<ScratchRepository> {
  const found = await person.rest('GET', '');
  if (found.status === 404)
    throw new TellPerson(
      `GitHub has no repository ${name}, or GITHUB_TOKEN cannot see it: a fine-grained token must list the repository. Correct the name or the token.`,
    );
  requireAnswer(found, 'looking at the repository');
  const { body } = found;
  if (valueIn(body, 'archived') === true)
    throw new TellPerson(`${name} is archived, so it cannot be used. Name another repository.`);
  if (valueIn(body, 'permissions', 'push') === false)
    throw new TellPerson(
      `@${login} may not write to ${name}. Use a repository of your own, or the token of someone who may.`,
    );
  const isPrivate = valueIn(body, 'private') === true;
  const head = await person.rest('GET', `git/ref/heads/${String(valueIn(body, 'default_branch'))}`);
  // GitHub answers 409 for a repository without any commit.
  if (head.status === 404 || head.status === 409) return { isPrivate, kind: 'empty', contents: [] };
  requireAnswer(head, 'looking at its default branch');
  const isOwn = (await readRepositoryFile(person, SETTINGS_FILE))?.startsWith(MARK) === true;
  const root = requireAnswer(await person.rest('GET', 'contents'), 'looking at its files').body;
  const names = Array.isArray(root) ? root.map((one) => String(valueIn(one, 'name'))) : [];
  const contents = names.filter((one) => !OF_NEW_REPOSITORY.test(one));
  return { isPrivate, kind: isOwn ? 'own' : 'other', contents };
}

/** Makes the first commit of an empty repository. @throws {TellPerson} */
export async function writeFirstCommit(person: Asker): Promise<void> {
  const content = Buffer.from(SETTINGS).toString('base64');
  const body = { message: 'Let issuewright prove use this repository', content };
  requireAnswer(
    await person.rest('PUT', `contents/${SETTINGS_FILE}`, { body }),
    'making the first commit, which needs the permission contents: write',
  );
}

/** Creates the label, unless it is there. @throws {TellPerson} */
export async function createLabel(person: Asker, name: string): Promise<void> {
  const answer = await person.rest('POST', 'labels', { body: { name } });
  if (answer.status === 422) return;
  requireAnswer(answer, `creating the label ${name}, which needs the permission issues: write`);
}

/** Opens the issue of the proof. @throws {TellPerson} */
export async function openIssue(person: Asker, id: string) {
  const path = `${PROOF_PREFIX}/${id}.txt`;
  const body = {
    title: `${PROOF_PREFIX} ${id}: a file of greetings`,
    body: `\`issuewright prove\` made this issue, and closes it soon. A script answers it, not a model.\n\nPlease write \`${path}\`, with two greetings.`,
  };
  const answer = requireAnswer(
    await person.rest('POST', 'issues', { body }),
    'opening an issue, which needs the permission issues: write and a repository that has issues',
  );
  const since = new Date(String(valueIn(answer.body, 'created_at')));
  return { path, number: Number(valueIn(answer.body, 'number')), since };
}

/** @throws {TellPerson} if GitHub denied it; `doing`: what was tried */
function requireAnswer(answer: GitHubAnswer, doing: string): GitHubAnswer {
  if (answer.status >= 200 && answer.status < 300) return answer;
  const said = answer.message === '' ? '' : `: ${answer.message}`;
  const how =
    answer.status === 0 ? `did not answer${said}` : `denied it with ${answer.status}${said}`;
  throw new TellPerson(
    `GitHub ${how} (${doing}). GITHUB_TOKEN needs contents, issues and pull requests: write on this repository.`,
  );
}

async function readRepositoryFile(person: Asker, path: string): Promise<string | undefined> {
  const { status, body } = await person.rest('GET', `contents/${path}`);
  const content = valueIn(body, 'content');
  if (status !== 200 || typeof content !== 'string') return undefined;
  return Buffer.from(content, 'base64').toString('utf8');
}

/** Names of all labels, so that those that come later can be removed. */
export async function labelsOf(person: Asker): Promise<readonly string[]> {
  return (await listed(person, 'labels?per_page=100')).map((one) => String(valueIn(one, 'name')));
}

export interface Removal {
  readonly kind: ScratchRepository['kind'];
  /** The label that starts work, and those that were there before; missing if no proof ran yet. */
  readonly label?: string;
  readonly keptLabels?: readonly string[];
}

/**
 * Removes what this proof and earlier ones left: closes issues and pull requests, which GitHub deletes for nobody, and deletes
 * branches, labels, files, rules and status comments. Resolves with what it could not remove.
 */
export async function removeAll(person: Asker, removal: Removal): Promise<readonly string[]> {
  const left: string[] = [];
  if (removal.kind !== 'other') left.push(...(await removeWaitingRules(person)));
  const tried = async (what: string, work: Promise<GitHubAnswer>): Promise<void> => {
    const { status, message } = await work;
    const isGone = (status > 0 && status < 300) || status === 404 || status === 422;
    if (!isGone) left.push(`${what} (${status} ${message})`);
  };
  const remove = (what: string, path: string, body?: unknown): Promise<void> =>
    tried(what, person.rest('DELETE', path, { body }));
  const close = (what: string, path: string): Promise<void> =>
    tried(what, person.rest('PATCH', path, { body: { state: 'closed' } }));

  const issues = await ownIssues(person);
  const sessions = new Set(issues.map(({ number }) => issueBranch(number)));
  const isOwn = (branch: string): boolean =>
    branch.startsWith(`${PROOF_PREFIX}/`) || sessions.has(branch);
  for (const pull of await listed(person, 'pulls?state=open&per_page=100')) {
    const number = String(valueIn(pull, 'number'));
    if (isOwn(String(valueIn(pull, 'head', 'ref'))))
      await close(`pull request #${number}`, `pulls/${number}`);
  }
  for (const { number, isOpen } of issues)
    if (isOpen) await close(`issue #${number}`, `issues/${number}`);
  // A new database that does not know their sessions would take them for work of another one.
  for (const { number } of issues)
    for (const comment of await listed(person, `issues/${number}/comments?per_page=100`))
      if (STATUS_COMMENT.test(String(valueIn(comment, 'body'))))
        await remove(
          `a comment on #${number}`,
          `issues/comments/${String(valueIn(comment, 'id'))}`,
        );
  for (const start of [`${PROOF_PREFIX}/`, 'issuewright/'])
    for (const ref of await listed(person, `git/matching-refs/heads/${start}`)) {
      const name = String(valueIn(ref, 'ref')).replace(/^refs\/heads\//, '');
      if (isOwn(name)) await remove(`branch ${name}`, `git/refs/heads/${name}`);
    }
  for (const name of await labelsOf(person))
    if (name.includes(PROOF_PREFIX) || isNewLabel(name, removal))
      await remove(`label ${name}`, `labels/${encodeURIComponent(name)}`);
  if (removal.kind === 'other') return left;
  for (const file of await listed(person, `contents/${PROOF_PREFIX}`)) {
    const path = String(valueIn(file, 'path'));
    await remove(path, `contents/${path}`, {
      message: `Remove ${path}`,
      sha: valueIn(file, 'sha'),
    });
  }
  return left;
}

/** Whether this proof, or the service in it, created a label. */
const isNewLabel = (name: string, { label, keptLabels }: Removal): boolean =>
  keptLabels?.includes(name) === false && (name === label || name.startsWith('issuewright:'));

/** The issues of proofs, by their titles. */
async function ownIssues(person: Asker) {
  return (await listed(person, 'issues?state=all&per_page=100')).flatMap((issue) => {
    const isOwn = String(valueIn(issue, 'title')).startsWith(`${PROOF_PREFIX} `);
    if (!isOwn || valueIn(issue, 'pull_request') !== undefined) return [];
    return [
      { number: Number(valueIn(issue, 'number')), isOpen: valueIn(issue, 'state') === 'open' },
    ];
  });
}

/** One page, of a hundred where GitHub has pages: more than proofs make. None if GitHub does not say. */
async function listed(person: Asker, path: string): Promise<readonly unknown[]> {
  const { body } = await person.rest('GET', path);
  return Array.isArray(body) ? body : [];
}
