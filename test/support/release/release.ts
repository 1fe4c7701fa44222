// Makes a release: `npm run release -- 0.2.0 [--dry-run]`. Nothing leaves the machine: you push.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { billOfMaterials } from './sbom.ts';

const CHANGELOG = 'CHANGELOG.md';
const MANIFESTS = ['package.json', 'package-lock.json'];
const CHECKS = ['check', 'test:integration'];
const DIRECTORY = 'release';
const UNRELEASED = '\n## Unreleased\n';
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
  if (version !== current && !isLater(version, current))
    throw new NotReleased(
      `Give ${current} or a version after it, such as: npm run release -- ${next(current)}`,
    );
  if (git('status', '--porcelain') !== '')
    throw new NotReleased('The checkout has changes. Commit or stash them, then try again.');
  const tag = `v${version}`;
  if (git('tag', '--list', tag) !== '') throw new NotReleased(`The tag ${tag} exists already.`);
  const notes = unreleased(readFileSync(CHANGELOG, 'utf8'));
  if (isDryRun) {
    process.stdout.write(planned(version, notes));
    return;
  }
  for (const script of CHECKS)
    if (spawnSync('npm', ['run', script], { stdio: 'inherit' }).status !== 0)
      throw new NotReleased(`\`npm run ${script}\` failed. Nothing was changed.`);
  const materials = billOfMaterials(version);
  mkdirSync(DIRECTORY, { recursive: true });
  writeFileSync(billIn(version), materials);
  writeFileSync(CHANGELOG, released(readFileSync(CHANGELOG, 'utf8'), version, today()));
  for (const path of MANIFESTS) setVersion(path, version);
  git('add', CHANGELOG, ...MANIFESTS);
  git('commit', '--quiet', '--allow-empty', '-m', `Release ${version}`);
  const message = `Issuewright ${version}\n\n${notes}\n`;
  execFileSync('git', ['tag', '--annotate', '--cleanup=whitespace', '--file=-', tag], {
    input: message,
  });
  execFileSync('npm', ['pack', '--silent', `--pack-destination=${DIRECTORY}`]);
  process.stdout.write(
    `Released ${version}. ${DIRECTORY}/ has the package, and the list of what it consists of. Next: docs/releasing.md\n`,
  );
}

function billIn(version: string): string {
  return `${DIRECTORY}/issuewright-${version}.cdx.json`;
}

/** What a release would do, for a dry run, which does nothing of it. */
function planned(version: string, notes: string): string {
  return `A release of ${version} would
1. run ${CHECKS.map((script) => `\`npm run ${script}\``).join(' and ')}, and end if one fails
2. move the notes below under "## ${version} (${today()})" in ${CHANGELOG}, and set the version in ${MANIFESTS.join(' and ')}
3. commit that as "Release ${version}", with the tag v${version}, which carries the notes
4. write ${billIn(version)} and the package to ${DIRECTORY}/

It pushes and publishes nothing. Nothing was changed.

${notes}
`;
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

function unreleased(changelog: string): string {
  const [, after, ...more] = changelog.split(UNRELEASED);
  const notes = after?.split('\n## ')[0]?.trim() ?? '';
  if (notes === '' || more.length > 0)
    throw new NotReleased(
      `${CHANGELOG} has nothing under one heading "## Unreleased". Say there what changes for people.`,
    );
  return notes;
}

/** The changelog with what was unreleased under the version, and an empty section above it. */
function released(changelog: string, version: string, date: string): string {
  return changelog.replace(UNRELEASED, () => `${UNRELEASED}\n## ${version} (${date})\n`);
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
