import { describe, expect, it } from '@jest/globals';
import { reviewerFor } from '../../../../src/app/run/ports/reviewer.ts';
import type { Effect } from '../../../../src/contracts/effect.ts';
import type { FileDiff } from '../../../../src/contracts/git.ts';
import type { ModelRequest } from '../../../../src/contracts/model.ts';
import { TryLater } from '../../../../src/lib/errors.ts';
import { NO_USAGE } from '../../../../src/lib/no-usage.ts';
import type { NewEntry } from '../../../../src/session/entry.ts';
import * as stories from '../../../support/stories.ts';

type Parts = Parameters<typeof reviewerFor>[0];
type Plan = Parameters<typeof reviewerFor>[1];

const RAN = { command: 'npm test', exitCode: 0, ended: 'exited', durationMs: 1 } as const;
const GREEN: Effect = {
  type: 'tests',
  ...RAN,
  failed: 0,
  passed: 3,
  isPartial: false,
  onChanges: true,
};
const BY_COMMAND: Effect = { type: 'command', ...RAN, failed: 0, passed: 3 };
const NO_TESTS: Effect = { type: 'command', ...RAN };
const NO_RUNNER: Effect = {
  type: 'command',
  ...RAN,
  failed: null,
  passed: null,
  notRun: 'jest: not found',
};
const FOUND = '- no test was seen to run';

const LIMITS = {
  turns: 100,
  minutes: 600,
  outputTokens: 1_000,
  runTokens: undefined,
  dollars: { run: undefined, issue: undefined, serviceDay: 5 },
};

/** A change that is reviewed, and reviewed again, by a model that says these things in turn. */
function reviewed(
  change: { readonly unpushed?: readonly FileDiff[]; readonly pushed?: readonly FileDiff[] },
  {
    says,
    guidance = '',
    spentToday = 0,
  }: { readonly says: readonly string[]; readonly guidance?: string; readonly spentToday?: number },
) {
  const journal = stories.working();
  if (change.pushed !== undefined) journal.effect(stories.COMMIT);
  const requests: ModelRequest[] = [];
  const replies = [...says];
  const model = {
    contextWindow: 100_000,
    reply: async (request: ModelRequest) => {
      requests.push(request);
      const text = replies.shift();
      if (text === undefined) throw new TryLater('The model server is down.');
      return { text, calls: [], stop: 'end', usage: NO_USAGE, cost: 0, native: null };
    },
  };
  const tracker = {
    id: 'one',
    get session() {
      return journal.session;
    },
    entries: journal.entries,
    append: async (entry: NewEntry) => void journal.add(entry),
  };
  const parts = {
    openModel: async () => model,
    redact: (text: string) => text,
    hide: (text: string) => ({ text }),
    secrets: { hide: async (text: string) => ({ text }) },
    store: { spent: async () => ({ serviceDay: { dollars: spentToday } }) },
    forge: { branchChange: async () => ({ files: change.pushed ?? [] }) },
    tracker,
  } as unknown as Parts;
  const plan = { reviewModel: 'test:model', limits: LIMITS, guidance } as unknown as Plan;
  const reviewer = reviewerFor(parts, plan);
  const review = async () => {
    const { unpushed = [] } = change;
    const { signal } = new AbortController();
    const answer = await reviewer.review({ unpushed, summary: 'Greets.', signal });
    if (answer !== undefined) journal.effect(answer.effect);
    return answer;
  };
  return { journal, requests, review };
}

const FILE: FileDiff = { path: 'a.js', status: 'modified', hunks: '@@ -1 +1 @@\n-a\n+b\n' };

describe.each([
  ['is not committed', { unpushed: [FILE] }],
  ['is pushed', { pushed: [FILE] }],
])('a change that %s, and was reviewed with a finding', (_, change) => {
  it.each([
    ['run_tests', GREEN],
    ['a command', BY_COMMAND],
  ])('is reviewed once more when %s ran tests since', async (__, effect) => {
    const { journal, requests, review } = reviewed(change, { says: [FOUND, 'nothing'] });
    expect((await review())?.heldBack).toContain('no test was seen to run');
    journal.effect(effect);
    expect(await review()).toMatchObject({ effect: { findings: [] }, heldBack: undefined });
    expect(JSON.stringify(requests[1]?.messages)).toContain('0 failed, 3 passed');
    expect(journal.session.work.selfReview?.findings).toEqual([]);
    await review();
    expect(requests).toHaveLength(2);
  });

  it('keeps the finding if it cannot be reviewed once more', async () => {
    const { journal, requests, review } = reviewed(change, { says: [FOUND] });
    await review();
    journal.effect(GREEN);
    expect(await review()).toMatchObject({
      effect: { findings: [{ text: 'no test was seen to run' }] },
      heldBack: undefined,
    });
    await review();
    expect(requests).toHaveLength(2);
  });

  it('is held back no second time', async () => {
    const { journal, review } = reviewed(change, { says: [FOUND, '- another fault'] });
    await review();
    journal.effect(GREEN);
    expect(await review()).toMatchObject({
      effect: { findings: [{ text: 'another fault' }] },
      heldBack: undefined,
    });
  });

  it.each([
    ['no tests', NO_TESTS],
    ['no runner', NO_RUNNER],
  ])('is not reviewed again when a command had %s', async (__, effect) => {
    const { journal, requests, review } = reviewed(change, { says: [FOUND] });
    await review();
    journal.effect(effect);
    await review();
    expect(requests).toHaveLength(1);
    expect(journal.session.work.selfReview?.findings).toHaveLength(1);
  });
});

it('a change in which nothing was found is not reviewed again when tests ran', async () => {
  const { journal, requests, review } = reviewed({ unpushed: [FILE] }, { says: ['nothing'] });
  await review();
  journal.effect(GREEN);
  await review();
  expect(requests).toHaveLength(1);
});

it('a change is not reviewed once a budget that sessions share is used up, and the pull request says so', async () => {
  const { requests, review } = reviewed({ pushed: [FILE] }, { says: ['nothing'], spentToday: 5 });
  expect((await review())?.effect).toMatchObject({
    failure: 'The limit of $5.00 per day for the whole service was reached.',
  });
  expect(requests).toEqual([]);
});

it('a reviewer reads the request under its own headings, and long instructions cut', async () => {
  const guidance = `First.\n${'word '.repeat(20_000)}\nLast.`;
  const { requests, review } = reviewed({ unpushed: [FILE] }, { says: ['nothing'], guidance });
  await review();
  const [{ text = '' } = {}] = (requests[0]?.messages ?? []) as readonly { text?: string }[];
  expect(text).toMatch(/^# Issue #7/);
  expect(text).toMatch(/# The instructions of the repository\n\n> First\..*left out.*Last\./s);
  expect(text.length).toBeLessThan(15_000);
});
