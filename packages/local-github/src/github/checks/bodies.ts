// The bodies of the routes for checks. They are validated by a JSON schema, with errors of their own form (rule `check-run-bodies`).
import { z } from 'zod';
import { GitHubError } from '../github-error.ts';
import { Annotation, MAX_TEXT } from './annotation.ts';
import { CONCLUSIONS } from './state.ts';

const MAX_ANNOTATIONS = 50;
const MAX_ACTIONS = 3;

const output = {
  summary: z.string().max(MAX_TEXT),
  text: z.string().max(MAX_TEXT).optional(),
  annotations: z.array(Annotation).max(MAX_ANNOTATIONS).optional(),
  /** Accepted, and not shown. */
  images: z
    .array(z.object({ alt: z.string(), image_url: z.string(), caption: z.string().optional() }))
    .optional(),
};

const Action = z.object({
  label: z.string().max(20),
  description: z.string().max(40),
  identifier: z.string().max(20),
});

const common = {
  details_url: z.url({ protocol: /^https?$/ }).optional(),
  external_id: z.string().optional(),
  status: z.enum(['queued', 'in_progress', 'completed']).optional(),
  started_at: z.iso.datetime({ offset: true }).optional(),
  conclusion: z.enum(CONCLUSIONS).exclude(['stale']).optional(),
  completed_at: z.iso.datetime({ offset: true }).optional(),
  actions: z.array(Action).max(MAX_ACTIONS).optional(),
};

export const NewCheckRun = z.object({
  ...common,
  name: z.string(),
  head_sha: z.string(),
  output: z.object({ ...output, title: z.string() }).optional(),
});
export type NewCheckRun = z.infer<typeof NewCheckRun>;

export const CheckRunChange = z.object({
  ...common,
  name: z.string().optional(),
  output: z.object({ ...output, title: z.string().optional() }).optional(),
});
export type CheckRunChange = z.infer<typeof CheckRunChange>;

/** Parses a body. Throws GitHub's 422 that names every fault. */
export function parseBySchema<T extends CheckRunChange>(schema: z.ZodType<T>, body: unknown): T {
  const result = schema.safeParse(body ?? {}, { reportInput: true });
  if (!result.success) throw refused(result.error.issues.map(inWords));
  const { status, completed_at: completedAt, conclusion } = result.data;
  const isOver = status === 'completed' || completedAt !== undefined;
  if (isOver && conclusion === undefined) throw refused(['"conclusion" wasn\'t supplied.']);
  return result.data;
}

const refused = (faults: readonly string[]): GitHubError =>
  new GitHubError('check-run-bodies', 422, `Invalid request.\n\n${faults.join('\n')}`);

/** The fault in GitHub's words, as far as they are known. */
function inWords(issue: z.core.$ZodIssue): string {
  const { input, path } = issue;
  const name = path.map(String).join('/');
  if (input === undefined) return `"${String(path.at(-1))}" wasn't supplied.`;
  if (issue.code === 'too_big' && typeof input === 'string')
    return `Only ${issue.maximum} characters are allowed; ${input.length} were supplied.`;
  if (issue.code === 'too_big' && Array.isArray(input))
    return `No more than ${issue.maximum} items are allowed; ${input.length} were supplied.`;
  return `For 'properties/${name}', ${JSON.stringify(input)} is not valid: ${issue.message}.`;
}
