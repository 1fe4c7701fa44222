import { z } from 'zod';
import type { ServerError } from '../wire/server-error.ts';

/** The fields of a `google.rpc.Status` that are used. Any may be missing or of another type. */
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

/** Reads an error of the client. Its message ends with the server's answer as JSON. */
export function serverErrorIn(error: {
  readonly status: number;
  readonly message: string;
}): ServerError {
  const { message, status, details } = statusIn(error.message);
  const reasons = details.map(({ reason }) => reason);
  const isSpent = details.some(isSpentForToday);
  return {
    // Gemini answers 400 to an unknown key.
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

/** Gemini calls every limit a quota. For a daily one it also asks to wait seconds, which does not help. */
const isSpentForToday = ({ violations }: Status['details'][number]): boolean =>
  violations.some(({ quotaId }) => quotaId.includes('PerDay'));

function delayIn(details: Status['details']): number | undefined {
  const [delay] = details.flatMap(({ retryDelay }) => retryDelay ?? []);
  const seconds = /^(\d+(\.\d+)?)s$/.exec(delay ?? '')?.[1];
  return seconds === undefined ? undefined : Number(seconds) * 1000;
}
