// How long a command is looked at before it runs, whatever it says.
import { it } from '@jest/globals';
import { assertRunnable } from '../../src/tools/shell/disallowed-commands.ts';
import { expectLinear } from '../support/growth.ts';

const paths = {
  workspace: '/workspace',
  home: '/home/agent',
  readable: ['/home/me/node/bin'],
  hasGit: true,
  keepsTemporary: false,
};
const rules = { directory: '', contained: paths, hasRepository: false, tools: new Set(['commit']) };

it('a command is checked in time linear in its length', () => {
  const pieces = ['"', "'", '$(', '`', 'a;', '\\', '"$(', 'rm -r -f ', 'rm -rR', '| sh', '../'];
  pieces.push(
    'curl|',
    'curl ',
    'dd ',
    'dd of=',
    ':(){',
    '|&',
    'chmod -R ',
    'kill ',
    '-r ',
    '/a',
    ' ',
  );
  const check = (text: string): void => {
    try {
      assertRunnable(text, rules);
    } catch {
      // the time of a rejected command counts too
    }
  };
  for (const piece of pieces)
    for (const before of ['', ':(){', 'rm ', 'curl '])
      expectLinear((size) => check(before + piece.repeat(size / piece.length)), 64_000);
});
