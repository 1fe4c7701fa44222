import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { searchIn, write } from './support.ts';

const FEWEST_TRIES = 300;

/** Exchanges a directory for a link to the outside and back, and makes and removes files, for ever. */
const CHANGER = `
  const { renameSync, rmSync, writeFileSync } = require('node:fs');
  process.chdir(process.argv[1]);
  process.send('ready');
  process.on('disconnect', () => process.exit());
  (function change() {
    for (let i = 0; i < 100; i += 1) {
      renameSync('here', 'real'); renameSync('link', 'here');
      renameSync('here', 'link'); renameSync('real', 'here');
      writeFileSync('here/coming.txt', 'inside '.repeat(i * 50));
      rmSync('here/coming.txt');
    }
    setImmediate(change);
  })();
`;

it('finds nothing outside while a directory is exchanged for a link and files come and go', async () => {
  const outside = temporaryDirectory();
  write(outside, { 'file.txt': 'outside', 'secret.txt': 'outside' });
  const { root, grep, find, ask } = searchIn({ 'here/file.txt': 'inside', 'still.txt': 'inside' });
  symlinkSync(outside, join(root, 'link'));
  const changer = spawn(process.execPath, ['-e', CHANGER, root], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  await once(changer, 'message');
  const inside = 'here/file.txt: inside';
  const seen = new Set<string>();
  try {
    // Until the directory was there once.
    for (let tries = 0; tries < FEWEST_TRIES || !seen.has(inside); tries += 1) {
      const { found } = await grep('inside|outside');
      for (const { path, lines } of found) seen.add(`${path}: ${lines[0]?.text.slice(0, 7)}`);
      for (const path of await find('*.txt')) seen.add(path);
      if (tries % 10 === 0) for (const path of await ask('outside')) seen.add(`asked: ${path}`);
    }
  } finally {
    changer.disconnect();
    await once(changer, 'exit');
  }
  expect([...seen]).toEqual(expect.arrayContaining([inside, 'still.txt: inside']));
  expect([...seen].filter((what) => /outside|secret|asked/.test(what))).toEqual([]);
});
