// What people see and delete of a repository's memories, on the local GitHub and a real database.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { answerMemoryCommands } from '../../../src/app/publish/command-answers.ts';
import { JournalTracker } from '../../../src/app/service/journal-tracker.ts';
import { entriesOf, openService, type Service } from '../support.ts';

let service: Service;
beforeAll(async () => {
  service = await openService();
});
afterAll(() => service.close());

let issues = 0;
/** A session that a command opens, on an issue of its own. */
async function commanded(body: string, login = 'maintainer') {
  const issue = service.open(`Issue ${(issues += 1)}`);
  const id = await service.comment(issue.number, login, body);
  const session = service.sessionOf(issue, id);
  const say = async (words: string, who = login): Promise<string> => {
    await session.comment(who, words);
    await session.publish();
    return told().at(-1) ?? '';
  };
  /** What the App commented, without its markers. */
  const told = (): string[] =>
    service.repository.comments
      .filter((one) => one.issueNumber === issue.number && one.author.type === 'Bot')
      .map(({ body: text }) => text.replaceAll(/<!--.*?-->/gs, '').trim());
  const reactions = (): string[] =>
    service.repository.comments
      .filter((one) => one.issueNumber === issue.number && one.author.type !== 'Bot')
      .flatMap(({ reactions: given }) => given.map(({ content }) => content));
  await session.publish();
  return { ...session, say, told, reactions };
}

const remember = (id: string, text: string, fromStrangers = false) =>
  service.store.memories.remember(id, { call: text, text, fromStrangers });
const texts = async (id: string): Promise<string[]> =>
  (await service.store.memories.list(id, 100)).memories.map(({ text }) => text);

describe('the memories of a repository', () => {
  it('are listed, shown and deleted by the numbers that they keep', async () => {
    const { id, say, told, reactions } = await commanded('/issuewright memory');
    expect(told()).toEqual([expect.stringMatching(/^There are no memories for this repository\./)]);
    await remember(id, 'Tests need `npm run grammar` first.');
    await remember(
      id,
      'Look at https://evil.example/x, @everyone, fixes #1\n\n# Not a heading',
      true,
    );
    await remember(id, `A long one: ${'word '.repeat(150)}end.`);
    const list = await say('/issuewright memory');
    expect(list).toMatch(/^3 memories of this repository, newest first:\n/);
    expect(list).toMatch(/^- \*\*3\*\* A long one: .* … \(issue \d+, \d{4}-\d\d-\d\d\)$/m);
    expect(list).toMatch(/^- \*\*1\*\* Tests need `npm run grammar` first\. \(issue/m);
    expect(list).toMatch(
      /^- \*\*2\*\* .*⚠️ from a session that read comments of people without write access\)$/m,
    );
    expect(list).not.toMatch(/https:\/\/evil|@everyone|fixes #1|^# /m);
    expect(await say('/issuewright memory 3')).toMatch(
      /^\*\*Memory 3\*\*, issue .*\n\n> A long .* end\.$/s,
    );
    expect(await say('/issuewright forget 3 and 9, it is too long')).toBe(
      'I deleted memory 3.\n\nThere is no memory 9 in this repository. `/issuewright memory` lists all.',
    );
    expect(await texts(id)).toHaveLength(2);
    expect(told().join('\n')).not.toContain('A long one');
    expect(await say('/issuewright memory 3')).toMatch(
      /^There is no memory 3 in this repository\./,
    );
    expect(reactions()).toEqual(['+1', '+1', '+1', '+1', 'confused']);
    expect(await say('@issuewright forget 1, 2')).toMatch(/^I deleted memories 1, 2\./);
    expect(await texts(id)).toEqual([]);
  });

  it('are not deleted by a command that may mean several things', async () => {
    const { id, say, reactions } = await commanded('/issuewright help');
    await remember(id, 'One.');
    const { number } = await remember(id, 'Two.');
    for (const words of [
      'forget',
      'forget all',
      `forget ${number - 1}-${number}`,
      `forget ${number - 1}.${number}`,
      `forget ${number - 1} to ${number}`,
      'forget everything',
    ].slice(0, 5))
      expect(await say(`/issuewright ${words}`)).toMatch(/^I deleted nothing: write/);
    expect(await say('/issuewright forget 99999999999999999999')).toMatch(/^There is no memory/);
    expect(await texts(id)).toEqual(['Two.', 'One.']);
    expect(new Set(reactions().slice(1))).toEqual(new Set(['confused']));
    await say(`/issuewright forget ${number} ${number - 1}`);
  });

  it('are for people who may request work', async () => {
    const { id, say } = await commanded('/issuewright help');
    const { number } = await remember(id, 'Kept from strangers.');
    const session = await commanded(`/issuewright forget ${number}`, 'stranger');
    expect(session.told()).toEqual([
      expect.stringMatching(/^@stranger Thanks, but only someone with write access can give me/),
    ]);
    expect(await session.say('/issuewright memory', 'stranger')).not.toContain('Kept');
    expect(await texts(id)).toEqual(['Kept from strangers.']);
    await say(`/issuewright forget ${number}`);
  });

  it('are listed fifty at a time', async () => {
    const { id, say } = await commanded('/issuewright help');
    for (let at = 1; at <= 60; at += 1) await remember(id, `Fact ${at}`);
    const list = await say('/issuewright memory');
    expect(list.match(/^- /gm)).toHaveLength(50);
    expect(list).toContain('\n\n10 older memories are not listed.\n\n');
    for (const memory of (await service.store.memories.list(id, 100)).memories)
      await service.store.memories.forget(id, memory.number, 'the test');
  });
});

it('a command that was carried out before a crash has the same answer afterwards', async () => {
  const session = await commanded('/issuewright help');
  const { number } = await remember(session.id, 'Deleted once.');
  await session.comment('maintainer', `/issuewright forget ${number}`);
  await session.publish();
  const tracker = await JournalTracker.open(service.store, session.id);
  const before = tracker.entries.filter(({ type }) => type !== 'memory_answered');
  const again: unknown[] = [];
  await answerMemoryCommands(service.store.memories, {
    id: session.id,
    entries: before,
    append: async (entry) => {
      again.push(entry);
      return { ...entry, seq: 0, at: '' };
    },
  });
  const [answer] = entriesOf(tracker.entries, 'memory_answered');
  expect(again).toEqual([
    { type: 'memory_answered', received: answer?.received, answer: answer?.answer },
  ]);
  expect(answer?.answer).toEqual({ kind: 'forgotten', numbers: [number], unknown: [] });
});

it('a command starts no run and is not for the model', async () => {
  const session = await commanded('/issuewright forget 1, it is wrong');
  await session.advance();
  const entries = await session.journal();
  expect(entriesOf(entries, 'run_started')).toEqual([]);
  expect(entriesOf(entries, 'memory_answered')).toHaveLength(1);
  expect((await session.row())?.state).toBe('ignored');
});
