import { z } from 'zod';
import type { AnswerStore } from '../../contracts/answers.ts';
import type { Redactor } from '../../lib/text/redact.ts';

const Entry = z.object({ name: z.string(), type: z.string() });
const File = z.object({ type: z.string(), size: z.number(), content: z.string() });

/**
 * The reads whose answers are shared, and what of them: what callers use. Everything else in an answer stays out of the
 * database, such as the addresses that GitHub signs for private repositories.
 */
const SHARED: ReadonlyMap<string, z.ZodType<object>> = new Map<string, z.ZodType<object>>([
  ['/repos/{owner}/{repo}/contents/{path}', z.union([z.array(Entry), File])],
  [
    '/repos/{owner}/{repo}/collaborators/{username}/permission',
    z.object({
      permission: z.string(),
      role_name: z.string().optional(),
      user: z.object({ id: z.number() }).nullish(),
    }),
  ],
]);

/** Characters of one answer. */
const MOST = 200_000;

interface Answer {
  readonly status: number;
  readonly headers: { readonly etag?: string | undefined };
  readonly data: unknown;
}

/**
 * What other processes know of the reads that sessions have in common. GitHub confirms an answer to the token that asks before it is
 * used, so it need not be fresh. It confirms none of another token, and so none of another process: this saves no request
 * (docs/decisions/0093-reads-that-many-need.md). Without the database, a process knows what it read itself.
 */
export class SharedAnswers {
  readonly #store: AnswerStore;
  readonly #redactor: Redactor;

  constructor(store: AnswerStore, redactor: Redactor) {
    this.#store = store;
    this.#redactor = redactor;
  }

  /** Never rejects. `route`: as octokit names it. */
  async find(installation: number, route: string, question: string) {
    if (!SHARED.has(route)) return undefined;
    const found = await this.#store.find(installation, question).catch(() => undefined);
    if (found === undefined) return undefined;
    const data = JSON.parse(found.answer) as unknown;
    return { status: 200, headers: { etag: found.etag }, data };
  }

  /** Never rejects. An answer that has a secret of ours in it is not kept. */
  async keep(
    installation: number,
    route: string,
    question: string,
    { status, headers, data }: Answer,
  ): Promise<void> {
    const { etag } = headers;
    const read = SHARED.get(route)?.safeParse(data);
    if (status !== 200 || etag === undefined || read?.data === undefined) return;
    const answer = JSON.stringify(read.data);
    if (answer.length > MOST || this.#hasSecret(`${answer} ${textIn(read.data)}`)) return;
    await this.#store.keep(installation, question, { etag, answer }).catch(() => {});
  }

  #hasSecret(text: string): boolean {
    return this.#redactor.redact(text) !== text;
  }
}

/** GitHub has the texts of files in Base64. */
const textIn = (data: object): string =>
  'content' in data ? Buffer.from(String(data.content), 'base64').toString('utf8') : '';
