// One fault of the table, and a proof that the suite would find what is wrong. More: fault-suite.slow.ts
import { expect, it } from '@jest/globals';
import { attempt } from './attempt.ts';
import type { Try } from './fault.ts';
import { commentTwice, commitAsApp } from './planted.ts';
import { rowsNamed } from './rows/index.ts';
import { PLAIN } from './tales.ts';

const PLAIN_LENGTH = { entries: 21, requests: 41, writes: 19, replies: 5 };
const [kills] = rowsNamed(['kill -9 at every entry: plain']);
const killed = kills?.tries(() => PLAIN_LENGTH).find(({ name }) => name === 'entry 12');

/** Its strike breaks invariants itself. */
const planted: Try = {
  name: 'planted',
  tale: PLAIN,
  arm: async (world) => async () => {
    await world.untilStatus(1, /ready for review/i);
    commentTwice(world);
    const content = `key = ${world.secrets[0]}\n`;
    await commitAsApp(world, { branch: 'issuewright/issue-1-2', message: 'Keep it', content });
  },
};

it('a story whose service is killed ends as it should, and what is wrong in another one is found', async () => {
  const [afterKill, afterPlanting] = await Promise.all([attempt(killed!), attempt(planted)]);
  expect(afterKill).toMatchObject({ findings: [], happened: true });
  expect(afterPlanting.findings.map(({ kind }) => kind).toSorted()).toEqual([
    'duplicates',
    'duplicates',
    'secrets',
  ]);
});
