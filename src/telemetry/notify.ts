// News of problems, for the operator's own address.
import type { ProblemNews } from '../contracts/problem.ts';

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
    });
    await response.body?.cancel();
    if (!response.ok) throw new Error(`it answered ${response.status}`);
  };

/** `id`: the same if it is sent again. */
const bodyOf = ({ cause, subject, text, since, over }: ProblemNews) => {
  const event = over === null ? 'begun' : 'over';
  return {
    id: [cause, subject, since.toISOString(), event].join(' '),
    event,
    cause,
    subject,
    text: over === null ? text : `Over: ${text}`,
    since: since.toISOString(),
    ...(over === null ? {} : { until: over.toISOString() }),
  };
};
