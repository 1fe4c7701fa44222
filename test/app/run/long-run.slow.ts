import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { TryLater } from '../../../src/lib/errors.ts';
import { json } from '../../agent/support.ts';
import { entriesOf, openService, type Service } from '../support.ts';

const TURNS = 120;
const MINUTE = 60_000;
const LIMITS = {
  turns: 1_000,
  minutes: 600,
  outputTokens: 1_000,
  runTokens: undefined,
  dollars: { run: undefined, issue: undefined, repositoryDay: undefined },
};
const COMPACTION = { messages: 100, share: undefined, keepRecent: 60 };

let service: Service;
beforeAll(async () => {
  service = await openService();
});
afterAll(() => service.close());

it('a long run that was deferred continues with the request that it had ended with', async () => {
  const operator = { limits: LIMITS, relief: { compaction: COMPACTION, maxMessages: 1_000 } };
  const session = await service.start('Long');
  const { model } = service;
  let turn = 0;
  const next = async (): Promise<string> => {
    const isSummary = model.requests.at(-1)?.cacheKey.endsWith(':summary') === true;
    if (!isSummary) turn += 1;
    return isSummary ? 'Much was read.' : json(['read_file', { path: `file-${turn}.md` }]);
  };
  model.says(
    ...Array.from({ length: TURNS }, () => next),
    new TryLater('busy', { retryAfterMs: MINUTE }),
  );
  await session.advance(operator);
  const journal = await session.journal();
  expect(entriesOf(journal, 'compacted').length).toBeGreaterThan(1);
  expect(entriesOf(journal, 'run_deferred')).toHaveLength(1);
  const before = model.requests.at(-1)?.messages;

  service.letPass(2 * MINUTE);
  model.says(json(['finish', { summary: 'It does.', outcome: 'nothing_to_do' }]));
  await session.advance(operator);
  expect(entriesOf(await session.journal(), 'run_resumed')).toHaveLength(1);
  expect(model.requests.at(-1)?.messages).toEqual(before);
  expect((await session.row())?.state).toBe('done');
});
