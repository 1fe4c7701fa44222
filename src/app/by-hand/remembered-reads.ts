// What a run by hand reads of GitHub is remembered: if it is stopped, its work is saved at once, whatever GitHub's limits are.
import { WaitEnded } from '../../github/errors.ts';
import type { IssueState } from '../../github/issues.ts';
import { TryLater } from '../../lib/errors.ts';
import type { RunRepository } from '../run/scope.ts';

interface Remembering {
  readonly github: RunRepository;
  /** For saving the work of a stopped run. What was read is not asked for again, and nothing waits for GitHub. */
  readonly saving: RunRepository;
}

export function rememberReads(
  repositoryUntil: (until: AbortSignal) => RunRepository,
  signal: AbortSignal,
): Remembering {
  const github = repositoryUntil(signal);
  const ended = repositoryUntil(AbortSignal.abort());
  const files = remembered(github.readFile, ended.readFile);
  const owners = remembered(github.ownersFile, ended.ownersFile);
  const states = remembered(github.issueState, (number) =>
    ended.issueState(number).catch((error: unknown) => {
      // Only pull requests of this run are asked for: as far as it knows, they are open.
      if (error instanceof WaitEnded || error instanceof TryLater) return OPEN;
      throw error;
    }),
  );
  return {
    github: {
      ...github,
      readFile: files.read,
      ownersFile: owners.read,
      issueState: states.read,
    },
    saving: {
      ...ended,
      readFile: files.recall,
      ownersFile: owners.recall,
      issueState: states.recall,
    },
  };
}

const OPEN: IssueState = {
  isOpen: true,
  author: '',
  labels: [],
  assignees: [],
  comments: 0,
  text: {},
};

function remembered<K, T>(read: (key: K) => Promise<T>, ask: (key: K) => Promise<T>) {
  const known = new Map<K, { readonly answer: T }>();
  return {
    read: async (key: K): Promise<T> => {
      const answer = await read(key);
      known.set(key, { answer });
      return answer;
    },
    recall: async (key: K): Promise<T> => {
      const found = known.get(key);
      return found === undefined ? ask(key) : found.answer;
    },
  };
}
