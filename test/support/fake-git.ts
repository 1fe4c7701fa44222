import { createHash } from 'node:crypto';
import { TellPerson } from '../../src/lib/errors.ts';
import type { CommitDone, CommitRequest, Files, Git } from '../../src/tools/ports.ts';

export interface FakeGit extends Git {
  readonly commits: (CommitDone & { readonly message: string })[];
  /** When set, pushes are refused with these words. */
  refusal: string | undefined;
}

/** Git over a directory, in memory: knows the files of the last commit by their content. */
export async function fakeGit(files: Files): Promise<FakeGit> {
  let base = await contentsOf(files);
  let parent = '';
  const commits: FakeGit['commits'] = [];
  const fake: FakeGit = {
    commits,
    refusal: undefined,
    commit: async (request) => {
      const now = await contentsOf(files);
      const changed = compare(base, now);
      if (changed.length === 0) return undefined;
      if (fake.refusal !== undefined) throw new TellPerson(fake.refusal);
      const done = { sha: shaOf(parent, now, request), files: changed };
      commits.push({ ...done, message: request.message });
      base = now;
      parent = done.sha;
      return done;
    },
  };
  return fake;
}

type Contents = ReadonlyMap<string, string>;

async function contentsOf(files: Files): Promise<Contents> {
  const contents = new Map<string, string>();
  for (const path of await files.find(''))
    contents.set(path, Buffer.from(await files.read(path)).toString('base64'));
  return contents;
}

function compare(before: Contents, after: Contents): CommitDone['files'] {
  return [...new Set([...before.keys(), ...after.keys()])]
    .filter((path) => before.get(path) !== after.get(path))
    .toSorted()
    .map((path) => {
      if (!after.has(path)) return { path, status: 'deleted' };
      return { path, status: before.has(path) ? 'modified' : 'added' };
    });
}

function shaOf(parent: string, contents: Contents, { message, at }: CommitRequest): string {
  const text = JSON.stringify([parent, [...contents], message.trim(), at.getTime()]);
  return createHash('sha1').update(text).digest('hex');
}
