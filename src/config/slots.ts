import { z } from 'zod';
import type { SlotLimits } from '../store/session-queue/session-queue.ts';
import { check, type ConfigFault, type Variables } from './faults.ts';
import { whole } from './values/fields.ts';

/** How many sessions are worked on at once. */
export interface Slots {
  readonly ofProcess: number;
  /** For all processes together. */
  readonly limits: SlotLimits;
}

const MOST = 10_000;

export const SlotVariables = z.object({
  CONCURRENCY: whole(1, 1_000)
    .default(4)
    .describe(
      'Sessions that each process works on at once. One that waits for a person, for longer than about a minute for GitHub, or for longer than a few seconds for the model server, does not count. A run that gave up its slot twice because of the write limit waits in its slot the third time',
    ),
  CONCURRENCY_TOTAL: whole(1, MOST)
    .optional()
    .describe(
      'The same for all processes together. Set this and the next two alike in each process',
    ),
  CONCURRENCY_INSTALLATION: whole(1, MOST)
    .optional()
    .describe('The same for each installation of the App, in all processes together'),
  CONCURRENCY_REPOSITORY: whole(1, MOST)
    .optional()
    .describe('The same for each repository, in all processes together'),
});

export function readSlots(variables: Variables, faults: ConfigFault[]): Slots | undefined {
  const read = check(SlotVariables, variables, faults);
  if (read === undefined) return undefined;
  return {
    ofProcess: read.CONCURRENCY,
    limits: {
      service: read.CONCURRENCY_TOTAL,
      installation: read.CONCURRENCY_INSTALLATION,
      repository: read.CONCURRENCY_REPOSITORY,
    },
  };
}
