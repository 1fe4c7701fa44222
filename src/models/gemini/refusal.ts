import { z } from 'zod';
import type { Refusal } from '../wire/decision.ts';

/** What of a `google.rpc.Status` is looked at; any field may be missing, or of another type. */
const Status = z.object({
  message: z.string().catch(''),
  status: z.string().optional().catch(undefined),
  details: z
    .array(
      z.object({
        reason: z.string().optional().catch(undefined),
        /** Seconds: `34.07s`. */
        retryDelay: z.string().optional().catch(undefined),
        violations: z.array(z.object({ quotaId: z.string().catch('') })).catch([]),
      }),
    )
    .catch([]),
});

type Status = z.infer<typeof Status>;

/** An error of the client: it has the server's answer in its message, after some words of its own. */
export function refusalIn(error: { readonly status: number; readonly message: string }): Refusal {
  const { message, status, details } = statusIn(error.message);
  const reasons = details.map(({ reason }) => reason);
  const isSpent = details.some(isSpentForToday);
  return {
    // Gemini answers 400 for a key that it does not know.
    status: reasons.includes('API_KEY_INVALID') ? 401 : error.status,
    codes: [status, ...reasons, ...(isSpent ? ['insufficient_quota'] : [])],
    words: message,
    retryAfterMs: isSpent ? undefined : delayIn(details),
  };
}

function statusIn(text: string): Status {
  const nothing = { message: text, status: undefined, details: [] };
  try {
    const answer: unknown = JSON.parse(text.slice(Math.max(0, text.indexOf('{'))));
    return z.object({ error: Status }).parse(answer).error;
  } catch {
    return nothing;
  }
}

/** Every limit is called a quota; one for a day asks to wait for seconds all the same. */
const isSpentForToday = ({ violations }: Status['details'][number]): boolean =>
  violations.some(({ quotaId }) => quotaId.includes('PerDay'));

function delayIn(details: Status['details']): number | undefined {
  const [delay] = details.flatMap(({ retryDelay }) => retryDelay ?? []);
  const seconds = /^(\d+(\.\d+)?)s$/.exec(delay ?? '')?.[1];
  return seconds === undefined ? undefined : Number(seconds) * 1000;
}
