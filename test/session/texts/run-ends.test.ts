import { describe, expect, it } from '@jest/globals';
import type { EndCause } from '../../../src/contracts/entries.ts';
import { reasonFor } from '../../../src/session/texts/run-ends.ts';

const ENDS: readonly (readonly ['limit' | 'failed' | 'deferred', EndCause, string])[] = [
  [
    'limit',
    { because: 'limit', limit: '50 model replies per run' },
    'The limit of 50 model replies per run was reached.',
  ],
  [
    'deferred',
    { because: 'limit', limit: '$9.00 per day for this repository' },
    'The limit of $9.00 per day for this repository was reached.',
  ],
  [
    'failed',
    { because: 'filtered' },
    'The safety filter of the model provider stopped the reply. Describe the task in other words, or choose another model.',
  ],
  [
    'failed',
    { because: 'unreadable_replies', times: 4 },
    '4 replies of the model in a row could not be read. Choose another model.',
  ],
  [
    'failed',
    { because: 'repeated_call', times: 3, call: 'Read a.ts' },
    'The model made the same tool call 3 times in a row (“Read a.ts”). Describe the task in more detail, or choose another model.',
  ],
  [
    'failed',
    { because: 'repeated_call', times: 3 },
    'The model made the same tool call 3 times in a row (an invalid call). Describe the task in more detail, or choose another model.',
  ],
  [
    'failed',
    { because: 'no_reply', resumes: 20 },
    'The run was interrupted 20 times before the model replied, so it was ended. The operator can find the cause in the service log under session s-1.',
  ],
  [
    'failed',
    { because: 'internal_error' },
    'Internal error. The operator can find the details in the service log under session s-1.',
  ],
  [
    'deferred',
    { because: 'internal_error' },
    'An internal error occurred. The work will be retried.',
  ],
  ['failed', { because: 'error', message: 'The push was denied.' }, 'The push was denied.'],
  [
    'failed',
    { because: 'error', message: 'The push was denied.', attempts: 1 },
    'The push was denied.',
  ],
  [
    'failed',
    { because: 'installation', message: 'busy', attempts: 9 },
    'Gave up after 9 attempts. The last error was: Busy.',
  ],
  ['deferred', { because: 'write_budget', message: 'no room', attempts: 9 }, 'No room.'],
];

describe('the reason why a run', () => {
  it.each(ENDS)('%s (%j) is explained', (kind, cause, words) => {
    expect(reasonFor({ kind, cause }, 's-1')).toBe(words);
  });
});
