import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { OpenStore } from '../../src/store/open.ts';
import { isDatabaseAway, patientStore } from '../../src/store/patient-store.ts';
import { AppendFenced, ClaimLost, type Store } from '../../src/store/store.ts';
import { inputTaken, newSession, silent } from '../contract/store-world.ts';
import { openTestStore } from '../support/test-database.ts';

const away = (code: string): Error => Object.assign(new Error('it is away'), { code });

type Name = 'append' | 'settle' | 'session' | 'claim';

describe('a store for runs', () => {
  let store: OpenStore;
  beforeAll(async () => {
    store = await openTestStore();
  });
  afterAll(() => store.close());

  /** Its database goes away before or after it carries out the first call of this method. */
  function interrupted(name: Name, when: 'before' | 'after', error: Error): Store {
    let calls = 0;
    const method = async (...args: unknown[]): Promise<unknown> => {
      calls += 1;
      if (calls === 1 && when === 'before') throw error;
      const result: unknown = await Reflect.apply(store[name], store, args);
      if (calls === 1) throw error;
      return result;
    };
    return patientStore({ ...store, [name]: method }, { patienceMs: 10_000, log: silent });
  }

  it.each(['before', 'after'] as const)(
    'journals an entry once if the database goes away %s the append',
    async (when) => {
      const id = await newSession(store);
      const claim = await store.claim(id);
      const patient = interrupted('append', when, away('ECONNRESET'));
      const options = { claim, seen: 2, projection: { state: 'working' } };
      const [entry] = await patient.append(id, [inputTaken('Once.')], options);
      const journal = await store.journal(id);
      expect(journal).toHaveLength(3);
      expect(journal[2]).toEqual(entry);
    },
  );

  it('finds its entry among those that others wrote meanwhile', async () => {
    const id = await newSession(store);
    const claim = await store.claim(id);
    await store.append(id, [inputTaken('Of another.')]);
    const patient = interrupted('append', 'after', away('57P01'));
    const [entry] = await patient.append(id, [inputTaken('Mine.')], { claim, seen: 2 });
    expect(entry).toMatchObject({ seq: 4, text: 'Mine.' });
    expect(await store.journal(id)).toHaveLength(4);
  });

  it('appends with one statement, whatever others wrote meanwhile', async () => {
    const id = await newSession(store);
    const claim = await store.claim(id);
    await store.append(id, [inputTaken('Of another.')]);
    const calls: string[] = [];
    const counting: Store = {
      ...store,
      append: (...args) => {
        calls.push('append');
        return store.append(...args);
      },
      journal: (...args) => {
        calls.push('journal');
        return store.journal(...args);
      },
    };
    const patient = patientStore(counting, { patienceMs: 10_000, log: silent });
    const [entry] = await patient.append(id, [inputTaken('Mine.')], { claim, seen: 2 });
    expect(entry).toMatchObject({ seq: 4, text: 'Mine.' });
    expect(calls).toEqual(['append']);
  });

  it('journals all that a run appends at the same time', async () => {
    const id = await newSession(store);
    const claim = await store.claim(id);
    const patient = patientStore(store, { patienceMs: 10_000, log: silent });
    const texts = ['a', 'b', 'c'];
    const append = (text: string) => patient.append(id, [inputTaken(text)], { claim, seen: 2 });
    const written = (await Promise.all(texts.map(append))).flat();
    const inOrder = written.toSorted((one, other) => one.seq - other.seq);
    expect(written).toMatchObject(texts.map((text) => ({ text })));
    expect(await store.journal(id, 2)).toEqual(inOrder);
  });

  it('journals an entry once if the first attempt arrives after the second', async () => {
    const id = await newSession(store);
    const claim = await store.claim(id);
    let late = (): Promise<unknown> => Promise.resolve();
    const append: Store['append'] = (...args) => {
      late = () => store.append(...args);
      return Promise.reject(away('ETIMEDOUT'));
    };
    let calls = 0;
    const delayed: Store = {
      ...store,
      append: (...args) => (calls++ === 0 ? append(...args) : store.append(...args)),
    };
    const patient = patientStore(delayed, { patienceMs: 10_000, log: silent });
    const [entry] = await patient.append(id, [inputTaken('Once.')], { claim, seen: 2 });
    await expect(late()).rejects.toThrow(AppendFenced);
    expect(await store.journal(id, 2)).toEqual([entry]);
  });

  it('waits for a host whose name is unknown for a while, because it answered before', async () => {
    const id = await newSession(store);
    const patient = interrupted('session', 'before', away('ENOTFOUND'));
    expect(await patient.session(id)).toMatchObject({ id });
  });

  it('does not repeat an append without a claim, because nobody knows what it has seen', async () => {
    const id = await newSession(store);
    const patient = interrupted('append', 'after', away('ECONNRESET'));
    await expect(patient.append(id, [inputTaken('Once.')])).rejects.toThrow('away');
    expect(await store.journal(id)).toHaveLength(3);
  });

  it.each(['before', 'after'] as const)(
    'settles a session if the database goes away %s that',
    async (when) => {
      const id = await newSession(store);
      const claim = await store.claim(id);
      const patient = interrupted('settle', when, away('08006'));
      expect(await patient.settle(id, claim, 2, { state: 'done' })).toBe('settled');
      expect(await store.session(id)).toMatchObject({ state: 'done', claim: null });
    },
  );

  it('still hears that another process has the session', async () => {
    const id = await newSession(store);
    const claim = await store.claim(id);
    await store.claim(id);
    const patient = interrupted('settle', 'before', away('57P03'));
    await expect(patient.settle(id, claim, 2, {})).rejects.toThrow(ClaimLost);
  });

  it('waits for nothing else, and not for ever', async () => {
    const failing = interrupted('session', 'before', away('23505'));
    await expect(failing.session('none')).rejects.toThrow('away');
    const session = () => Promise.reject(away('ECONNREFUSED'));
    const impatient = patientStore({ ...store, session }, { patienceMs: 0, log: silent });
    await expect(impatient.session('none')).rejects.toThrow('away');
  });
});

it.each([
  [away('57P01'), true],
  [new Error('Connection terminated unexpectedly'), true],
  [new Error('timeout exceeded when trying to connect'), true],
  [new Error('Cannot open the database', { cause: away('ECONNREFUSED') }), true],
  [Object.assign(away('ENOENT'), { syscall: 'connect' }), true],
  [Object.assign(away('ENOENT'), { syscall: 'open' }), false],
  [away('28P01'), false],
  [away('ENOTFOUND'), false],
  [new Error('Connection is a word'), false],
])('whether the database is away for a while: %s', (error, isAway) => {
  expect(isDatabaseAway(error)).toBe(isAway);
});
