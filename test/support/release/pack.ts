// What `npm pack` packs: `compiled/`, which is the program and its packages as JavaScript, and a package.json for it. With `--clean-up`
// the checkout is as before.
import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, extname, join, relative } from 'node:path';
import { nodeFileTrace } from '@vercel/nft';
import { shippedPackages } from './lock-file.ts';
import { packedPages } from './packed-pages.ts';

const COMPILED = 'compiled';
const MANIFEST = 'package.json';
/** Has the files of the checkout that are packed in another form, until the clean-up. */
const SET_ASIDE = '.set-aside';
const ORIGINALS = join(SET_ASIDE, 'originals');
const PACKED_FORMS = join(SET_ASIDE, 'packed');
/** Of the model that follows a script. */
const PRICES = 'packages/local-github/src/model/prices.json';
/** The launcher, which is no module, and what the compiler takes for declared elsewhere. */
const COPIED = ['bin/issuewright', 'bin/small-heap.js', 'bin/trim-install.js', 'app.yml', PRICES];
const CODE: ReadonlySet<string> = new Set(['.js', '.mjs', '.cjs']);
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

/** What someone changed or restored since a run that was cut off stays as it is. */
function cleanUp(): void {
  rmSync(COMPILED, { recursive: true, force: true });
  if (!existsSync(SET_ASIDE)) return;
  for (const entry of readdirSync(ORIGINALS, { recursive: true, withFileTypes: true })) {
    const original = join(entry.parentPath, entry.name);
    const path = relative(ORIGINALS, original);
    if (entry.isFile() && textOf(path) === textOf(join(PACKED_FORMS, path))) cpSync(original, path);
  }
  rmSync(SET_ASIDE, { recursive: true });
}

const textOf = (path: string): string | undefined =>
  existsSync(path) ? readFileSync(path, 'utf8') : undefined;

/** Replaces a file until the clean-up. */
function setAside(path: string, text: string): void {
  cpSync(path, join(ORIGINALS, path));
  mkdirSync(dirname(join(PACKED_FORMS, path)), { recursive: true });
  writeFileSync(join(PACKED_FORMS, path), text);
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

/**
 * Removes what no module of ours leads to, half of all files: the CommonJS twins of ES modules, and packages that only types, tests
 * or other ways into a package need. What is no code may be read by its path, and stays.
 */
async function removeUnusedCode(): Promise<void> {
  const modules = globSync(`${COMPILED}/{bin,src,packages}/**/*.js`);
  const { fileList: used } = await nodeFileTrace(modules, { base: COMPILED, mixedModules: true });
  const usedPackages = new Set([...used].map(packageOf));
  for (const file of globSync('node_modules/**', { cwd: COMPILED, withFileTypes: true })) {
    if (!file.isFile()) continue;
    const path = relative(COMPILED, join(file.parentPath, file.name));
    const unusedCode = CODE.has(extname(path)) && !used.has(path);
    if (unusedCode || !usedPackages.has(packageOf(path))) rmSync(join(COMPILED, path));
  }
}

/** The folder of the package that a file belongs to, if it is in one. */
const packageOf = (path: string): string | undefined =>
  /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0];

const nameOf = (path: string): string => path.slice('node_modules/'.length);

async function pack(): Promise<void> {
  const manifest = readManifest(MANIFEST);
  execFileSync('node_modules/.bin/tsc', ['-p', 'tsconfig.package.json'], { stdio: 'inherit' });
  for (const path of COPIED) cpSync(path, join(COMPILED, path));
  copyPackages(manifest);
  await removeUnusedCode();
  const { version } = manifest;
  writeFileSync(join(COMPILED, MANIFEST), JSON.stringify({ version, type: 'module' }));
  const kept = Object.entries(manifest).filter(([name]) => KEPT.has(name));
  const { pages, files } = packedPages();
  const packed = { ...PACKED, files: [COMPILED, ...pages.keys(), ...files] };
  setAside(MANIFEST, JSON.stringify({ ...Object.fromEntries(kept), ...packed }, null, 2));
  for (const [path, text] of pages) setAside(path, text);
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
  scripts: { postinstall: `node ${COMPILED}/bin/trim-install.js` },
};

cleanUp();
if (!process.argv.includes('--clean-up')) await pack();
