// Makes a release: `npm run release -- 0.2.0 [--dry-run]`. Nothing leaves the machine: you push.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { billOfMaterials } from './sbom.ts';

const CHANGELOG = 'CHANGELOG.md';
const MANIFESTS = ['package.json', 'package-lock.json'];
const VERSION = /^(\d+)\.(\d+)\.(\d+)$/;

/** What stops a release, for the person who makes it. */
class NotReleased extends Error {}

const { values, positionals } = parseArgs({
  options: { 'dry-run': { type: 'boolean', default: false } },
  allowPositionals: true,
});
try {
  release(positionals[0] ?? '', values['dry-run']);
} catch (error) {
  if (!(error instanceof NotReleased)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}

function release(version: string, isDryRun: boolean): void {
  const current = currentVersion();
  if (!isLater(version, current))
    throw new NotReleased(
      `Give a version after ${current}, such as: npm run release -- ${next(current)}`,
    );
  if (git('status', '--porcelain') !== '')
    throw new NotReleased('The checkout has changes. Commit or stash them, then try again.');
  if (git('tag', '--list', `v${version}`) !== '')
    throw new NotReleased(`The tag v${version} exists already.`);
  const changelog = released(readFileSync(CHANGELOG, 'utf8'), version, today());
  for (const script of ['check', 'test:integration'])
    if (spawnSync('npm', ['run', script], { stdio: 'inherit' }).status !== 0)
      throw new NotReleased(`\`npm run ${script}\` failed. Nothing was changed.`);
  const materials = billOfMaterials(version);
  if (isDryRun) {
    process.stdout.write(`${version} can be released. Nothing was changed.\n`);
    return;
  }
  mkdirSync('release', { recursive: true });
  const bill = `release/issuewright-${version}.cdx.json`;
  writeFileSync(bill, materials);
  writeFileSync(CHANGELOG, changelog);
  for (const path of MANIFESTS) setVersion(path, version);
  git('add', CHANGELOG, ...MANIFESTS);
  git('commit', '--quiet', '-m', `Release ${version}`);
  git('tag', '--annotate', `v${version}`, '-m', `Issuewright ${version}`);
  process.stdout.write(
    `Released ${version}. ${bill} lists what it consists of. Publish it: git push --follow-tags\n`,
  );
}

function git(...args: string[]): string {
  return execFileSync('git', args, { encoding: 'utf8' }).trim();
}

function currentVersion(): string {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  return version;
}

function partsOf(version: string): number[] | undefined {
  return VERSION.exec(version)?.slice(1).map(Number);
}

function isLater(version: string, than: string): boolean {
  const [parts, others] = [partsOf(version), partsOf(than) ?? []];
  const at = parts?.findIndex((part, index) => part !== others[index]) ?? -1;
  return at !== -1 && (parts?.[at] ?? 0) > (others[at] ?? 0);
}

function next(version: string): string {
  const [major = 0, minor = 0] = partsOf(version) ?? [];
  return `${major}.${minor + 1}.0`;
}

function today(): string {
  return new Date().toISOString().slice(0, 10);
}

/** The changelog with what was unreleased under the version, and an empty section above it. */
function released(changelog: string, version: string, date: string): string {
  const [before, after, ...more] = changelog.split('\n## Unreleased\n');
  const notes = after?.split('\n## ')[0]?.trim() ?? '';
  if (before === undefined || notes === '' || more.length > 0)
    throw new NotReleased(
      `${CHANGELOG} has nothing under one heading "## Unreleased". Say there what changes for people.`,
    );
  return `${before}\n## Unreleased\n\n## ${version} (${date})\n${after}`;
}

/** The first version in the file is that of the project; in the lock file the second one is too. */
function setVersion(path: string, version: string): void {
  const data = JSON.parse(readFileSync(path, 'utf8')) as {
    version: string;
    packages?: { '': { version: string } };
  };
  data.version = version;
  if (data.packages !== undefined) data.packages[''].version = version;
  writeFileSync(path, `${JSON.stringify(data, null, 2)}\n`);
}
