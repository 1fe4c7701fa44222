import { createHash } from 'node:crypto';
import { TellPerson } from '../../../src/lib/errors.ts';
import { isWithin } from '../../../src/lib/glob.ts';
import { filesBelow } from '../files-below.ts';
import { hunksBetween } from '../../../src/lib/text/unified-diff.ts';
import type {
  CommitDone,
  CommitRequest,
  FileDiff,
  FoundChange,
  Git,
  WorkspaceChange,
} from '../../../src/contracts/git.ts';
import type { Files } from '../../../src/contracts/files.ts';

type FakeCommit = CommitDone & {
  readonly message: string;
  readonly at: Date;
  readonly diff: readonly FileDiff[];
};

export interface FakeGit extends Git {
  readonly commits: FakeCommit[];
  /** If set, pushes are denied with this message. */
  denial: string | undefined;
  /** It loses what a service that died loses: its position, not what it pushed. */
  standing(): () => void;
  /** Files that only commands made. */
  readonly made: Set<string>;
  /** Files that could not be changed. */
  readonly stored: string[];
}

/** Git over a directory, in memory: knows the files of the last commit by their content. */
export async function fakeGit(files: Files): Promise<FakeGit> {
  let base = await contentsOf(files);
  let parent = '';
  const commits: FakeCommit[] = [];
  const made = new Set<string>();
  const marked = (change: FoundChange): WorkspaceChange =>
    made.has(change.path) ? { ...change, madeByCommand: true } : change;
  const fake: FakeGit = {
    commits,
    made,
    stored: [],
    denial: undefined,
    standing: () => {
      const [baseNow, parentNow] = [base, parent];
      return () => ([base, parent] = [baseNow, parentNow]);
    },
    workflowChange: () => Promise.resolve(undefined),
    inLfs: () => Promise.resolve(fake.stored),
    recover: () => Promise.resolve(undefined),
    changes: async () => compare(base, await contentsOf(files)).map(marked),
    includeMade: (paths) => Promise.resolve(paths.forEach((path) => made.delete(path))),
    diff: async (path) => {
      const now = await contentsOf(files);
      return diffOf(compare(base, now), base, now).filter((file) => isWithin(file.path, path));
    },
    commit: async (request) => {
      const now = await contentsOf(files);
      const found = compare(base, now);
      const isTaken = ({ path }: FoundChange) =>
        (request.only?.includes(path) ?? true) && !made.has(path);
      const taken = found.filter(isTaken);
      if (taken.length === 0) return undefined;
      if (fake.denial !== undefined) throw new TellPerson(fake.denial);
      const left = found.filter((change) => !isTaken(change)).map(({ path }) => path);
      const next = withChanges(base, now, taken);
      const sha = shaOf(parent, next, request);
      const unnamed = left.filter((path) => made.has(path));
      const inLfs = fake.stored.length > 0 && { inLfs: fake.stored };
      const done = {
        sha,
        files: taken,
        left,
        ...(unnamed.length > 0 && { made: unnamed }),
        ...inLfs,
      };
      const diff = diffOf(taken, base, now);
      const { message, at } = request;
      if (!commits.some(({ sha }) => sha === done.sha))
        commits.push({ ...done, message, at, diff });
      base = next;
      parent = done.sha;
      return done;
    },
  };
  return fake;
}

type Contents = ReadonlyMap<string, string>;

async function contentsOf(files: Files): Promise<Contents> {
  const contents = new Map<string, string>();
  for (const path of await filesBelow(files))
    contents.set(path, Buffer.from(await files.read(path)).toString('base64'));
  return contents;
}

function compare(before: Contents, after: Contents): readonly FoundChange[] {
  return [...new Set([...before.keys(), ...after.keys()])]
    .filter((path) => before.get(path) !== after.get(path))
    .toSorted()
    .map((path) => {
      if (!after.has(path)) return { path, status: 'deleted' };
      return { path, status: before.has(path) ? 'modified' : 'added' };
    });
}

function withChanges(before: Contents, after: Contents, taken: readonly FoundChange[]): Contents {
  const next = new Map(before);
  for (const { path } of taken) {
    const content = after.get(path);
    if (content === undefined) next.delete(path);
    else next.set(path, content);
  }
  return next;
}

const textOf = (content: string | undefined): string =>
  Buffer.from(content ?? '', 'base64').toString();

const diffOf = (
  changes: readonly FoundChange[],
  before: Contents,
  after: Contents,
): readonly FileDiff[] =>
  changes.map(({ path, status }) => {
    const { text: hunks } = hunksBetween(textOf(before.get(path)), textOf(after.get(path)));
    return { path, status, hunks };
  });

function shaOf(parent: string, contents: Contents, { message, at }: CommitRequest): string {
  const text = JSON.stringify([parent, [...contents], message.trim(), at.getTime()]);
  return createHash('sha1').update(text).digest('hex');
}
