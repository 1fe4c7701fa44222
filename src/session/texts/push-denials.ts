// Why a server denied a push, and who can fix that. Git has no codes for it, only messages.
import { cleanServerText } from '../../lib/text/text.ts';

const RULES = 'in the settings of the repository, under Rules or Branches';

const SIGNATURES = /verified signatures?|must be signed|signed commits/i;

export const demandsSignatures = (said: string): boolean => SIGNATURES.test(said);

const WORKFLOWS = /create or update workflow/i;

export const deniesWorkflows = (said: string): boolean => WORKFLOWS.test(said);

/** The first match counts. `{branches}` is replaced by the names that a rule would have to exclude. */
const KNOWN: readonly { readonly words: RegExp; readonly means: string }[] = [
  {
    words: WORKFLOWS,
    means:
      'The App cannot change workflow files (`.github/workflows`): it does not request that permission, so that only people decide what runs there. Change them by hand, and request the remaining work.',
  },
  {
    words: /cannot contain secrets|push protection/i,
    means:
      "GitHub found something in the commit that looks like a secret. Request the work again and ask for it to be removed. If it isn't a secret, someone with permission can allow it with the link in GitHub's message.",
  },
  {
    words: SIGNATURES,
    means: 'A repository rule requires verified signatures. {unsigned}',
  },
  {
    words: /creations being restricted|cannot create ref/i,
    means: `A repository rule stops the App from creating this branch. An administrator can add the App to the rule's bypass list, or exclude \`{branches}\` from the rule, ${RULES}.`,
  },
  {
    words: /GH006|GH013|protected branch|rule violations/i,
    means: `A branch protection rule stops the App from pushing to this branch. An administrator can add the App to the rule's bypass list, or exclude \`{branches}\` from the rule, ${RULES}.`,
  },
];

const UNKNOWN =
  "An administrator of the repository should check the rules for this branch and the App's permissions.";

const UNSIGNED = `A commit on the branch has none. An administrator can exclude \`{branches}\` from the rule, ${RULES}.`;

/** @param unsigned why the commit has no signature, and what to do: sentences */
export function pushDenial(branch: string, said: string, unsigned = UNSIGNED): string {
  const words = cleanServerText(said);
  const known = KNOWN.find((one) => one.words.test(said))?.means ?? UNKNOWN;
  const means = known
    .replace('{unsigned}', unsigned)
    .replace('{branches}', branch.replace(/\/[^/]*$/, '/**'));
  return `The push to \`${branch}\` was denied. ${means} The work so far is saved, and a retry pushes it again. The server's message: ${words}`;
}

/** For a commit that changes none itself. `said`: the server's words. */
export const otherWorkflows = (branch: string, said: string): string =>
  `The push to \`${branch}\` was denied. GitHub accepts workflow files (\`.github/workflows\`) from an App only if another branch has the same ones, and this branch has others, although this work changes none. Bring the workflow files of the base branch in line with those of the default branch, then request the work again. The work so far is saved, and a retry pushes it again. ${said}`;

export const BRANCH_MOVED =
  'Someone else pushed to `{branch}` in the meantime, and Issuewright never overwrites their commits. ' +
  'Request the work again to continue on top of them.';

/** With the setting `commits.publish: push`. */
export const UNSIGNED_BY_SETTING =
  'The setting `commits.publish` is `push`, and a pushed commit has no signature. Remove the setting, or set it to `auto`: GitHub then signs the commits.';

/** Why a commit was pushed although GitHub signs those that are made through its API; `reason` is a sentence. */
export const unsignedBecause = (reason: string): string =>
  `GitHub signs the commits that Issuewright makes through its API, but not this one. ${reason} An administrator can exclude \`{branches}\` from the rule, ${RULES}.`;

/** With the setting `commits.publish: verified`. */
export const cannotBeVerified = (branch: string, reason: string): string =>
  `Nothing was committed to \`${branch}\`, because the setting \`commits.publish\` is \`verified\`, and GitHub would not sign this commit. ${reason} Set it to \`auto\` to push such commits without a signature. The work so far is saved, and a retry commits it again.`;

/** Why the API cannot make a commit: sentences. */
export const UNFIT = {
  tooManyFiles: (files: number, most: number): string =>
    `It changes ${files} files; through the API, at most ${most} are possible.`,
  tooLarge: (bytes: number, most: number): string =>
    `Its new contents are ${bytes} bytes; through the API, at most ${most} are possible.`,
  tooManyRequests: (requests: number, most: number): string =>
    `It needs ${requests} requests to the API; at most ${most} are possible.`,
  notUtf8: 'It changes a file whose name is not UTF-8, which the API cannot name.',
  empty: 'It deletes all files, which the API cannot do.',
  budget: "This installation is close to GitHub's limit for writing.",
  otherTree: "The API's commit did not have the same files as git's.",
  denied: (words: string): string => `GitHub rejected it: ${words}`,
} as const;
