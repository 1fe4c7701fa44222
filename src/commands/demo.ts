import { existsSync } from 'node:fs';
import type { Command } from './command.ts';

/** Of a checkout; the image does not have it. */
const PLAYGROUND = new URL('../../packages/local-github/src/main.ts', import.meta.url);

const HELP = `
It needs no account and no key: GitHub and the model run on this machine too.`;

/** Run by `bin/issuewright.js`, if the playground is there. */
export const demo: Command = {
  name: 'demo',
  summary: 'play the whole workflow on this machine, from an issue to the merge',
  group: 'More',
  isHidden: !existsSync(PLAYGROUND),
  define: (parser) =>
    parser
      .option('--interactive', 'you play the human')
      .option('--allow-dangerous-tools', 'let the agent run commands, such as the tests')
      .addHelpText('after', HELP),
  run: () =>
    Promise.reject(
      new Error(
        'The demo is not part of this installation. It is in the repository of Issuewright: clone it, and run `npm install && npm run demo` there.',
      ),
    ),
};
