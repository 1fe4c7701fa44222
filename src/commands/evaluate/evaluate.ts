import { WrongUsage, type Command } from '../command.ts';
import { issueAddress } from '../run/issue-address.ts';
import { spellCommand } from '../../lib/program-name.ts';

const DEFAULT_TASKS = '20';

const HELP = `
Shows which model solves your issues, and at what price. It turns closed issues into tasks: those closed by a single
merged pull request whose tests fail without its other changes and pass with them. The agent gets the issue and the
commit that the pull request started from, nothing later. Then the tests of the pull request replace those in the agent's
work, and the test command decides. Settings of the repository apply as in a run.

A read-only GITHUB_TOKEN is enough: nothing is written to GitHub. Tests and the agent's commands run in the sandbox, so
--allow-dangerous-tools (or ALLOW_DANGEROUS_TOOLS=true) is necessary. The file .env is not read.

Each result goes to a file at once. After a stop or a crash, run the same command again: it repeats no finished task, and
counts what unfinished ones have cost. With a higher --budget or --limit, or with more models, it continues from there. --out names another file.

Examples:
  GITHUB_TOKEN=… ANTHROPIC_API_KEY=… ${spellCommand('evaluate')} --models anthropic:claude-sonnet-5,anthropic:claude-haiku-5-5 --budget 20 --allow-dangerous-tools https://github.com/OWNER/REPOSITORY
  ${spellCommand('evaluate')} --budget 5 --limit 5 --json https://github.com/OWNER/REPOSITORY > result.json

Exit codes: 0 every task was tried with every model; 1 failed; 2 wrong usage; 4 the budget is used up; 130 stopped.`;

export const evaluate: Command = {
  name: 'evaluate',
  summary: 'compare models on closed issues of your repository',
  group: 'Work by hand',
  hasEnvFile: false,
  define: (parser) =>
    parser
      .argument('<repository>', 'its address, such as https://github.com/OWNER/REPOSITORY')
      .requiredOption('--budget <dollars>', 'US dollars for the whole evaluation')
      .option('--models <list>', 'the models, comma-separated, in place of MODEL')
      .option('--limit <tasks>', 'how many tasks, the newest issues first', DEFAULT_TASKS)
      .option('--out <file>', 'the file for the results, in place of one in DATA_DIR')
      .option('--allow-dangerous-tools', 'run the tests, and let the agent run commands')
      .option('--json', 'print a JSON object, for scripts')
      .addHelpText('after', HELP),
  run: async ({ arguments: [words = ''], options, environment, print, terminal }) => {
    const address = issueAddress(words.trim());
    const budget = numberIn(options['budget']);
    const limit = numberIn(options['limit']);
    const { models } = options;
    if (address === undefined || address.number !== undefined)
      throw new WrongUsage(
        'not the address of a repository. Give one such as https://github.com/OWNER/REPOSITORY.',
      );
    if (!(budget > 0))
      throw new WrongUsage('--budget must be a number of US dollars above 0, such as 20 or 2.50.');
    if (!Number.isInteger(limit) || limit < 1 || limit > 500)
      throw new WrongUsage('--limit must be a whole number from 1 to 500.');
    const changed = {
      ...environment,
      ...(typeof models === 'string' ? { MODEL: models } : {}),
      ...(options['allowDangerousTools'] === true ? { ALLOW_DANGEROUS_TOOLS: 'true' } : {}),
    };
    const { out, json } = options;
    const path = typeof out === 'string' ? out : undefined;
    const given = { address, budget, limit, path, isJson: json === true };
    // Most of what works takes no part in the other commands.
    const { runEvaluation } = await import('./open-evaluation.ts');
    return runEvaluation({ ...given, environment: changed, print, terminal });
  },
};

const numberIn = (option: unknown): number =>
  typeof option === 'string' && /^\d+(?:\.\d+)?$/.test(option) ? Number(option) : Number.NaN;
