import { describe, expect, it } from '@jest/globals';
import type { EndCause } from '../../../src/contracts/entries.ts';
import { reasonFor } from '../../../src/session/texts/run-ends.ts';

const ENDS: readonly (readonly ['limit' | 'failed' | 'deferred', EndCause, string])[] = [
  [
    'limit',
    { because: 'limit', limit: '50 model replies for one run' },
    'The limit of 50 model replies for one run was reached before the work was finished.',
  ],
  [
    'deferred',
    { because: 'limit', limit: '$9.00 for this repository and one day' },
    'the limit of $9.00 for this repository and one day is reached',
  ],
  [
    'failed',
    { because: 'filtered' },
    'The safety filter of the model provider stopped the reply. Describe the task in other words, or choose another model.',
  ],
  [
    'failed',
    { because: 'unreadable_replies', times: 4 },
    'The model replied 4 times in a row in a form that could not be read, although it was told what was wrong each time. Choose another model.',
  ],
  [
    'failed',
    { because: 'repeated_call', times: 3, call: 'Read a.ts' },
    'The model made the same call 3 times in a row (“Read a.ts”), although it had the result. Describe the task in more detail, or choose another model.',
  ],
  [
    'failed',
    { because: 'repeated_call', times: 3 },
    'The model made the same call 3 times in a row (an invalid call), although it had the result. Describe the task in more detail, or choose another model.',
  ],
  [
    'failed',
    { because: 'no_reply', resumes: 20 },
    'The run was resumed 20 times without getting a reply from the model.',
  ],
  [
    'failed',
    { because: 'internal_error' },
    'Internal error. The operator can find the details in the service log under the ID of this session.',
  ],
  [
    'deferred',
    { because: 'internal_error' },
    'an internal error occurred, and the work is retried',
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
    'Gave up after 9 attempts. Last error: busy',
  ],
  ['deferred', { because: 'write_budget', message: 'no room', attempts: 9 }, 'no room'],
];

describe('the reason why a run', () => {
  it.each(ENDS)('%s (%j) is explained', (kind, cause, words) => {
    expect(reasonFor({ kind, cause })).toBe(words);
  });
});
