// A repository of 28,000 files that is the same at each run: packages of TypeScript about shops.
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const PACKAGES = 40;
const DIRECTORIES = 20;
const FILES = 35;
export const FILE_COUNT = PACKAGES * DIRECTORIES * FILES;

/** In three of the files, and nowhere else. */
export const NEEDLE = 'needle_in_the_haystack';

const IGNORED =
  'node_modules/\ndist/\ncoverage/\n*.log\n*.tmp\n.env\n.DS_Store\n/build\n!keep.log\n';
const WORDS = (
  'account address amount basket batch bill branch buffer cache card cart charge chunk client clock column count ' +
  'coupon currency customer date delivery detail discount draft edge email entry error event export fee field ' +
  'filter format graph header image import index input invoice item journal key label ledger limit line link list ' +
  'mail match member message method model name node note number offer option order owner page parcel parser path ' +
  'payment person plan point policy price product profile query queue quota rate record refund region report ' +
  'request result retry role route rule sale schema score search section seller series session shipment site size ' +
  'sort source stock store stream string supplier table target task tax template token total type unit user value ' +
  'vendor version view voucher weight window worker zone'
).split(' ');

/** Numbers that look random and are always the same (a linear congruential generator). */
function dice(): (sides: number) => number {
  let state = 12_345;
  return (sides) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return Math.floor((state / 0x80000000) * sides);
  };
}

interface SourceFile {
  /** From the root, with slashes. */
  readonly path: string;
  readonly text: string;
}

/** The first files of that repository, or more of the same kind. */
export function* sourceFiles(count: number): Generator<SourceFile> {
  const roll = dice();
  const word = (): string => WORDS[roll(WORDS.length)] ?? '';
  let place = '';
  for (let files = 0; files < count; files += 1) {
    const directory = Math.floor(files / FILES);
    const pack = Math.floor(directory / DIRECTORIES);
    if (files % FILES === 0)
      place = `packages/${word()}-${pack}/src/${word()}-${directory % DIRECTORIES}`;
    const needle = files % 10_000 === 5000 ? `export const ${NEEDLE} = ${files};\n` : '';
    const text = sourceFile(word, roll) + needle;
    yield { path: `${place}/${word()}-${word()}-${files % FILES}.ts`, text };
  }
}

/** Writes the repository. Answers how many bytes it has. */
export function writeRepository(root: string): number {
  let bytes = 0;
  for (const { path: file, text } of sourceFiles(FILE_COUNT)) {
    mkdirSync(path.join(root, path.dirname(file)), { recursive: true });
    writeFileSync(path.join(root, file), text);
    bytes += text.length;
  }
  writeFileSync(path.join(root, '.gitignore'), IGNORED);
  execFileSync('git', ['init', '-q'], { cwd: root });
  return bytes;
}

function sourceFile(word: () => string, roll: (sides: number) => number): string {
  const functions = 3 + roll(1 + roll(28));
  const parts = [`import { ${word()}${capital(word())} } from './${word()}.ts';\n`];
  for (let index = 0; index < functions; index += 1) parts.push(sourceFunction(word, roll));
  return parts.join('\n');
}

function sourceFunction(word: () => string, roll: (sides: number) => number): string {
  const name = `${word()}${capital(word())}${capital(word())}`;
  const lines = Array.from(
    { length: 3 + roll(8) },
    () =>
      `  const ${word()}${capital(word())} = ${word()}.${word()}${capital(word())}(${word()}, ${roll(1000)});\n`,
  );
  return (
    `/** ${capital(word())} the ${word()} of a ${word()} before the ${word()} of the ${word()} is made. */\n` +
    `export function ${name}(${word()}: string, ${word()}: number): ${capital(word())} {\n` +
    `${lines.join('')}  return ${word()}${capital(word())};\n}\n`
  );
}

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
