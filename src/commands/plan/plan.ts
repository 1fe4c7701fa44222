import { WrongUsage, type Command } from '../command.ts';
import { issueAddress, type IssueAddress } from '../run/issue-address.ts';
import { spellCommand } from '../../lib/program-name.ts';

const HELP = `
To see what Issuewright would do, and at what price: the model reads the repository and each issue, and makes
its plan, as with the label issuewright:plan. It writes nothing to GitHub, runs no command, and changes nothing.
Questions get the answers that the agent proposes. For a closed issue it begins before the pull request that solved it,
and reads nothing later; otherwise at the default branch.

The cost of the plans is measured. The cost of the work is known if \`${spellCommand('evaluate')}\` has results for this
repository and model; otherwise only your limits bound it.

GITHUB_TOKEN need only read contents, issues and pull requests. The command does not read .env.

Examples:
  GITHUB_TOKEN=… MODEL=anthropic:claude-sonnet-5 ANTHROPIC_API_KEY=… ${spellCommand('plan')} https://github.com/OWNER/REPOSITORY/issues/12 https://github.com/OWNER/REPOSITORY/issues/31
  ${spellCommand('plan')} --json https://github.com/OWNER/REPOSITORY/issues/12 > plan.json

Exit codes: 0 each issue has a plan; 1 failed, or one has none; 2 wrong usage; 130 stopped.`;

export const plan: Command = {
  name: 'plan',
  summary: 'show plans and prices for issues, and write nothing to GitHub',
  group: 'Work by hand',
  hasEnvFile: false,
  define: (parser) =>
    parser
      .argument('<issues...>', 'their addresses, all of one repository')
      .option('--model <provider:name>', 'the model, in place of MODEL')
      .option('--json', 'print a JSON object, for scripts')
      .addHelpText('after', HELP),
  run: async ({ arguments: words, options, environment, print, terminal }) => {
    const planned = addressesIn(words);
    const { model } = options;
    const changed = {
      ...environment,
      ...(typeof model === 'string' ? { MODEL: model } : {}),
      // A plan takes no commands.
      ALLOW_DANGEROUS_TOOLS: 'false',
    };
    // Most of what works takes no part in the other commands.
    const { planIssues } = await import('./plan-issues.ts');
    const isJson = options['json'] === true;
    return planIssues({ ...planned, environment: changed, isJson, print, terminal });
  },
};

interface PlannedAddresses {
  /** One of the repository. */
  readonly address: IssueAddress;
  /** Each once. */
  readonly numbers: readonly number[];
}

/** @throws {WrongUsage} */
function addressesIn(words: readonly string[]): PlannedAddresses {
  const numbers = new Set<number>();
  let address: IssueAddress | undefined;
  for (const word of words) {
    const found = issueAddress(word.trim());
    if (found?.number === undefined)
      throw new WrongUsage(
        `${JSON.stringify(word)} is not the address of an issue. Give one such as https://github.com/OWNER/REPOSITORY/issues/12.`,
      );
    address ??= found;
    if (repositoryOf(found) !== repositoryOf(address))
      throw new WrongUsage('the issues are of several repositories. Name those of one at a time.');
    numbers.add(found.number);
  }
  if (address === undefined) throw new WrongUsage('name an issue.');
  return { address, numbers: [...numbers] };
}

const repositoryOf = ({ origin, owner, name }: IssueAddress): string =>
  `${origin}/${owner}/${name}`.toLowerCase();
