// Why a server took a push back, and who can mend that: git has no codes for it, only words.
import { TellPerson } from '../../lib/errors.ts';
import { cleanServerText } from './errors.ts';

const RULES = 'in the settings of the repository, under Rules or Branches';

/** The first that fits counts. `{branches}` stands for the names that a rule would have to leave out. */
const KNOWN: readonly { readonly words: RegExp; readonly means: string }[] = [
  {
    words: /create or update workflow/i,
    means:
      'The App may not change workflow files (`.github/workflows`), and does not ask for that permission: what runs there is for people to decide. Somebody with write access makes that change by hand; ask for the rest without it.',
  },
  {
    words: /cannot contain secrets|push protection/i,
    means:
      'GitHub found something in the commit that looks like a secret. Ask again and say that it has to go; if it is none, somebody who may can allow it by the address in the words of GitHub.',
  },
  {
    words: /creations being restricted|cannot create ref/i,
    means: `A rule of the repository lets the App make no branch of this name. An administrator lets the App past that rule, or leaves \`{branches}\` out of it, ${RULES}.`,
  },
  {
    words: /GH006|GH013|protected branch|rule violations/i,
    means: `A rule that protects this branch does not let the App push to it. An administrator lets the App past that rule, or leaves \`{branches}\` out of it, ${RULES}.`,
  },
];

const UNKNOWN =
  'Somebody who administers the repository checks the rules that protect this branch, and the permissions of the App.';

/** `said`: everything that the server said about it, from hooks to the status of the branch. */
export function pushRefused(branch: string, said: string): TellPerson {
  const words = cleanServerText(said);
  const known = KNOWN.find((one) => one.words.test(said))?.means ?? UNKNOWN;
  const means = known.replace('{branches}', branch.replace(/\/[^/]*$/, '/**'));
  return new TellPerson(
    `The push to \`${branch}\` was refused. ${means} The work is kept here until then. The words of the server: ${words}`,
  );
}
