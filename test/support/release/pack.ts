// What `npm pack` packs: `compiled/`, which is the program and its packages as JavaScript, and a package.json for it. With `--clean-up`
// the checkout is as before.
import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join, relative } from 'node:path';
import { shippedPackages } from './lock-file.ts';

const COMPILED = 'compiled';
const MANIFEST = 'package.json';
const README = 'README.md';
const SET_ASIDE = '.set-aside';
/** Of the model that follows a script. */
const PRICES = 'packages/local-github/src/model/prices.json';
/** The launcher, which is no module, and what the compiler takes for declared elsewhere. */
const COPIED = ['bin/issuewright', 'bin/small-heap.js', 'bin/trim-install.js', 'app.yml', PRICES];
/** Only who develops with a package needs these. */
const UNUSED =
  /\.(?:[cm]?ts|tsx|map|flow)$|\/\.[^/]+$|\/(?!(?:licen[cs]es?|notice|copying)(?:\b|_))[^/]*\.md$/i;
/** Where there is none, the README has the licence. */
const LICENCE = /^(?:licen[cs]e|copying)/i;

interface Manifest {
  readonly version: string;
  readonly optionalDependencies: Readonly<Record<string, string>>;
  readonly scripts?: Readonly<Record<string, string>>;
}

const readManifest = (path: string): Manifest => JSON.parse(readFileSync(path, 'utf8')) as Manifest;

/** After a run that was cut off, someone may have restored the manifest by other means: then the one set aside is old. */
function cleanUp(): void {
  rmSync(COMPILED, { recursive: true, force: true });
  const isPacked = readManifest(MANIFEST).scripts?.['prepack'] === undefined;
  for (const path of [MANIFEST, README]) {
    if (!existsSync(path + SET_ASIDE)) continue;
    if (isPacked) renameSync(path + SET_ASIDE, path);
    else rmSync(path + SET_ASIDE);
  }
}

/** Replaces a file until the clean-up. */
function setAside(path: string, text: string): void {
  renameSync(path, path + SET_ASIDE);
  writeFileSync(path, text);
}

/** Those for all platforms. The others are installed with the package, as its optional dependencies. */
function copyPackages({ optionalDependencies }: Manifest): void {
  const packages = shippedPackages().filter(({ path }) => !(nameOf(path) in optionalDependencies));
  for (const { path, version } of packages) {
    const installed = readManifest(join(path, MANIFEST)).version;
    if (installed !== version)
      throw new Error(`${path} is ${installed}, and not ${version}. Run npm install.`);
    const hasLicence = readdirSync(path).some((name) => LICENCE.test(name));
    cpSync(path, join(COMPILED, path), {
      recursive: true,
      filter: (from) =>
        (!UNUSED.test(from) || (!hasLicence && /^readme\.md$/i.test(relative(path, from)))) &&
        from !== join(path, 'node_modules'),
    });
  }
}

/** Those of this repository that the text shows. */
const picturesIn = (text: string): string[] =>
  [...text.matchAll(/!\[[^\]]*\]\((?!https?:)([^)]+)\)/g)].map(([, path = '']) => path);

/** Links to what is not packed become their words. */
const withoutMissingLinks = (text: string): string =>
  text.replaceAll(/(?<!!)\[([^[\]]+)\]\(([^)]+)\)/g, (link, words: string, to: string) =>
    /^(?:https?:|LICENSE$|docs\/[^/]+\.md(?:#|$))/.test(to) ? link : words,
  );

const nameOf = (path: string): string => path.slice('node_modules/'.length);

function pack(): void {
  const manifest = readManifest(MANIFEST);
  execFileSync('node_modules/.bin/tsc', ['-p', 'tsconfig.package.json'], { stdio: 'inherit' });
  for (const path of COPIED) cpSync(path, join(COMPILED, path));
  copyPackages(manifest);
  const { version } = manifest;
  writeFileSync(join(COMPILED, MANIFEST), JSON.stringify({ version, type: 'module' }));
  const kept = Object.entries(manifest).filter(([name]) => KEPT.has(name));
  const readme = readFileSync(README, 'utf8');
  const files = [...PACKED.files, ...picturesIn(readme)];
  setAside(README, withoutMissingLinks(readme));
  setAside(MANIFEST, JSON.stringify({ ...Object.fromEntries(kept), ...PACKED, files }, null, 2));
}

const KEPT: ReadonlySet<string> = new Set([
  'name',
  'version',
  'private',
  'description',
  'license',
  'type',
  'engines',
  'optionalDependencies',
]);
const PACKED = {
  os: ['linux', 'darwin'],
  bin: { issuewright: `${COMPILED}/bin/issuewright` },
  files: [COMPILED, 'docs/*.md'],
  scripts: { postinstall: `node ${COMPILED}/bin/trim-install.js` },
};

cleanUp();
if (!process.argv.includes('--clean-up')) pack();
