import { posix } from 'node:path';
import { TellPerson } from './errors.ts';
import { shownPath } from './text/invisible.ts';

const LONGEST_NAME = 300;

/**
 * The path of the other file that this one only names, as a symbolic link does, and `@AGENTS.md` in
 * a CLAUDE.md; from the directory of the file.
 */
export function instructionsTarget(file: {
  readonly path: string;
  readonly text: string;
}): string | undefined {
  const { path, text } = file;
  if (text.length > LONGEST_NAME || /\s/.test(text)) return undefined;
  const target = posix.join(posix.dirname(path), text.replace(/^@/, ''));
  return target === path ? undefined : target;
}

/** Hops; a system follows forty links. */
const MOST_LINKS = 20;

/** A link of a repository that cannot be followed. */
export class LinkFault extends TellPerson {}

/** The path from the root that `path` means in a file at `from`; `undefined` if that is outside. */
export function pathInside(from: string, path: string): string | undefined {
  const joined = posix.normalize(posix.join(posix.dirname(from), path)).replace(/\/$/, '');
  const isOutside = path.startsWith('/') || path.startsWith('~') || /^\.\.(?:\/|$)/.test(joined);
  return isOutside ? undefined : joined;
}

/** Where the link at a path leads, in its own words; or what is there instead. */
export type LinkAt = (path: string) => Promise<{ readonly target: string } | 'no link' | 'nothing'>;

/** Whether the settings close a path to the agent. */
export type IsClosed = (path: string) => boolean;

/**
 * The path with all links on it followed, the last one too; `undefined` if nothing is there.
 * @throws {LinkFault} if a link leads out of the repository, in a circle, to nothing, or to a path that is closed
 */
export async function followLinks(
  path: string,
  linkAt: LinkAt,
  isClosed: IsClosed = () => false,
): Promise<string | undefined> {
  let names = path.split('/');
  let hops = 0;
  for (let depth = 1; depth <= names.length; depth += 1) {
    const place = names.slice(0, depth).join('/');
    const found = await linkAt(place);
    if (found === 'nothing' && hops === 0) return undefined;
    if (found === 'nothing') throw linkFault(path, 'leads to nothing');
    if (found === 'no link') continue;
    hops += 1;
    if (hops > MOST_LINKS) throw linkFault(path, 'leads in a circle');
    const inside = pathInside(place, found.target);
    if (inside === undefined) throw linkFault(path, 'leads out of the repository');
    names = [...(inside === '.' ? [] : inside.split('/')), ...names.slice(depth)];
    depth = 0;
  }
  if (hops > 0 && isClosed(names.join('/')))
    throw linkFault(path, 'leads to a file that the settings close');
  return names.join('/');
}

const linkFault = (link: string, why: string): LinkFault =>
  new LinkFault(`\`${shownPath(link)}\` is a link that ${why}.`);
