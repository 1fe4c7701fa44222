// A process whose system has the programs of one directory and no others. It chooses how clones are made, and prints what.
import { join } from 'node:path';
import { messageOf } from '../../../src/lib/errors.ts';
import { SYSTEM_PATH } from '../../../src/lib/directories.ts';
import type { GitChoice } from '../../../src/workspace/git/engines/choose-engine.ts';

const [programs = '', engine = '', data = ''] = process.argv.slice(2);
// Before anything reads it.
(SYSTEM_PATH as unknown as string[]).splice(0, SYSTEM_PATH.length, programs);
const { chooseGit } = await import('../../../src/workspace/git/engines/choose-engine.ts');
const said: object[] = [];
const log = { info: (facts: object) => void said.push(facts), warn: () => {} };
const choice: GitChoice = {
  engine: engine as GitChoice['engine'],
  maxBytes: undefined,
  cacheMaxBytes: 1,
  cacheDirectory: join(data, 'cache'),
  workDirectory: join(data, 'work'),
};
try {
  const git = await chooseGit(choice, log);
  await git.close();
  process.stdout.write(JSON.stringify({ settings: git.settings, said }));
} catch (error) {
  process.stdout.write(JSON.stringify({ failed: messageOf(error) }));
}
