import { existsSync } from 'node:fs';
import type { Command } from './command.ts';
import { spellCommand } from '../lib/program-name.ts';

/** What runs beside the service on a developer's machine, of which the demo is a part. The image does not have it. */
export const hasPlayground = ['ts', 'js'].some((extension) =>
  existsSync(new URL(`../../packages/local-github/src/main.${extension}`, import.meta.url)),
);

const HELP = `
It needs no account and no key: GitHub and the model run on this machine too. \`${spellCommand('github')}\` and
\`${spellCommand('model')}\` start each of them alone, for trying an App by hand.`;

/** Run by `bin/issuewright.js`, if the playground is there. */
export const demo: Command = {
  name: 'demo',
  summary: 'play the whole workflow on this machine, from an issue to the merge',
  group: 'More',
  isHidden: !hasPlayground,
  define: (parser) =>
    parser
      .option('--interactive', 'you play the human')
      .option('--allow-dangerous-tools', 'let the agent run commands, such as the tests')
      .addHelpText('after', HELP),
  run: () =>
    Promise.reject(
      new Error(
        'The demo is not part of this installation. It is in the repository of Issuewright: clone it, and run `npm install && ./issuewright demo` there.',
      ),
    ),
};
