// The model server of the bench, a process of its own: a prepared answer for each request, whose
// body it counts and does not read. Addresses: POST /FORM/TURNS/RUN/v1/chat/completions, and
// GET /runs/RUN for what was seen of a run.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { answersOf } from './answers.ts';
import { now } from './clock.ts';
import type { Form } from './task.ts';

/** Of one run, a value for each request. Times are milliseconds of the epoch. */
export interface Seen {
  /** When the whole request had come. */
  readonly arrivals: number[];
  /** When the whole answer was handed to the socket. */
  readonly ends: number[];
  /** The length of the request's body. */
  readonly bytes: number[];
}

const COMPLETIONS = /^\/(streamed|whole)\/(\d+)\/([^/]+)\/v1\/chat\/completions$/;
const TYPES = { streamed: 'text/event-stream', whole: 'application/json' } as const;

const runs = new Map<string, Seen>();
const prepared = new Map<string, readonly Buffer[]>();

function answersFor(form: Form, turns: number): readonly Buffer[] {
  const key = `${form} ${turns}`;
  const answers = prepared.get(key) ?? answersOf(turns, form);
  prepared.set(key, answers);
  return answers;
}

function seenOf(run: string): Seen {
  const seen = runs.get(run) ?? { arrivals: [], ends: [], bytes: [] };
  runs.set(run, seen);
  return seen;
}

function complete(
  form: Form,
  turns: number,
  seen: Seen,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const answers = answersFor(form, turns);
  let bytes = 0;
  request.on('data', (chunk: Buffer) => (bytes += chunk.length));
  request.on('end', () => {
    const answer = answers[seen.arrivals.length];
    seen.arrivals.push(now());
    seen.bytes.push(bytes);
    if (answer === undefined) {
      response.writeHead(400).end();
      return;
    }
    response.writeHead(200, { 'content-type': TYPES[form], 'content-length': answer.length });
    response.end(answer);
    seen.ends.push(now());
  });
}

const server = createServer((request, response) => {
  const [, form, turns, run] = COMPLETIONS.exec(request.url ?? '') ?? [];
  if (form === 'streamed' || form === 'whole') {
    complete(form, Number(turns), seenOf(run ?? ''), request, response);
    return;
  }
  const seen = runs.get((request.url ?? '').replace('/runs/', ''));
  response.writeHead(seen === undefined ? 404 : 200).end(JSON.stringify(seen));
});

// Ready before the clock: no run waits for its answers to be made.
for (const form of ['streamed', 'whole'] as const) {
  for (const turns of process.argv.slice(2)) answersFor(form, Number(turns));
}
server.listen(0, '127.0.0.1', () => process.send?.(server.address()));
process.once('disconnect', () => process.exit());
