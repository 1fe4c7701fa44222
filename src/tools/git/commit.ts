import { z } from 'zod';
import { defineTool, type Needs } from '../define-tool.ts';
import type { Effect, WithheldFiles } from '../../contracts/effect.ts';
import type { ToolResult } from '../../contracts/tool.ts';
import { brief, count } from '../arguments.ts';
import { shownPath } from '../../lib/text/invisible.ts';
import { withoutUndefined } from '../../lib/without-undefined.ts';
import { listChanges, changesAt, namedPaths, pathList, placeOf } from './changed-files.ts';
import type { CaughtUp, CommitDone, FileDiff, WorkspaceChange } from '../../contracts/git.ts';

const schema = z.object({
  message: z.string().trim().min(1).max(10_000).describe('A short first line, then why'),
  files: pathList().optional(),
});

export const commit = defineTool({
  name: 'commit',
  aliases: ['git_commit'],
  description: 'Commits all changed files, or only those in files.',
  arguments: schema,
  argumentAliases: { commit_message: 'message', paths: 'files' },
  safety: 'safe',
  waitsFor: 'edits',
  example: { message: 'Count long durations in days\n\nHours were hard to read.' },
  rendering: { arguments: { message: 'prose', files: 'path' }, output: 'plain' },
  title: ({ message }) => `Commit: ${brief(message.split('\n', 1)[0] ?? '')}`,
  run: async ({ message, files }, ports: Needs<'git' | 'work'>, { startedAt: at }) => {
    if (ports.work.heldCommits() !== undefined) {
      if (files !== undefined) await chooseChanges(ports, files);
      return held(ports, message);
    }
    const only = files === undefined ? ports.work.stagedPaths() : await chooseChanges(ports, files);
    const decided = files?.map(placeOf);
    const diffs = await ports.git.diff('');
    const done = await ports.git.commit({ message, at, only, ...withoutUndefined({ decided }) });
    if (done === undefined) return { output: await whyEmpty(ports) };
    return { output: describe(done, diffs), effects: [commitEffect(done, message)] };
  },
});

const NO_CHANGES = 'Nothing was committed: there are no changes since the last commit.';
const FOR_ROUND =
  'Noted. The changes of a round of review are pushed once: finish commits all of them, with this message.';
const FOR_PATCH =
  'Noted. Nothing can be pushed to a fork: finish makes one patch of all changes, for people to apply.';

/** In a round of review, and for a patch, everything is published when the agent finishes: keeps the message for that. */
export async function held(
  { git, work }: Needs<'git' | 'work'>,
  message: string,
): Promise<ToolResult> {
  const { taken, made } = split(await git.changes());
  if (taken.length === 0) return { output: [NO_CHANGES, ...madeRemark(made)].join(' ') };
  return {
    output: [work.goesTo() === 'patch' ? FOR_PATCH : FOR_ROUND, ...madeRemark(made)].join('\n'),
    effects: [{ type: 'commit_held', message }],
  };
}

/** Commits the staged paths, or everything if none are staged. */
export const commitChosen = (
  { git, work }: Needs<'git' | 'work'>,
  message: string,
  at: Date,
): Promise<CommitDone | undefined> => git.commit({ message, at, only: work.stagedPaths() });

/** The changes at these places, from now on also what only commands made there; `undefined`: all changes. */
async function chooseChanges(
  { git }: Needs<'git'>,
  paths: readonly string[],
): Promise<readonly string[] | undefined> {
  const all = paths.map(placeOf);
  // The root names no file in particular.
  const places = all.filter((place) => place !== '');
  const changes = places.length === 0 ? [] : await git.changes();
  const chosen = places.flatMap((place) => changesAt(changes, place).map(({ path }) => path));
  await git.includeMade(chosen);
  return all.length > places.length ? undefined : [...new Set(chosen)];
}

export const commitEffect = (
  { sha, files, left, merges, withheld = [], inLfs = [], message }: CommitDone,
  asked: string,
): Effect => ({
  type: 'commit',
  sha,
  message: message ?? asked,
  files,
  ...withoutUndefined({ merges }),
  ...(left.length === 0 ? {} : { partial: true }),
  ...(withheld.length === 0 ? {} : { withheld: shortened(withheld) }),
  ...(inLfs.length === 0 ? {} : { inLfs: shortened(inLfs) }),
});

const MAX_KEPT = 20;

const shortened = (paths: readonly string[]): WithheldFiles => ({
  paths: paths.slice(0, MAX_KEPT).map((path) => shownPath(path.slice(0, 300))),
  total: paths.length,
});

/** @param diffs what differed before the commit, for the number of changed lines */
export function describe(done: CommitDone, diffs: readonly FileDiff[] = []): string {
  const { sha, files, left, merges, withheld = [], unapproved = [], made = [], caughtUp } = done;
  const waiting = left.filter((path) => !unapproved.includes(path) && !made.includes(path));
  const what = merges === undefined ? '' : `, the merge of ${merges.slice(0, 10)},`;
  const head = `Committed ${sha.slice(0, 10)}${what} with ${count(files.length, 'file')}:`;
  return [
    head,
    ...listChanges(files, diffs),
    ...waitingRemark(waiting),
    ...madeRemark(made),
    ...(caughtUp === undefined ? [] : [caughtUpRemark(caughtUp)]),
    ...(unapproved.length === 0 ? [] : [UNAPPROVED]),
    ...lfsRemark(done.inLfs),
    ...withheldRemark(withheld),
  ].join('\n');
}

const waitingRemark = (paths: readonly string[]): string[] =>
  paths.length === 0
    ? []
    : [
        `${count(paths.length, 'changed file')} left out: a later commit or finish will include ${itOr(paths)}: ${namedPaths(paths)}.`,
      ];

const madeRemark = (paths: readonly string[]): string[] =>
  paths.length === 0
    ? []
    : [`${madeWords(paths)} To include ${itOr(paths)}, commit by name: files, or a directory.`];

/** What no commit takes until a person with Git LFS does it. */
export const lfsRemark = (paths: readonly string[] = []): string[] =>
  paths.length === 0
    ? []
    : [
        `No commit includes ${namedPaths(paths)}: Git LFS stores ${itOr(paths)}, and is not used here. People read in the pull request that ${paths.length === 1 ? 'this file' : 'these files'} could not be changed.`,
      ];

const itOr = (paths: readonly string[]): string => (paths.length === 1 ? 'it' : 'them');

/** What no commit has, as no call named it. */
const madeWords = (paths: readonly string[]): string =>
  `Left out, because only commands made ${itOr(paths)}: ${namedPaths(paths)}.`;

/** The same of what is left when the work ends. */
export async function madeAtTheEnd({ git }: Needs<'git'>): Promise<readonly string[]> {
  const { made } = split(await git.changes());
  return [...(made.length === 0 ? [] : [madeWords(made)]), ...lfsRemark(await git.inLfs())];
}

function split(changes: readonly WorkspaceChange[]) {
  const { made = [], taken = [] } = Object.groupBy(changes, ({ madeByCommand }) =>
    madeByCommand ? 'made' : 'taken',
  );
  return { made: made.map(({ path }) => path), taken };
}

/** GitHub takes workflow files only as another branch has them. */
const caughtUpRemark = ({ onto, isMoved, files }: CaughtUp): string =>
  isMoved
    ? `The base branch had moved on: this commit is on top of ${onto.slice(0, 10)}, which has ${count(files, 'other file')}. Read files again before you change them.`
    : `The base branch has other workflow files by now: the commit has them as they are in ${onto.slice(0, 10)}.`;

const UNAPPROVED =
  'Changes of workflow files are left out until an administrator approves them, who is asked when the work is finished.';

function withheldRemark(paths: readonly string[]): string[] {
  if (paths.length === 0) return [];
  return [
    `No commit includes links that lead out of the repository, other repositories in it, names that are not UTF-8, files that you may not write, what was uncovered and not written since, or pipes, sockets and devices: ${namedPaths(paths)}.`,
  ];
}

async function whyEmpty({ git }: Needs<'git'>): Promise<string> {
  const { taken: changes, made } = split(await git.changes());
  const inLfs = lfsRemark(await git.inLfs());
  if (changes.length === 0) return [NO_CHANGES, ...madeRemark(made), ...inLfs].join(' ');
  const waiting = (await git.workflowChange())?.files.length ?? 0;
  if (waiting >= changes.length) return `Nothing was committed. ${UNAPPROVED}`;
  const head =
    'Nothing was committed: the paths chosen for the next commit have no changes. Changed files:';
  return [head, ...listChanges(changes)].join('\n');
}
