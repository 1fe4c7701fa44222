// Sends the webhook of a comment again and again, each time as another one, and answers how long each took. A process of
// its own: the one that serves git is late itself.
import { createHmac, randomUUID } from 'node:crypto';
import http from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

export interface Target {
  readonly url: string;
  readonly secret: string;
  /** Of an `issue_comment`. */
  readonly payload: { readonly comment: object };
}

const REST_MS = 30;
/** Beside those of GitHub. */
const FIRST_ID = 10_000_000;

const agent = new http.Agent({ keepAlive: true });
const took: number[] = [];
let isOver = false;

function post({ url, secret, payload }: Target, id: number): Promise<number> {
  const comment = { ...payload.comment, id, node_id: `IC_bench_${id}` };
  const body = JSON.stringify({ ...payload, comment });
  const headers = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    'x-github-event': 'issue_comment',
    'x-github-delivery': randomUUID(),
    'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
  };
  return new Promise((resolve, reject) => {
    const request = http.request(url, { method: 'POST', headers, agent }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode ?? 0));
    });
    request.on('error', reject).end(body);
  });
}

async function send(target: Target): Promise<void> {
  for (let id = FIRST_ID; !isOver; id += 1) {
    const begun = performance.now();
    const status = await post(target, id);
    took.push(performance.now() - begun);
    if (status >= 300) throw new Error(`a webhook was answered with ${status}`);
    await pause(REST_MS);
  }
  process.send?.(took);
}

process.on('message', (target: Target | 'stop') => {
  if (target === 'stop') isOver = true;
  else void send(target);
});
