// Deliveries as GitHub signs them, from the examples that octokit collects; each means something new.
import { createHmac, randomInt, randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';

export const SECRET = 'the secret of the bench';
const OWNER = 'example';

/** `issues`: each labels an issue of its own. `comments`: on the issues of the origin, in turns. */
export type Kind = 'issues' | 'comments';

interface Examples {
  readonly name: string;
  readonly examples: readonly Record<string, unknown>[];
}

const required = createRequire(import.meta.url)('@octokit/webhooks-examples') as unknown;
const GROUPS = (required as { default?: Examples[] }).default ?? (required as Examples[]);

function exampleOf(event: string, action: string): Record<string, unknown> {
  const group = GROUPS.find(({ name }) => name === event);
  const found = group?.examples.find((one) => one['action'] === action);
  if (found === undefined) throw new Error(`there is no example of ${event}.${action}`);
  return found;
}

const asObject = (value: unknown): object =>
  typeof value === 'object' && value !== null ? value : {};

/** Where the deliveries come from. */
export interface Origin {
  readonly secret: string;
  readonly repository: { readonly id: number; readonly name?: string };
  /** That comments are on, in turns. */
  readonly issues: readonly [number, ...number[]];
}

/** The bytes of whole HTTP requests, one after the other. */
export class Deliveries {
  readonly #origin: Origin;
  readonly #repository: number;
  #next = 0;

  /** By default, from a repository that does not exist. */
  constructor(origin?: Origin) {
    this.#origin = origin ?? {
      secret: SECRET,
      repository: { id: randomInt(2 ** 40) },
      issues: [1],
    };
    this.#repository = this.#origin.repository.id;
  }

  /** The label that opens the session for `comments`. */
  opening(): Buffer {
    return this.#labelled(this.#origin.issues[0]);
  }

  next(kind: Kind): Buffer {
    this.#next += 1;
    return kind === 'issues' ? this.#labelled(1 + this.#next) : this.#commented(this.#next);
  }

  #labelled(number: number): Buffer {
    const example = exampleOf('issues', 'labeled');
    const node_id = `I_${this.#repository}_${number}`;
    const issue = { ...asObject(example['issue']), number, node_id, state: 'open' };
    return this.#request('issues', { ...example, issue, label: { name: 'issuewright' } });
  }

  #commented(id: number): Buffer {
    const example = exampleOf('issue_comment', 'created');
    const node_id = `IC_${this.#repository}_${id}`;
    const { issues } = this.#origin;
    const number = issues[id % issues.length] ?? issues[0];
    const issue = { ...asObject(example['issue']), number, state: 'open' };
    const comment = { ...asObject(example['comment']), id, node_id };
    return this.#request('issue_comment', { ...example, issue, comment });
  }

  #request(event: string, payload: object): Buffer {
    const { repository } = payload as { repository?: unknown };
    const own = { ...this.#origin.repository, owner: { login: OWNER } };
    const whole = {
      ...payload,
      repository: { ...asObject(repository), ...own },
      installation: { id: 1 },
    };
    const body = Buffer.from(JSON.stringify(whole));
    const signature = createHmac('sha256', this.#origin.secret).update(body).digest('hex');
    const head = [
      'POST /api/github/webhooks HTTP/1.1',
      'host: bench',
      'content-type: application/json',
      `content-length: ${body.length}`,
      `x-github-event: ${event}`,
      `x-github-delivery: ${randomUUID()}`,
      `x-hub-signature-256: sha256=${signature}`,
    ];
    return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), body]);
  }
}
