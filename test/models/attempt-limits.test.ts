import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { TellPerson, TryLater } from '../../src/lib/errors.ts';
import type { Line } from '../../src/models/wire/attempt-limits.ts';
import { withinLimits } from '../../src/models/wire/attempt-limits.ts';
import { FixtureServer } from '../contract/fixture-server.ts';

const LIMITS = { totalMs: 60_000, silenceMs: 60_000, bytes: 1000, characters: 1000 };
const never = () => new AbortController().signal;
/** As SDKs do, which take an aborted stream for a whole one. */
const untilAborted = ({ signal }: Line) =>
  new Promise<string>((resolve) => signal.addEventListener('abort', () => resolve('whole')));

describe('an attempt', () => {
  it('gives what came of it', async () => {
    await expect(withinLimits(never(), async () => 'done', LIMITS)).resolves.toBe('done');
  });

  it('ends when the server is silent', async () => {
    const attempt = withinLimits(never(), untilAborted, { ...LIMITS, silenceMs: 5 });
    await expect(attempt).rejects.toThrow(/stopped responding/);
    await expect(attempt).rejects.toBeInstanceOf(TryLater);
  });

  it('ends when it takes too long, however much is heard', async () => {
    const talking = async (line: Line) => {
      const timer = setInterval(() => line.heard(0), 1);
      const outcome = await untilAborted(line);
      clearInterval(timer);
      return outcome;
    };
    const attempt = withinLimits(never(), talking, { ...LIMITS, totalMs: 40, silenceMs: 30 });
    await expect(attempt).rejects.toThrow(/too long to reply/);
  });

  it('ends with the reason of the caller', async () => {
    const controller = new AbortController();
    const attempt = withinLimits(controller.signal, untilAborted, LIMITS);
    controller.abort(new Error('told to stop'));
    await expect(attempt).rejects.toThrow('told to stop');
  });

  it('ends with that reason even if the SDK throws another', async () => {
    const controller = new AbortController();
    const failing = async (line: Line) => {
      await untilAborted(line);
      throw new Error('Request was aborted.');
    };
    const attempt = withinLimits(controller.signal, failing, LIMITS);
    controller.abort(new Error('told to stop'));
    await expect(attempt).rejects.toThrow('told to stop');
  });

  it('ends when a reply has no end', async () => {
    const talking = async (line: Line) => {
      for (;;) line.heard(100);
    };
    await expect(withinLimits(never(), talking, LIMITS)).rejects.toThrow(
      /more than 1000 characters without ending/,
    );
  });

  describe('over the line', () => {
    const server = new FixtureServer();
    beforeAll(() => server.start());
    beforeEach(() => server.reset());
    afterAll(() => server.stop());
    const answer = (bytes: number) =>
      server.willAnswer({ status: 500, headers: {}, body: 'x'.repeat(bytes) });
    const read = async ({ fetch, signal }: Line) => (await fetch(server.url, { signal })).text();

    it('reads an answer', async () => {
      answer(900);
      await expect(withinLimits(never(), read, LIMITS)).resolves.toHaveLength(900);
    });

    it('ends when an answer has no end, be it an error', async () => {
      answer(100_000);
      await expect(withinLimits(never(), read, LIMITS)).rejects.toBeInstanceOf(TellPerson);
    });
  });
});
