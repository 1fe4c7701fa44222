// How well memories are found by text alone. The first thirty questions were written before the search; nothing had to
// be tuned. Twenty in other words than the memories were written after it, and it was not changed since.
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { z } from 'zod';
import { fuse } from '../../../src/app/run/ports/memories.ts';
import type { OpenStore } from '../../../src/store/open.ts';
import { newSession } from '../../contract/store-world.ts';
import { openTestStore } from '../../support/test-database.ts';

const Question = z.tuple([z.string(), z.string()]);
const { memories, tuning, heldOut, otherWords } = z
  .object({
    memories: z.record(z.string(), z.string()),
    tuning: z.array(Question),
    heldOut: z.array(Question),
    otherWords: z.array(Question),
  })
  .parse(JSON.parse(readFileSync('test/store/memories/remembered.json', 'utf8')));

let store: OpenStore;
let session: string;
beforeAll(async () => {
  store = await openTestStore();
  session = await newSession(store);
  for (const [call, text] of Object.entries(memories))
    await store.memories.remember(session, { call, text, fromStrangers: false });
});
afterAll(() => store.close());

/** The questions whose memory is not among the first five. */
async function missed(questions: readonly z.infer<typeof Question>[]): Promise<string[]> {
  const lost: string[] = [];
  for (const [question, key] of questions) {
    const { byWords, byTrigrams } = await store.memories.rank(session, question);
    const found = await store.memories.recall(session, fuse(byWords, byTrigrams).slice(0, 5));
    if (!found.some(({ text }) => text === memories[key])) lost.push(question);
  }
  return lost;
}

it('there are 200 memories, and 30 questions from before the search', () => {
  expect(Object.keys(memories)).toHaveLength(200);
  expect([tuning.length, heldOut.length, otherWords.length]).toEqual([15, 15, 20]);
});

it.each([
  ['of tuning', tuning],
  ['held out', heldOut],
  ['in other words', otherWords],
])('nine of ten questions %s have their memory among the first five', async (_which, questions) => {
  const lost = await missed(questions);
  expect({ lost, isGood: lost.length <= questions.length / 10 }).toMatchObject({ isGood: true });
});

it.each([
  ['日本語のテストは先にデータベースを起動する', 'テスト'],
  ['测试需要先运行脚本', '运行'],
  ['การทดสอบต้องใช้ฐานข้อมูล', 'ฐานข้อมูล'],
])('%s: a word is found, though no blanks are around it', async (text, question) => {
  const own = await newSession(store);
  const { number } = await store.memories.remember(own, { call: '1', text, fromStrangers: false });
  expect(await store.memories.rank(own, question)).toMatchObject({ byWords: [number] });
});
