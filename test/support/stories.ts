// Realistic journals: one for each state of a session, and a whole story from label to merge.
import type { Effect, Finding, FinishOutcome } from '../../src/contracts/effect.ts';
import type { FailedCheck } from '../../src/contracts/checks.ts';
import type { State } from '../../src/session/state.ts';
import { inParts } from './in-parts.ts';
import { BOT, Journal, STRANGER } from './journal.ts';

const PLAN: Effect = {
  type: 'plan',
  items: [
    { id: '1', title: 'Read how the greeting is made', done: true },
    { id: '2', title: 'Use the name in `greet`', done: false },
    { id: '3', title: 'Cover it with a test', done: false },
  ],
};

export const COMMIT: Extract<Effect, { type: 'commit' }> = {
  type: 'commit',
  sha: '9fceb02d0ae598e95dc970b74767f19372d61af8',
  message: 'Greet people by name\n\nThe greeting had no name in it.',
  files: [
    { path: 'src/greet.ts', status: 'modified' },
    { path: 'test/greet.test.ts', status: 'added' },
  ],
};

export const pullRequestSaying = (said: string): Effect => ({
  type: 'pull_request',
  number: 12,
  url: 'https://github.com/example/greeter/pull/12',
  title: 'Greet people by name',
  description: said,
});

export const PULL_REQUEST = pullRequestSaying(
  'The greeting uses the name now.\n\n- `greet` takes a name\n- without one it says "world"',
);

export const finishAs = (outcome: FinishOutcome, summary: string): Effect => ({
  type: 'finish',
  outcome,
  summary,
});

export const LIMITS = { turns: 50, minutes: 60, tokens: 2_000_000, dollars: 2, issueDollars: 10 };

export const working = (): Journal => new Journal().start().run().effect(PLAN);

export const asked = (): Journal =>
  working()
    .effect({ type: 'question', text: 'What should it say when there is no name?' }, 'asked')
    .end({ kind: 'asked' });

export const submitted = (): Journal =>
  working()
    .effect(COMMIT)
    .effect(PULL_REQUEST)
    .effect(finishAs('done', 'The greeting uses the name now.'), 'finished')
    .end({ kind: 'finished' });

/** Its checks were read, and one failed: of the head, unless another commit is given. */
export const withFailingChecks = (
  journal: Journal,
  { excuse, sha, rounds = 3 }: { excuse?: 'base'; sha?: string; rounds?: number } = {},
): Journal =>
  journal.add({
    type: 'checks_read',
    sha: sha ?? journal.session.work.head ?? '',
    result: {
      kind: 'failed',
      failures: [{ ...FAILURE, ...(excuse === undefined ? {} : { excuse }) }],
      more: 0,
      next: { do: 'ask' },
      rounds,
    },
  });

const FAILURE: FailedCheck = {
  source: 'check',
  name: 'test',
  conclusion: 'failure',
  url: null,
  summary: '',
  annotations: [],
  log: '',
  fingerprint: 'a',
};

/** What a review of the change found, or why there was none. */
export const selfReviewed = (findings: readonly Finding[], failure?: string): Effect => ({
  type: 'self_reviewed',
  change: 'a1b2',
  findings,
  ...(failure === undefined ? {} : { failure }),
  usage: { input: 900, cached: 0, written: 0, output: 40, reasoning: 0 },
  cost: 0.004,
  durationMs: 2300,
});

export const nothingToDo = (): Journal =>
  working()
    .effect(finishAs('nothing_to_do', 'The greeting has the name already.\n\nSee `greet`.'))
    .end({ kind: 'finished' });

export const cannot = (): Journal =>
  working()
    .effect(finishAs('cannot', 'The names are in a service that the code cannot reach.'))
    .end({ kind: 'finished' });

export const failed = (words = 'The push was denied: protected branch.'): Journal =>
  working().effect(COMMIT).end({ kind: 'failed', reason: words });

export const limited = (): Journal =>
  working().end({
    kind: 'limit',
    reason: 'The limit of 50 model replies per run was reached.',
  });

/** The pull request is open, and a further run reached a limit. */
export const limitedInReview = (conflictsWith?: string): Journal => {
  const reason = 'The limit of $0.18 per issue was reached.';
  const more = conflictsWith === undefined ? {} : { conflictsWith };
  const end = { kind: 'limit', reason, isOfIssue: true, ...more } as const;
  return submitted().command('retry').run().end(end);
};

/** A limit was reached with work at hand that nothing had committed yet. */
export const limitedWithWork = (): Journal =>
  working()
    .notice('wrap-up:1', '(80 % of the limit of 50 model replies per run is used. Wrap up now.)')
    .workKept(COMMIT)
    .end({
      kind: 'limit',
      reason: 'The limit of $2.00 per run was reached.',
    });

/** Deferred until the next day, because the limit of a day was reached. */
export const deferred = (): Journal =>
  working().add({
    type: 'run_deferred',
    run: 1,
    reason: 'The limit of $5.00 per day for this repository was reached.',
    until: '2030-01-16T00:00:00.000Z',
  });

export const ANSWER = [
  'The greeting is made in `greet`:',
  '',
  '```ts',
  'export const greet = <T>(name: T) => `Hello, ${name}!`;',
  '```',
  '',
  'Call it with a **name**.',
].join('\n');

/** A run without tools, answered with a text. */
export const answered = (): Journal =>
  new Journal()
    .start('How is the greeting made?', 'I do not find it.')
    .run({ mode: 'completion', protocol: 'none' })
    .answered(ANSWER);

const oneReply = (...effects: readonly Effect[]): Journal =>
  new Journal()
    .start()
    .run({ mode: 'single' })
    .turn({
      thought: 'I change the greeting.',
      calls: [{ tool: 'commit', title: 'Commit', result: { effects } }],
    })
    .end({ kind: 'finished' });

/** A run in mode `single`: one reply was carried out, and nothing was finished. */
export const onePlan = (): Journal => oneReply(COMMIT);
export const onePlanOfNothing = (): Journal => oneReply();

export const merged = (): Journal =>
  submitted().receive({ kind: 'pull_request_closed', pullRequest: 12, merged: true });

export const closed = (): Journal => working().receive({ kind: 'issue_closed', at: '' });

export const queued = (): Journal => new Journal().start();

export const ignored = (): Journal =>
  new Journal()
    .receive({ kind: 'start', label: 'issuewright', title: 'A wish', body: '' }, STRANGER)
    .reject('not_permitted');

const paused = (): Journal => working().command('pause');

/** Run after run that a bot asked for. */
const amongBots = (): Journal =>
  [1, 2, 3, 4].reduce((journal) => {
    const waits = journal.comment('@issuewright go on', BOT).admitAsking('work');
    return waits.session.requests.botOnlyRuns < 3
      ? waits.run().effect(finishAs('done', 'Done.'), 'finished').end({ kind: 'finished' })
      : waits;
  }, new Journal());

/** A plan that waits for approval. */
export const proposed = (): Journal =>
  new Journal()
    .start()
    .run({ planFirst: true })
    .effect({ ...PLAN, needsApproval: true }, 'asked')
    .end({ kind: 'asked' });

/** A journal for each state, by its name: none can be forgotten. */
export const IN_EACH_STATE: Readonly<Record<State, () => Journal>> = {
  ignored,
  queued,
  working,
  'waiting(answer)': asked,
  'waiting(approval)': proposed,
  'waiting(review)': submitted,
  'waiting(pause)': paused,
  'waiting(person)': amongBots,
  'waiting(sub-issues)': inParts,
  done: merged,
  failed,
  stopped: closed,
};

const read = (path: string, output: string) => ({
  tool: 'read_file',
  arguments: { path },
  title: `Read ${path}`,
  result: { output },
});

const GREET = 'export function greet(): string {\n  return "Hello, world!";\n}\n';

function untilTheQuestion(): Journal {
  return new Journal()
    .start(
      'Greet people by name',
      'Our greeting is `Hello, world!` for everybody. It should use the name of whoever is greeted.',
    )
    .add({
      type: 'published',
      key: 'status',
      id: 4001,
      url: 'https://github.com/example/greeter/issues/7#issuecomment-4001',
    })
    .run({ limits: LIMITS })
    .turn({
      thought: 'I look at the code first, then I decide how the name gets in.',
      calls: [
        {
          tool: 'list_directory',
          arguments: { path: '.' },
          title: 'List .',
          result: { output: 'README.md\npackage.json\nsrc/\n  greet.ts\ntest/\n  greet.test.ts' },
        },
        read('src/greet.ts', GREET),
        {
          tool: 'read_file',
          arguments: { path: 'src/name.ts' },
          title: 'Read src/name.ts',
          result: { ok: false, output: 'There is no file "src/name.ts". Near it: src/greet.ts' },
        },
      ],
    })
    .turn({ thought: '', text: 'Sure! Let me do that.', fault: 'the reply is not a JSON object' })
    .turn({
      thought: 'The issue leaves open what happens without a name. That is for a person to say.',
      calls: [
        {
          tool: 'update_plan',
          arguments: { items: PLAN.type === 'plan' ? PLAN.items : [] },
          title: 'Plan: 1 of 3 done',
          result: { output: 'The plan has 3 items now.', effects: [PLAN] },
        },
        {
          tool: 'ask_question',
          arguments: { question: 'What should it say when there is no name?' },
          title: 'Ask a question',
          result: {
            output: 'Asked. The answer comes as a message.',
            effects: [{ type: 'question', text: 'What should it say when there is no name?' }],
            halt: 'asked',
          },
        },
      ],
    })
    .end({ kind: 'asked' });
}

const DONE_PLAN: Effect = {
  type: 'plan',
  items: PLAN.type === 'plan' ? PLAN.items.map((item) => ({ ...item, done: true })) : [],
};

function untilTheReview(): Journal {
  return untilTheQuestion()
    .comment('Can it also send me an e-mail?', STRANGER)
    .reject('not_permitted')
    .wait(95)
    .comment('Then it should say “Hello, world!”, as it does now.')
    .admit()
    .run({ limits: LIMITS })
    .turn({
      thought: 'Clear. I change `greet` and keep the old words for a missing name.',
      calls: [
        {
          tool: 'edit_file',
          arguments: {
            path: 'src/greet.ts',
            edits: [
              { old_text: 'greet(): string', new_text: 'greet(name = "world"): string' },
              { old_text: '"Hello, world!"', new_text: '`Hello, ${name}!`' },
            ],
          },
          title: 'Edit src/greet.ts',
          result: { output: 'Edited "src/greet.ts": 2 replacements, at lines 1, 2.' },
        },
        {
          tool: 'commit',
          arguments: { message: 'Greet people by name\n\nThe greeting had no name in it.' },
          title: 'Commit: Greet people by name',
          result: { output: 'Committed 9fceb02d0a with 2 files.', effects: [COMMIT] },
        },
      ],
    })
    .turn({
      thought: 'The work is done; people can look at it.',
      calls: [
        {
          tool: 'finish',
          arguments: { summary: 'Greet people by name' },
          title: 'Finish',
          result: {
            output: 'Finished.',
            effects: [DONE_PLAN, PULL_REQUEST, finishAs('done', 'The greeting uses the name now.')],
            halt: 'finished',
          },
        },
      ],
    })
    .end({ kind: 'finished' });
}

const DONE = 'The greeting has the `name` now.';

/** A long run with various events, and one that ends with a text. */
export function detours(): Journal {
  return new Journal()
    .start()
    .run({ protocol: 'native' })
    .turn({
      thought: 'I look at the code.',
      text: 'I look at the code.',
      native: { key: 'openai example-model', value: [{ type: 'reasoning', id: 'rs_1' }] },
      usage: { reasoning: 240 },
      calls: [
        { ...read('packages/web/greet.ts', GREET), id: 'call_1' },
        { tool: 'edit_file', id: 'call_2', fault: 'The arguments are no JSON object.' },
      ],
    })
    .notice('instructions:packages/web/AGENTS.md', `For the web.\n\n${'- Use tabs.\n'.repeat(40)}`)
    .protocolChanged('The model server does not support tools for this model.')
    .turn({ stop: 'cut', fault: 'the reply was cut: write it in smaller parts', cost: null })
    .turn({ native: { key: 'openai example-model', value: 'x'.repeat(30_000) } })
    .compacted('## Goal\nGreet people by name.')
    .compacted(null)
    .notice('wrap-up:1', '(82 % of the limit of 50 model replies per run is used.)')
    .workKept(COMMIT)
    .end({ kind: 'limit', reason: 'The limit of 50 model replies per run was reached.' })
    .start('Greet people by name, again')
    .run({ model: 'anthropic:example-model', destination: 'Anthropic (api.anthropic.com)' })
    .turn({
      answer: DONE,
      calls: [
        {
          tool: 'finish',
          arguments: { summary: DONE },
          title: 'Finish',
          result: { output: 'Finished.', effects: [finishAs('done', DONE)], halt: 'finished' },
        },
      ],
    })
    .end({ kind: 'finished' });
}

/** Label, question, answer, pull request, a requested change that is being worked in. */
export function wholeStory(): Journal {
  return untilTheReview()
    .wait(240)
    .review('Please trim the name first.')
    .admit([{ path: 'src/greet.ts', line: 2, body: 'A name of spaces greets nobody.' }])
    .run({ limits: LIMITS })
    .turn({
      thought: 'The reviewer is right: I trim the name and look for other places that take one.',
      calls: [read('src/greet.ts', GREET), { tool: 'grep_search', title: 'Search for "greet("' }],
    });
}
