// The plan of a resumed run in a repository with some settings.
import { planRun } from '../../../src/app/run/plan/plan.ts';
import type { Operator } from '../../../src/app/service/service.ts';
import type { Shells } from '../../../src/app/service/shells.ts';
import type { Adopted } from '../../../src/session/parts/session-thread.ts';
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

/** `settings`: the file of the repository. `owners`: that of its account. */
export function planWith(
  settings: string,
  owners?: string,
  shells?: Shells,
  adopted?: Partial<Adopted>,
): ReturnType<typeof planRun> {
  const journal = new Journal().start().run();
  const { entries } = journal;
  const thread = { ...journal.session.thread, adopted: adopted as Adopted | undefined };
  const session = { ...journal.session, thread };
  return planRun({
    tracker: { id: 'session', session, entries },
    github: {
      readFile: async () => settings,
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
