import { describe, expect, it } from '@jest/globals';
import type { ModelReply, ModelRequest } from '../../src/contracts/model.ts';
import { TellPerson, TryLater } from '../../src/lib/errors.ts';
import { retried } from '../../src/models/index.ts';
import { NotTheApi } from '../../src/models/wire/server-error.ts';

const POLICY = { attempts: 4, firstDelayMs: 500, longestDelayMs: 20_000 };
const REPLY = { text: 'Hello' } as ModelReply;
const request = (signal = new AbortController().signal) => ({ signal }) as ModelRequest;

/** A model that fails with each of `failures` in turn, and then answers; sleeps are written down. */
function trial(...failures: Error[]) {
  const sleeps: number[] = [];
  let asked = 0;
  const attempt = async () => {
    const failure = failures[asked++];
    if (failure !== undefined) throw failure;
    return REPLY;
  };
  const sleep = async (ms: number) => void sleeps.push(ms);
  const reply = retried(attempt, POLICY, { sleep, random: () => 0.5 });
  return { reply, sleeps, asked: () => asked };
}

const later = (retryAfterMs?: number) => new TryLater('busy', { retryAfterMs });

describe('the retry of a model', () => {
  it('waits twice as long each time', async () => {
    const { reply, sleeps } = trial(later(), later(), later());
    await expect(reply(request())).resolves.toBe(REPLY);
    expect(sleeps).toEqual([500, 1000, 2000]);
  });

  it('spreads its waits from half to one and a half', async () => {
    const sleeps: number[] = [];
    const chances = [0, 0.999];
    const waiting = {
      sleep: async (ms: number) => void sleeps.push(ms),
      random: () => chances.shift() ?? 0.5,
    };
    const failing = retried(() => Promise.reject(later()), { ...POLICY, attempts: 3 }, waiting);
    await expect(failing(request())).rejects.toBeInstanceOf(TryLater);
    expect(sleeps[0]).toBe(250);
    expect(sleeps[1]).toBeCloseTo(1499);
  });

  it('ends with the last failure', async () => {
    const last = later();
    const { reply, asked } = trial(later(), later(), later(), last);
    await expect(reply(request())).rejects.toBe(last);
    expect(asked()).toBe(4);
  });

  it('waits as long as the server asks for, and no shorter than it would by itself', async () => {
    const { reply, sleeps } = trial(later(7000), later(1));
    await reply(request());
    expect(sleeps).toEqual([7000, 1000]);
  });

  it('leaves a long wait to the caller', async () => {
    const { reply, sleeps } = trial(later(20_001));
    await expect(reply(request())).rejects.toMatchObject({ retryAfterMs: 20_001 });
    expect(sleeps).toEqual([]);
  });

  it('does not retry what waiting cannot fix', async () => {
    const { reply, asked } = trial(new TellPerson('no'));
    await expect(reply(request())).rejects.toBeInstanceOf(TellPerson);
    expect(asked()).toBe(1);
  });

  it('retries when a page came instead of a reply, and tells a person if it stays', async () => {
    const page = new NotTheApi('The model server did not return an API response.');
    await expect(trial(page, page).reply(request())).resolves.toBe(REPLY);
    const { reply, asked } = trial(page, page, page, page);
    await expect(reply(request())).rejects.toBe(page);
    expect(asked()).toBe(4);
  });

  it('stops waiting at once when it is aborted', async () => {
    const controller = new AbortController();
    const begun = Promise.withResolvers<void>();
    const reply = retried(
      async () => {
        begun.resolve();
        throw later();
      },
      { ...POLICY, firstDelayMs: 600_000, longestDelayMs: Infinity },
    );
    const asked = reply(request(controller.signal)).catch((error: unknown) => error);
    await begun.promise;
    controller.abort(new Error('told to stop'));
    await expect(asked).resolves.toMatchObject({ message: 'told to stop' });
  });
});
