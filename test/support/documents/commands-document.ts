// docs/commands.md, from what the commands say of themselves.
import type { Command } from 'commander';
import { defineProgram } from '../../../src/commands/program.ts';

export const COMMANDS_DOCUMENT = 'docs/commands.md';

const HEAD = `# The commands

\`npm run docs\` writes this page from the help of the commands. In a clone of the repository and in the container, \`issuewright\`
is \`./issuewright\`.
`;

const COLUMNS = 100;

/** The whole document, in Markdown. */
export function commandsDocument(): string {
  const program = defineProgram(() => Promise.resolve());
  const chapters = program.commands.map((one) => `## issuewright ${one.name()}\n\n${helpOf(one)}`);
  return `${[HEAD, helpOf(program), ...chapters.flatMap((text) => ['', text])].join('\n')}\n`;
}

/** As a terminal shows it. */
function helpOf(command: Command): string {
  let shown = '';
  command.configureOutput({
    writeOut: (text) => void (shown += text),
    getOutHelpWidth: () => COLUMNS,
    getOutHasColors: () => false,
  });
  command.outputHelp();
  return `\`\`\`text\n${shown.trimEnd()}\n\`\`\``;
}
