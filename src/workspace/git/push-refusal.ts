// Why a server denied a push, and who can fix that. Git has no codes for it, only messages.
import { TellPerson } from '../../lib/errors.ts';
import { cleanServerText } from './errors.ts';

const RULES = 'in the settings of the repository, under Rules or Branches';

/** The first match counts. `{branches}` stands for the names that a rule would have to exclude. */
const KNOWN: readonly { readonly words: RegExp; readonly means: string }[] = [
  {
    words: /create or update workflow/i,
    means:
      'The App has no permission to change workflow files (`.github/workflows`), and does not ask for it, because people should decide what runs there. Make that change by hand, and request the rest without it.',
  },
  {
    words: /cannot contain secrets|push protection/i,
    means:
      "GitHub found something in the commit that looks like a secret. Request the work again and ask for it to be removed. If it isn't a secret, someone with permission can allow it with the link in GitHub's message.",
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

/** `said`: everything the server said about it, from hooks to the status of the branch. */
export function pushRefused(branch: string, said: string): TellPerson {
  const words = cleanServerText(said);
  const known = KNOWN.find((one) => one.words.test(said))?.means ?? UNKNOWN;
  const means = known.replace('{branches}', branch.replace(/\/[^/]*$/, '/**'));
  return new TellPerson(
    `The push to \`${branch}\` was denied. ${means} The work is saved until then. The server's message: ${words}`,
  );
}
