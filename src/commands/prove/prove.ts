import { WrongUsage, type Command } from '../command.ts';
import { spellCommand } from '../../lib/program-name.ts';

const HELP = `
Issuewright was written without an account on github.com. This command asks your GitHub whether it does all that Issuewright
relies on, and plays the whole workflow on one issue there: the label, a question, a pull request, its review, its merge. A
script takes the place of the model, so it costs nothing. It takes about two minutes.

Create an empty repository, and install the App on it. A token of yours plays the human: from GITHUB_TOKEN, from
standard input, or typed. A fine-grained token needs contents, issues and pull requests: write on that repository, and
administration: write to try auto-merge, which takes a rule for a branch of the proof. If ASSIGNEE_LOGIN is a collaborator
there, a review request to that account is tried too. Merge queues, forks, types and fields of issues, and images for
commands are not.

Each line says whether a belief holds (✓), does not (✗) or cannot be tried (–), and what GitHub answered. The report at the
end has no secrets and no names: paste it into an issue of Issuewright if something does not hold.

All its branches, labels, files and rules begin with issuewright-proof, and are removed at the end, even after Ctrl-C.
Issues and pull requests are closed. An empty repository keeps its first commit. In a repository with content, which needs
--yes, it changes no existing branch, and closes the pull request unmerged.

If the service runs, it does the work, but not in a repository with content, where it would use its own model: stop it
first. If it does not run, this command runs it for that repository, with a database of its own, and reads from GitHub what
it did not receive.

Examples:
  gh auth token | ${spellCommand('prove')} OWNER/REPOSITORY
  GITHUB_TOKEN=… ${spellCommand('prove')} OWNER/REPOSITORY --report proof.md

Exit codes: 0 everything that could be tried holds, 1 something does not, 2 wrong usage, 130 stopped.`;

const NAME = /^([\w-]+)\/([\w.-]+)$/;

export const prove: Command = {
  name: 'prove',
  summary: 'try everything on your GitHub, in a scratch repository, without a model',
  group: 'Set it up',
  define: (parser) =>
    parser
      .argument('<repository>', 'an empty repository, as OWNER/NAME, on which the App is installed')
      .option('--yes', 'use a repository with content; its branches stay unchanged')
      .option('--quick', 'only ask GitHub; do not play the work on an issue')
      .option('--keep', 'keep everything for inspection; the next proof removes it')
      .option('--report <file>', 'write the report to a file, instead of printing it')
      .option('--verbose', 'show the log of the service that this command runs')
      .addHelpText('after', HELP),
  run: async (context) => {
    const [, owner, name] = NAME.exec(context.arguments[0] ?? '') ?? [];
    if (owner === undefined || name === undefined)
      throw new WrongUsage('not the name of a repository. Give one such as OWNER/NAME.');
    // The other commands start without all that this needs.
    return (await import('./run-proof.ts')).runProof(context, { owner, name });
  },
};
