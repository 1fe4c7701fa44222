// A model server that fails, and a model that makes no sense.
import type { Distortion } from '../../../packages/local-github/src/distortions.ts';
import type { Row, Try } from '../fault.ts';
import { PLAIN, type Tale } from '../tales.ts';
import type { World } from '../world.ts';
import { call, say } from '../../e2e/turns.ts';
import { onReply } from './moments.ts';

const error = (status: number, message: string, headers = {}): Distortion => ({
  kind: 'replaced',
  status,
  body: { error: { message, type: 'server_error' } },
  headers,
});

/** At every reply of the plain story. */
const passing = (fault: string, how: Distortion, times = 1): Row => ({
  fault: `model: ${fault}`,
  tries: (lengthOf) =>
    Array.from({ length: lengthOf(PLAIN).replies }, (_none, at): Try => ({
      name: `reply ${at + 1}`,
      tale: PLAIN,
      arm: onReply(at + 1, how, times),
    })),
});

/** A request may begin a little before it is counted. */
const SLACK_MS = 5_000;

/** The shortest that can be set. */
const SILENCE_MINUTES = 1;

const SILENCE: Row = {
  fault: 'model: silence until the service gives up',
  tries: () => [
    {
      name: 'reply 2',
      tale: PLAIN,
      environment: { OPENAI_SILENCE_MINUTES: String(SILENCE_MINUTES) },
      patienceMs: 10 * SILENCE_MINUTES * 60_000,
      arm: async (world) => {
        const { model } = world.stage;
        await onReply(2, { kind: 'silent', forMs: 100 * SILENCE_MINUTES * 60_000 })(world);
        return async () => {
          await model.untilAsked(2);
          const begun = performance.now();
          await model.untilAsked(3);
          const ms = performance.now() - begun;
          if (ms < SILENCE_MINUTES * 60_000 - SLACK_MS)
            throw new Error(`the model was asked again after ${ms.toFixed(0)} ms of silence`);
        };
      },
    },
  ],
};

const untilFailed = async (world: World): Promise<void> => {
  const { number } = world.ask(PLAIN.title);
  await world.untilStatus(number, /failed|not finished/i);
};

const NOTHING_MADE = { commits: [], comments: ['status'], heard: [] };

/** The run ends, and the issue says why. */
const lasting = (fault: string, how: Distortion): Row => ({
  fault: `model: ${fault}, always`,
  tries: () => [
    {
      name: 'from reply 2 on',
      tale: PLAIN,
      arm: onReply(2, how, Infinity),
      play: untilFailed,
      expected: NOTHING_MADE,
    },
  ],
});

/** A script that comes to nothing. */
const senseless = (fault: string, turn: Tale['scripts'][number]['turns'][number]): Row => ({
  fault: `model: ${fault}`,
  tries: () => [
    {
      name: 'all replies',
      tale: { ...PLAIN, scripts: [{ turns: Array.from({ length: 60 }, () => turn) }] },
      arm: async () => async () => {},
      play: untilFailed,
      expected: NOTHING_MADE,
    },
  ],
});

const HTML = '<html><body>502 Bad Gateway</body></html>';
const malformed = (body: string, type: string): Distortion => ({
  kind: 'replaced',
  status: 200,
  body,
  headers: { 'content-type': type },
});

export const MODEL: readonly Row[] = [
  passing('429', error(429, 'Rate limit reached', { 'retry-after': '1' })),
  passing('500', error(500, 'The server had an error'), 2),
  passing('overloaded (503, 529)', error(529, 'Overloaded'), 2),
  passing('silence, then a closed connection', { kind: 'silent', forMs: 3_000 }),
  SILENCE,
  passing('timeout of a proxy (504)', error(504, 'Gateway Timeout')),
  passing('connection reset', { kind: 'reset' }),
  passing('reply cut in the middle', { kind: 'cut' }),
  passing('slow drip', { kind: 'dripping', overMs: 4_000 }),
  passing('a page of a proxy instead of a reply', malformed(HTML, 'text/html')),
  passing('malformed events', malformed('data: {"id": \n\ndata: [DONE]\n\n', 'text/event-stream')),
  passing('empty body', malformed('', 'text/event-stream')),
  lasting('a page of a proxy instead of a reply', malformed(HTML, 'text/html')),
  lasting('huge reply', { kind: 'huge', bytes: 80_000_000 }),
  senseless('empty replies', { raw: '' }),
  senseless('endless loop of one call', say(call('read_file', { path: 'README.md' }))),
];
