// The form of the file that keeps the world, without git's own data.
import { z } from 'zod';
import { CiScript } from './checks/ci-script.ts';

export const VERSION = 1;

const Numbered = z.looseObject({ id: z.number() });
/** A list that files of earlier versions do not have. */
const Added = z.array(Numbered).default([]);
const KeptIssue = Numbered.extend({
  number: z.number(),
  labels: z.array(Numbered),
  assignees: z.array(z.unknown()).default([]),
});
export const Kept = z.object({
  version: z.literal(VERSION),
  lastId: z.number(),
  users: z.array(z.strictObject({ id: z.number(), login: z.string(), type: z.string() })),
  installations: z.array(Numbered.extend({ account: z.unknown() })),
  repositories: z.array(
    Numbered.extend({
      fullName: z.string(),
      directory: z.string(),
      collaborators: z.array(z.tuple([z.string(), z.string()])),
      labels: z.array(Numbered),
      issues: z.array(KeptIssue),
      comments: z.array(Numbered),
      reviews: z.array(Numbered.extend({ reactions: Added })),
      reviewThreads: z.array(Numbered).optional(),
      reviewComments: z.array(Numbered),
      checks: z
        .object({
          suites: Added,
          runs: Added,
          statuses: Added,
          workflowRuns: Added,
          jobs: Added,
          outcomes: z.array(CiScript).default([]),
        })
        .prefault({}),
      rulesets: z.array(Numbered).default([]),
      hooks: Added,
    }),
  ),
  formerNames: z.array(z.tuple([z.string(), z.number()])),
  formerIssues: z.array(z.tuple([z.string(), z.number(), z.number()])),
  signatures: z
    .array(
      z.tuple([
        z.string(),
        z.strictObject({ signature: z.string(), payload: z.string(), at: z.string() }),
      ]),
    )
    .default([]),
  deliveries: z.array(Numbered),
  tokens: z.array(
    z.strictObject({
      token: z.string(),
      installation: z.number(),
      permissions: z.record(z.string(), z.enum(['read', 'write'])),
      repositories: z.array(z.number()).optional(),
      expiresAt: z.string(),
    }),
  ),
});
