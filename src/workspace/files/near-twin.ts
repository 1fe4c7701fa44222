// Names that differ only in case or in how their letters are composed: different files for git, the same one on
// many disks.
import { unlessItFails } from '../../lib/errors.ts';
import { isUtf8Name } from '../../lib/text/byte-names.ts';
import { quoted, quotedPath, shownPath } from '../../lib/text/invisible.ts';
import type { WriteResult } from '../../contracts/files.ts';
import type { ContainedTree } from './contained-tree.ts';
import { canBeNamed, foldName } from './path-policy.ts';
import type { PathRules } from './repository-paths.ts';

interface Twin {
  readonly names: readonly string[];
  /** Whether it is a twin of the whole path, and not only of a directory on its way. */
  readonly isWhole: boolean;
}

/** What exists under nearly the name of something that does not. */
function nearTwin(
  tree: ContainedTree,
  rules: PathRules,
  path: readonly string[],
): Twin | undefined {
  const found: string[] = [];
  let twin: string[] | undefined;
  for (const name of path) {
    const here = unlessItFails(() => tree.names(found)) ?? [];
    const is = here.includes(name) ? name : here.find(isLike(name));
    if (is === undefined) break;
    found.push(is);
    if (is !== name) twin ??= [...found];
  }
  if (twin === undefined) return undefined;
  const isWhole = found.length === path.length;
  const names = isWhole ? found : twin;
  return rules.isClosed(names) ? undefined : { names, isWhole };
}

function isLike(name: string): (other: string) => boolean {
  const folded = foldName(name);
  return (other) => isUtf8Name(other) && foldName(other) === folded;
}

/** What exists instead of a path that does not, to follow "does not exist"; `undefined` if nothing is known of it. */
export function hintFor(
  tree: ContainedTree,
  rules: PathRules,
  path: readonly string[],
): string | undefined {
  const twin = nearTwin(tree, rules, path);
  return twin === undefined
    ? besideHint(tree, rules, path)
    : `. There is ${shownTwin(twin, path)}.`;
}

const MAX_BESIDE = 10;

/** What is in the nearest directory on the way to the path, names like the one that is missing first. */
function besideHint(
  tree: ContainedTree,
  rules: PathRules,
  path: readonly string[],
): string | undefined {
  let found: readonly string[] | undefined;
  let depth = path.length;
  while (found === undefined && depth > 0) {
    depth -= 1;
    found = unlessItFails(() => tree.names(path.slice(0, depth)));
  }
  const directory = path.slice(0, depth);
  const isListed = (name: string): boolean =>
    canBeNamed([...directory, name].join('/')) && !rules.isClosed([...directory, name]);
  if (found === undefined || rules.isClosed(directory)) return undefined;
  const wanted = path[depth] ?? '';
  const names = found
    .filter(isListed)
    .toSorted(
      (one, other) => likeness(other, wanted) - likeness(one, wanted) || (one < other ? -1 : 1),
    );
  const isDirect = depth === path.length - 1;
  const missing = isDirect ? '' : `: there is no ${quotedPath(path.slice(0, depth + 1).join('/'))}`;
  if (names.length === 0) return isDirect ? ': its directory is empty.' : `${missing}.`;
  const shown = names.slice(0, MAX_BESIDE).map((name) => {
    const isDirectory = unlessItFails(() => tree.kind([...directory, name])) === 'directory';
    return `${shownPath(name)}${isDirectory ? '/' : ''}`;
  });
  const more = names.length > shown.length ? ` and ${names.length - shown.length} more` : '';
  return `${missing}. Beside ${isDirect ? 'it' : 'that'}: ${shown.join(', ')}${more === '' ? '' : `,${more}`}.`;
}

/** How many characters both names begin with. */
function likeness(name: string, wanted: string): number {
  const [one, other] = [name.toLowerCase(), wanted.toLowerCase()];
  let length = 0;
  while (length < one.length && one[length] === other[length]) length += 1;
  return length;
}

/** A sentence about a path where nothing is yet, if it will be beside something of nearly its name. */
export function collisionOf(
  tree: ContainedTree,
  rules: PathRules,
  path: readonly string[],
): Pick<WriteResult, 'collides'> {
  const isNew = unlessItFails(() => tree.exists(path)) === false;
  const twin = isNew ? nearTwin(tree, rules, path) : undefined;
  if (twin === undefined) return {};
  const collides = `Beside it there is ${shownTwin(twin, path)}, and many systems cannot hold both names: keep only one.`;
  return { collides };
}

function shownTwin({ names, isWhole }: Twin, instead: readonly string[]): string {
  const shown = toldApart(names.join('/'), instead.slice(0, names.length).join('/'));
  return isWhole ? shown : `the directory ${shown}`;
}

/** In quotes, and so that it can be told from the other: letters that may look alike are escaped. */
function toldApart(path: string, other: string): string {
  const looksAlike = path.normalize('NFKC') === other.normalize('NFKC');
  if (!looksAlike && path === path.normalize('NFC')) return quoted(path);
  return quoted(path).replaceAll(
    /[^\0-\x7F]/g,
    (unit) => String.raw`\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
