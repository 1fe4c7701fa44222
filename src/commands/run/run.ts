import { ConfigError } from '../../config.ts';
import type { Command } from '../command.ts';

const HELP = `
The agent works in a clone of the last commit of the git repository that you are in, with the tools and the sandbox of
the service. Your files stay as they are: uncommitted changes are neither read nor touched. The result is a new branch
issuewright/… in your repository, and its diff on standard output. Nothing is pushed.

The only setting that it needs is a model, with its key. No GitHub App is needed, and the file .env is not read: who
wrote the folder could have written that too.

Examples:
  MODEL=anthropic:claude-sonnet-4-5 ANTHROPIC_API_KEY=… issuewright run "Add a --quiet option"
  issuewright run --model ollama:qwen3 --allow-dangerous-tools "Make the tests pass"
  issuewright run --yes --json "Update the copyright year" > result.json

Questions of the agent are asked in the terminal; Enter takes the answer that it proposes. Ctrl-C stops the work and
commits what was changed to the branch; a second Ctrl-C ends at once.

Exit codes: 0 done, or there was nothing to do; 1 failed; 2 wrong usage; 3 a question has no answer, because there is no
terminal and no --yes; 4 a limit was reached; 130 stopped.`;

export const run: Command = {
  name: 'run',
  summary: 'do a task in a folder, without an App',
  group: 'Work by hand',
  hasEnvFile: false,
  define: (parser) =>
    parser
      .argument('<task>', 'what is to be done, in your words')
      .option('--model <provider:name>', 'the model, in place of MODEL')
      .option('--allow-dangerous-tools', 'let the agent run commands, such as the tests')
      .option('--yes', 'take the answers that the agent proposes, and approve its plan')
      .option('--json', 'print a JSON object, for scripts')
      .addHelpText('after', HELP),
  run: async ({ arguments: [task = ''], options, environment, print, terminal }) => {
    if (task.trim() === '') {
      process.stderr.write('issuewright run: the task is empty. Say what is to be done.\n');
      return 2;
    }
    if (/^https?:\/\/\S+$/.test(task.trim())) {
      process.stderr.write(
        'issuewright run: an address is no task. Copy the text of the issue, or let the App work on it.\n',
      );
      return 2;
    }
    const { model } = options;
    const given = {
      ...environment,
      ...(typeof model === 'string' ? { MODEL: model } : {}),
      ...(options['allowDangerousTools'] === true ? { ALLOW_DANGEROUS_TOOLS: 'true' } : {}),
    };
    // Most of what works takes no part in the other commands.
    const { workInFolder } = await import('./work-in-folder.ts');
    try {
      return await workInFolder({
        task: task.trim(),
        environment: given,
        isYes: options['yes'] === true,
        isJson: options['json'] === true,
        print,
        terminal,
      });
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      const lines = error.faults.map(({ name, fault }) => `  ${name}  ${fault}`);
      process.stderr.write(
        `issuewright run: these settings are missing or invalid. Set them in the environment:\n${lines.join('\n')}\n`,
      );
      return 1;
    }
  },
};
