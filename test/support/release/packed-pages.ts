// The pages that `npm pack` packs, without links and pictures that lead out of the package.
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { splitCode } from '../../../src/github/text/code-ranges.ts';

const README = 'README.md';
/** What the pages name for people to copy. */
const FOR_COPYING = [
  'LICENSE',
  'app.yml',
  'apparmor-profile',
  'seccomp.json',
  ...globSync('docs/*.{json,service,yaml}'),
];
const SHOWN = /^ *!\[[^\]]*\]\(([^)]+)\)\n/gm;
const LINK = /(?<!!)\[([^[\]]+)\]\(([^)]+)\)/g;
/** A remark that says nothing without its link, such as ` ([why](decisions/…))` or ` [Why](decisions/…).` */
const REMARK = /\s+(?:\(\[[^[\]]+\]\(([^)]+)\)\)|\[Why[^[\]]*\]\(([^)]+)\)\.)/g;

export interface PackedPages {
  /** By path. */
  readonly pages: ReadonlyMap<string, string>;
  /** Other files that the pages show or link to. */
  readonly files: readonly string[];
}

export function packedPages(): PackedPages {
  const paths = [README, ...globSync('docs/*.md').toSorted()];
  const readme = readFileSync(README, 'utf8');
  const files = [...FOR_COPYING, ...[...readme.matchAll(SHOWN)].map(([, path = '']) => path)];
  const packed = new Set([...paths, ...files]);
  const leadsOut = (page: string, to: string): boolean => {
    const [path = ''] = to.split('#', 1);
    return (
      path !== '' && !/^https?:/.test(path) && !packed.has(normalize(join(dirname(page), path)))
    );
  };
  const proseWithinPackage = (page: string, text: string): string => {
    const unless = (match: string, to: string): string => (leadsOut(page, to) ? '' : match);
    return text
      .replaceAll(SHOWN, unless)
      .replaceAll(REMARK, (remark, inside?: string, after?: string) =>
        unless(remark, inside ?? after ?? ''),
      )
      .replaceAll(LINK, (link, words: string, to: string) => unless(link, to) || words);
  };
  /** Blocks of code stay as they are. */
  const withinPackage = (page: string, text: string): string => {
    let packedText = '';
    let prose = '';
    for (const { kind, text: piece } of splitCode(text)) {
      if (kind !== 'block') prose += piece;
      else {
        packedText += proseWithinPackage(page, prose) + piece;
        prose = '';
      }
    }
    return packedText + proseWithinPackage(page, prose);
  };
  return {
    pages: new Map(paths.map((path) => [path, withinPackage(path, readFileSync(path, 'utf8'))])),
    files,
  };
}
