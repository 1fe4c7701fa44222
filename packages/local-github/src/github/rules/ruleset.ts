// Rulesets of a repository, in the form of GitHub's API (rule `ruleset-conditions`).
import { posix } from 'node:path';
import { z } from 'zod';

const plain = <T extends string>(type: T) => z.object({ type: z.literal(type) });

/** A rule about a text. */
const patternRule = <T extends string>(type: T) =>
  z.object({
    type: z.literal(type),
    parameters: z.object({
      name: z.string().optional(),
      negate: z.boolean().default(false),
      operator: z.enum(['starts_with', 'ends_with', 'contains', 'regex']),
      pattern: z.string(),
    }),
  });

const Rule = z.discriminatedUnion('type', [
  plain('creation'),
  plain('update'),
  plain('deletion'),
  plain('non_fast_forward'),
  plain('required_signatures'),
  z.object({
    type: z.literal('pull_request'),
    parameters: z
      .object({
        required_approving_review_count: z.int().min(0).default(0),
        dismiss_stale_reviews_on_push: z.boolean().default(false),
        require_code_owner_review: z.boolean().default(false),
        require_last_push_approval: z.boolean().default(false),
        required_review_thread_resolution: z.boolean().default(false),
      })
      .prefault({}),
  }),
  z.object({
    type: z.literal('required_status_checks'),
    parameters: z.object({
      strict_required_status_checks_policy: z.boolean().default(false),
      required_status_checks: z.array(
        z.object({ context: z.string(), integration_id: z.int().optional() }),
      ),
    }),
  }),
  // Its parameters are kept as they are given.
  z.looseObject({ type: z.literal('merge_queue') }),
  patternRule('commit_message_pattern'),
  patternRule('commit_author_email_pattern'),
  patternRule('branch_name_pattern'),
  z.object({
    type: z.literal('file_path_restriction'),
    parameters: z.object({ restricted_file_paths: z.array(z.string()) }),
  }),
]);
export type Rule = z.output<typeof Rule>;

const Patterns = z.array(z.string()).default([]);

export const RulesetBody = z.object({
  name: z.string().min(1),
  target: z.enum(['branch', 'tag', 'push']).default('branch'),
  enforcement: z.enum(['active', 'disabled', 'evaluate']),
  conditions: z
    .object({ ref_name: z.object({ include: Patterns, exclude: Patterns }).optional() })
    .nullish(),
  bypass_actors: z
    .array(
      z.object({
        actor_id: z.int().nullish(),
        actor_type: z.enum(['Integration', 'OrganizationAdmin', 'RepositoryRole', 'Team']),
        bypass_mode: z.enum(['always', 'pull_request', 'exempt']).default('always'),
      }),
    )
    .default([]),
  rules: z.array(Rule).default([]),
});

export type NewRuleset = z.input<typeof RulesetBody>;

export type Ruleset = z.output<typeof RulesetBody> & {
  readonly id: number;
  readonly createdAt: string;
  updatedAt: string;
};

/** Whether the ruleset is about a ref, named in full. One for pushes is about all. */
export function isAbout(
  { target, conditions }: Ruleset,
  ref: string,
  defaultBranch: string,
): boolean {
  if (target === 'push') return true;
  if (!ref.startsWith(target === 'branch' ? 'refs/heads/' : 'refs/tags/')) return false;
  const { include = [], exclude = [] } = conditions?.ref_name ?? {};
  const matches = (pattern: string): boolean => {
    if (pattern === '~ALL') return true;
    if (pattern === '~DEFAULT_BRANCH') return ref === `refs/heads/${defaultBranch}`;
    return posix.matchesGlob(ref, pattern);
  };
  return include.some(matches) && !exclude.some(matches);
}

type PatternParameters = Extract<Rule, { type: 'commit_message_pattern' }>['parameters'];

export function fits(text: string, { operator, pattern, negate }: PatternParameters): boolean {
  const found = {
    starts_with: () => text.startsWith(pattern),
    ends_with: () => text.endsWith(pattern),
    contains: () => text.includes(pattern),
    regex: () => new RegExp(pattern).test(text),
  }[operator]();
  return found !== negate;
}

const WORDS = {
  starts_with: 'start with',
  ends_with: 'end with',
  contains: 'contain',
  regex: 'match the regex',
};

export const demandOf = ({ operator, pattern, negate }: PatternParameters): string =>
  `must ${negate ? 'not ' : ''}${WORDS[operator]}: ${pattern}`;
