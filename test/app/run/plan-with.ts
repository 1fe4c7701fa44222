// The plan of a resumed run in a repository with some settings.
import { planRun } from '../../../src/app/run/plan/plan.ts';
import type { Operator } from '../../../src/app/service/service.ts';
import type { Shells } from '../../../src/app/service/shells.ts';
import type { EntryOf } from '../../../src/session/entry.ts';
import { DEVCONTAINER_FILE } from '../../../src/session/settings/environment.ts';
import type { AdoptedPullRequestInSession } from '../../../src/session/parts/session-thread.ts';
import { Journal } from '../../support/journal.ts';

const NO_LIMITS = { run: undefined, issue: undefined, repositoryDay: undefined };
const OPERATOR: Operator = {
  models: ['openai:example-model'],
  selfReview: false,
  reviewModel: undefined,
  areImagesSeen: false,
  protocol: 'auto',
  mode: 'agent',
  limits: { turns: 9, minutes: 9, outputTokens: 9, runTokens: undefined, dollars: NO_LIMITS },
  relief: { compaction: undefined, maxMessages: 9 },
  instructionFiles: [],
};

interface Around {
  /** Of the default branch. */
  readonly devcontainer?: string;
  readonly isReview?: true;
  readonly isSplit?: true;
  /** How the run was prepared before it was interrupted. */
  readonly prepared?: Partial<EntryOf<'run_prepared'>>;
  /** Receives how each file was asked for. */
  readonly onRead?: (...asked: readonly unknown[]) => void;
}

/** `settings`: the file of the repository. `owners`: that of its account. */
export function planWith(
  settings: string,
  owners?: string,
  shells?: Shells,
  adopted?: Partial<AdoptedPullRequestInSession>,
  { devcontainer, isReview, isSplit, prepared = {}, onRead = () => {} }: Around = {},
): ReturnType<typeof planRun> {
  const journal = new Journal().start().run();
  const entries = journal.entries.map((entry) =>
    entry.type === 'run_prepared' ? { ...entry, ...prepared } : entry,
  );
  const thread = {
    ...journal.session.thread,
    adopted: adopted as AdoptedPullRequestInSession | undefined,
  };
  const run = journal.session.run && {
    ...journal.session.run,
    ...(isReview === undefined ? {} : { reviews: 'all' as const }),
    splits: isSplit === true,
  };
  const session = { ...journal.session, thread, run };
  return planRun({
    tracker: { id: 'session', session, entries },
    github: {
      readFile: async (...asked) => {
        onRead(...asked);
        return asked[0] === DEVCONTAINER_FILE ? devcontainer : settings;
      },
      ownersFile: async () => owners,
      issueState: () => Promise.reject(new Error('not asked for')),
      pullRequest: () => Promise.reject(new Error('not asked for')),
      triggerOf: () => Promise.reject(new Error('not asked for')),
      permissionOf: () => Promise.reject(new Error('not asked for')),
      lacking: () => Promise.reject(new Error('not asked for')),
      gitUrl: 'https://github.example/example/greeter.git',
      gitToken: () => Promise.reject(new Error('not asked for')),
    },
    service: {
      operator: OPERATOR,
      allowedBots: [],
      openModel: () => Promise.reject(new Error('not asked for')),
      store: { changes: async () => [] },
      shells,
      servers: [],
      redact: (text) => text,
    },
    signal: new AbortController().signal,
  });
}
