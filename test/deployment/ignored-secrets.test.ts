// Nobody publishes their keys with `git add .` or in an image.
import { execFileSync } from 'node:child_process';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { temporaryDirectory } from '../support/temporary-directory.ts';

/** What `setup` writes, keeps of earlier settings, and leaves if it is killed; and what people call such files. */
const SECRETS = [
  '.env',
  '.env.old',
  '.env.4711.new',
  '.env.old.4711.new',
  '.env.production',
  'deploy/.env',
  'private-key.pem',
  'private-key.pem.old',
  'private-key.pem.4711.new',
  'keys/our-app.2026-11-28.private-key.pem',
  'keys/our-app.pem.old',
];
/** Backups have the code and the token of the session pages: as the documents name them, and the part of one that was cut off. */
const BACKUPS = [
  'issuewright.tar.gz',
  'issuewright-2026-11-29.tar.gz',
  'issuewright.tar.gz.part',
  'backups/issuewright.tar.gz',
  'issuewright.dump',
];
/** What the demo, doctor and the service leave below the checkout. */
const DATA = ['data/pg/PG_VERSION', 'data/cache/packs/one', 'data/private-key.pem'];

/** Those of the paths that a file of patterns leaves out. The patterns that we use mean the same to Docker as to git. */
function ignoredBy(patterns: string, paths: readonly string[]): readonly string[] {
  const directory = temporaryDirectory();
  execFileSync('git', ['init', '--quiet', directory]);
  copyFileSync(patterns, join(directory, '.gitignore'));
  const input = paths.join('\n');
  const found = execFileSync('git', ['check-ignore', '--stdin'], { cwd: directory, input });
  return found.toString().trim().split('\n');
}

describe.each(['.gitignore', '.dockerignore'])('%s', (patterns) => {
  it('leaves out every file with a key that setup writes or keeps, backups, and all data', () => {
    const all = [...SECRETS, ...BACKUPS, ...DATA];
    expect(ignoredBy(patterns, all)).toEqual(all);
  });
});

describe('.gitignore', () => {
  it('keeps the example of the settings, and the sources', () => {
    const kept = ['.env.example', 'src/config/environment.ts', 'app.yml'];
    expect(ignoredBy('.gitignore', [...kept, '.env'])).toEqual(['.env']);
  });
});
