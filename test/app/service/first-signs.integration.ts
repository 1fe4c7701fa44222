// While many people wait to see that they were noticed, everything else waits for that.
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { FirstSigns } from '../../../src/app/service/first-signs.ts';
import { json } from '../../agent/support.ts';
import { entriesOf, openService, type Service } from '../support.ts';

const OTHERS = ['one', 'two', 'three', 'four'];

describe('a service in which many sessions wait for their first sign', () => {
  let service: Service;
  beforeAll(async () => {
    service = await openService();
  });
  afterAll(() => service.close());

  const hearOfMany = (): void => OTHERS.forEach((other) => service.signs.heard(other));
  const giveAll = (): void => OTHERS.forEach((other) => service.signs.given(other));

  /** A session that was heard of like the others. */
  async function started(title: string) {
    const session = await service.start(title);
    service.signs.heard(session.id);
    const issue = service.repository.issues.find((one) => one.title === title);
    return {
      ...session,
      hasEyes: () => issue?.reactions.some(({ content }) => content === 'eyes') === true,
      hasStatus: () =>
        service.repository.comments.some(({ issueNumber }) => issueNumber === issue?.number),
    };
  }

  it('shows 👀 at once, and the status after the signs of the others', async () => {
    const session = await started('Say hello');
    hearOfMany();
    await session.publish();
    expect([session.hasEyes(), session.hasStatus()]).toEqual([true, false]);
    const wait = ((await session.row())?.publishAt?.getTime() ?? 0) - Date.now();
    expect(wait).toBeLessThan(1_000);
    service.signs.given(session.id);
    await session.publish();
    expect(session.hasStatus()).toBe(true);
    expect((await session.row())?.publishAt).toBeNull();
    giveAll();
  });

  it('begins a run after them', async () => {
    const session = await started('Say more');
    hearOfMany();
    service.model.says(json(['finish', { summary: 'It does.', outcome: 'nothing_to_do' }]));
    const advanced = session.advance();
    await session.publish();
    service.signs.given(session.id);
    expect([session.hasEyes(), (await session.row())?.claim]).toEqual([true, null]);
    expect(service.model.requests).toHaveLength(0);
    giveAll();
    await advanced;
    expect(service.model.requests).toHaveLength(1);
  });

  it('begins a run after them also if they were heard of while it was admitted', async () => {
    const before = service.model.requests.length;
    const session = await started('Say it late');
    const asked = service.github.faults.hold({ method: 'GET', path: /\/permission$/ });
    service.model.says(json(['finish', { summary: 'It does.', outcome: 'nothing_to_do' }]));
    const advanced = session.advance();
    await asked.applied;
    hearOfMany();
    asked.release();
    await session.publish();
    service.signs.given(session.id);
    expect(session.hasEyes()).toBe(true);
    expect(entriesOf(await session.journal(), 'run_started')).toEqual([]);
    giveAll();
    await advanced;
    expect(service.model.requests).toHaveLength(before + 1);
  });

  it('tells people at once what they may not', async () => {
    const session = await started('Ask in a comment');
    await session.comment('stranger', '@issuewright please do it.');
    hearOfMany();
    await session.publish();
    expect(service.repository.comments.at(-1)?.body).toContain('@stranger');
    expect(session.hasStatus()).toBe(true);
    giveAll();
  });
});

describe('first signs', () => {
  afterEach(() => void jest.useRealTimers());

  const signal = new AbortController().signal;

  it('hold nothing up while there are few', async () => {
    const signs = new FirstSigns();
    OTHERS.slice(1).forEach((session) => signs.heard(session));
    await signs.untilFew(signal);
    expect(signs.comeBefore('two')).toBe(false);
  });

  it('hold nothing up once they are given', async () => {
    const signs = new FirstSigns();
    OTHERS.forEach((session) => signs.heard(session));
    const few = signs.untilFew(signal);
    expect(signs.comeBefore('one')).toBe(true);
    signs.given('three');
    await few;
  });

  it('hold nothing up for longer than three seconds, however many follow', async () => {
    jest.useFakeTimers();
    const signs = new FirstSigns();
    OTHERS.forEach((session) => signs.heard(session));
    const few = signs.untilFew(signal);
    await jest.advanceTimersByTimeAsync(2_000);
    OTHERS.forEach((session) => signs.heard(`${session} again`));
    await jest.advanceTimersByTimeAsync(1_001);
    await few;
    expect(signs.comeBefore('one')).toBe(false);
    expect(signs.comeBefore('one again')).toBe(true);
  });

  it('hold up nothing that is to end', async () => {
    const signs = new FirstSigns();
    OTHERS.forEach((session) => signs.heard(session));
    const ending = new AbortController();
    const few = signs.untilFew(ending.signal);
    ending.abort();
    await few;
  });
});
