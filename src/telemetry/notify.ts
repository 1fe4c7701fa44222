// News of problems, for the operator's own address.
import type { ProblemNews } from '../contracts/service.ts';
import { codeOf, messageOf } from '../lib/errors.ts';
import { withoutUndefined } from '../lib/without-undefined.ts';

const TIMEOUT_MS = 10_000;

/** Resolves once it was taken. Nothing is sent to where the address may redirect. */
export type Notify = (news: ProblemNews) => Promise<void>;

export const notifyAt =
  (url: string, hide: (text: string) => string): Notify =>
  async (news) => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'user-agent': 'issuewright' },
      body: hide(JSON.stringify(bodyOf(news))),
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    }).catch((error: unknown) => {
      throw withoutAddress(error);
    });
    await response.body?.cancel();
    if (!response.ok) throw new Error(`it answered ${response.status}`);
  };

/** Names the code of what is behind "fetch failed", whose own words have the address. */
function withoutAddress(error: unknown): Error {
  const hasCause = typeof error === 'object' && error !== null && 'cause' in error;
  const code = hasCause ? codeOf(error.cause) : undefined;
  return new Error(`${messageOf(error)}${code === undefined ? '' : `: ${code}`}`);
}

/** `id`: the same if it is sent again. */
const bodyOf = ({ cause, subject, text, since, over }: ProblemNews) => {
  const event = over === null ? 'begun' : 'over';
  return withoutUndefined({
    id: [cause, subject, since.toISOString(), event].join(' '),
    event,
    cause,
    subject,
    text: over === null ? text : `Over: ${text}`,
    since: since.toISOString(),
    until: over?.toISOString(),
  });
};
