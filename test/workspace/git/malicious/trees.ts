// Trees that git itself would not make, and what is checked out of them.
import { join } from 'node:path';
import { RawObjects, type Entry } from '../../../support/raw-objects.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';

/** Paths with contents, `→ target` of a link, `/` of a directory with nothing in it. */
export type Seen = Readonly<Record<string, string>>;

export interface Trap {
  readonly objects: RawObjects;
  readonly commit: string;
  /** By default all objects. */
  readonly pack?: Buffer;
}

/** What is checked out, or that it is refused in words; `either`: that, or the file that it has. */
export type Traps = Readonly<
  Record<string, readonly [make: () => Trap, seen: Seen | 'refused' | 'either']>
>;

export const SECRET = 'secret from outside';
/** Nothing may be written here. */
export const outside = temporaryDirectory();
export const secret = join(outside, 'secret');
const MISSING = '1'.repeat(40);

export const FILE: Seen = { file: 'x' };
const kitOf = () => {
  const objects = new RawObjects();
  return { objects, x: objects.blob('x'), tree: objects.tree, blob: objects.blob };
};
type Kit = ReturnType<typeof kitOf>;

/** A commit of a tree with a file and these entries, which git's order need not have. */
const tree =
  (make: (kit: Kit) => readonly Entry[]): (() => Trap) =>
  () => {
    const kit = kitOf();
    const entries = [...make(kit), ['100644', 'file', kit.x] as const];
    const root = kit.tree(...entries.toSorted(([, one], [, other]) => (one < other ? -1 : 1)));
    return { objects: kit.objects, commit: kit.objects.commit(root) };
  };

/** A directory with a file named `config`, under this name. */
const hidden = (name: string) =>
  tree(({ tree: inner, x }) => [['40000', name, inner(['100644', 'config', x])]]);
const fileNamed = (name: string) => tree(({ x }) => [['100644', name, x]]);
const utf8 = (name: string): string => Buffer.from(name).toString('latin1');

export const TREES: Traps = {
  'the directory of git': [hidden('.git'), FILE],
  'the directory of git in capitals': [hidden('.GIT'), FILE],
  'the directory of git in mixed case': [hidden('.GiT'), FILE],
  'the directory of git with a space': [hidden('.git '), FILE],
  'the directory of git with a dot': [hidden('.git.'), FILE],
  'the directory of git with dots and spaces': [hidden('.git . .'), FILE],
  'the short name of the directory of git': [hidden('git~1'), FILE],
  'its short name in capitals': [hidden('GIT~1'), FILE],
  'the directory of git with a joiner': [hidden(utf8('.g\u200dit')), FILE],
  'the directory of git with a non-joiner': [hidden(utf8('.gi\u200ct')), FILE],
  'the directory of git with a byte order mark': [hidden(utf8('\ufeff.git')), FILE],
  'the directory of git as a stream': [hidden('.git::$INDEX_ALLOCATION'), FILE],
  'a file that says where git is': [fileNamed('.git'), FILE],
  'a link in the place of the directory of git': [
    tree(({ blob }) => [['120000', '.git', blob(outside)]]),
    FILE,
  ],
  'the directory of git in a directory': [
    tree(({ tree: inner, x }) => [
      ['40000', 'a', inner(['40000', '.git', inner(['100644', 'config', x])])],
    ]),
    { ...FILE, a: '/' },
  ],
  'the parent': [hidden('..'), FILE],
  'the directory itself': [hidden('.'), FILE],
  'a name without characters': [hidden(''), 'either'],
  'a path in the place of a name': [fileNamed('../escaped'), FILE],
  'an absolute path': [fileNamed(join(outside, 'escaped')), FILE],
  'two entries of one name': [
    tree(({ x, blob }) => [
      ['100644', 'a', x],
      ['100644', 'a', blob('y')],
    ]),
    'refused',
  ],
  'a link, and a directory of its name with a file': [
    tree(({ tree: inner, x, blob }) => [
      ['120000', 'a', blob(outside)],
      ['40000', 'a', inner(['100644', 'secret', x])],
    ]),
    'refused',
  ],
  'a submodule of the name of a file': [
    tree(({ x }) => [
      ['100644', 'a', x],
      ['160000', 'a', MISSING],
    ]),
    'refused',
  ],
  'a submodule of the name of a link': [
    tree(({ blob }) => [
      ['120000', 'a', blob(outside)],
      ['160000', 'a', MISSING],
    ]),
    'refused',
  ],
  'a submodule in the place of the directory of git': [
    tree(() => [['160000', '.git', MISSING]]),
    FILE,
  ],
  'a submodule of commit zero': [
    tree(() => [['160000', 'module', '0'.repeat(40)]]),
    { ...FILE, module: '/' },
  ],
  'links that lead out': [
    tree(({ blob }) => [
      ['120000', 'all', blob('/')],
      ['120000', 'environment', blob('/proc/self/environ')],
      ['120000', 'up', blob('../..')],
      ['120000', 'to', blob(secret)],
    ]),
    { ...FILE, all: '→ /', environment: '→ /proc/self/environ', up: '→ ../..', to: `→ ${secret}` },
  ],
  'a link without a target': [tree(({ blob }) => [['120000', 'a', blob('')]]), 'refused'],
  'a link with a NUL in its target': [
    tree(({ blob }) => [['120000', 'a', blob(`x\0y`)]]),
    'refused',
  ],
  'a link with a target of 100,000 bytes': [
    tree(({ blob }) => [['120000', 'a', blob('x'.repeat(100_000))]]),
    'refused',
  ],
  'links in the place of the files that git reads': [
    tree(({ blob }) => [
      ['120000', '.gitattributes', blob(secret)],
      ['120000', '.gitignore', blob(secret)],
      ['120000', '.gitmodules', blob(secret)],
    ]),
    {
      ...FILE,
      '.gitattributes': `→ ${secret}`,
      '.gitignore': `→ ${secret}`,
      '.gitmodules': `→ ${secret}`,
    },
  ],
  'attributes that run programs': [
    tree(({ blob }) => [
      ['100644', '.gitattributes', blob('* filter=x diff=x merge=x text eol=crlf\n')],
    ]),
    { ...FILE, '.gitattributes': '* filter=x diff=x merge=x text eol=crlf\n' },
  ],
  'submodules whose settings run programs': [
    tree(({ blob }) => [
      [
        '100644',
        '.gitmodules',
        blob('[submodule "../../x"]\n\tpath = -x\n\turl = -u./x\n\tupdate = !touch x\n'),
      ],
      ['160000', '-x', MISSING],
    ]),
    {
      ...FILE,
      '-x': '/',
      '.gitmodules': '[submodule "../../x"]\n\tpath = -x\n\turl = -u./x\n\tupdate = !touch x\n',
    },
  ],
  'a name of 5,000 bytes': [fileNamed('n'.repeat(5_000)), FILE],
  'names that only git can hold': [
    tree(({ x }) => [
      ['100644', 'back\\slash', x],
      ['100644', 'new\nline', x],
    ]),
    { ...FILE, 'back\\slash': 'x', 'new\nline': 'x' },
  ],
  'entries in no order': [
    () => {
      const { objects, x, tree: raw } = kitOf();
      const entries: Entry[] = ['z', 'file', 'a'].map((name) => ['100644', name, x]);
      return { objects, commit: objects.commit(raw(...entries)) };
    },
    { ...FILE, a: 'x', z: 'x' },
  ],
  'modes that do not exist': [
    tree(({ x }) => [
      ['0', 'mode-0', x],
      ['1', 'mode-1', x],
      ['10644', 'mode-10644', x],
      ['60644', 'a device', x],
      ['140000', 'a socket', x],
      ['x', 'no-number', x],
    ]),
    'either',
  ],
  'modes of old': [
    tree(({ x, tree: inner }) => [
      ['100600', 'a', x],
      ['100777', 'b', x],
      ['106755', 'setuid', x],
      ['040000', 'zero', inner(['0100644', 'c', x])],
    ]),
    { ...FILE, a: 'x', b: 'x', setuid: 'x', 'zero/c': 'x' },
  ],
  'a file in the place of a directory': [tree(({ x }) => [['40000', 'a', x]]), 'refused'],
  'a directory in the place of a file': [
    tree(({ tree: inner, x }) => [['100644', 'a', inner(['100644', 'b', x])]]),
    'refused',
  ],
  'a file that is missing': [tree(() => [['100644', 'a', MISSING]]), 'refused'],
  'a directory that is missing': [tree(() => [['40000', 'a', MISSING]]), 'refused'],
  'a directory that is cut off': [
    tree(({ objects }) => [['40000', 'a', objects.add('tree', '100644 b\0too short')]]),
    'refused',
  ],
  'a directory that is something else': [
    tree(({ objects }) => [['40000', 'a', objects.add('tree', 'something else')]]),
    'refused',
  ],
  '1,200 directories in one another': [
    tree((kit) => [['40000', 'd', nested(kit, 1_199)]]),
    { ...FILE, [`${'d/'.repeat(1_200)}x`]: 'x' },
  ],
  'directories in one another below all that a path can name': [
    tree((kit) => [['40000', 'd', nested(kit, 5_000)]]),
    // To where the system has a name for them; git has the rest.
    { ...FILE, ['d/'.repeat(1_750).slice(0, -1)]: '/' },
  ],
  '10,000,000,000 files of the same few objects': [
    tree(({ x, tree: inner }) => {
      const ten = (mode: string, oid: string): Entry[] =>
        Array.from({ length: 10 }, (_, at) => [mode, String(at), oid]);
      let level = inner(...ten('100644', x));
      for (let depth = 0; depth < 9; depth += 1) level = inner(...ten('40000', level));
      return [['40000', 'bomb', level]];
    }),
    'refused',
  ],
  'directories without files, of the same few objects': [
    tree(({ tree: inner }) => {
      let level = inner();
      for (let depth = 0; depth < 24; depth += 1)
        level = inner(['40000', 'a', level], ['40000', 'b', level]);
      return [['40000', 'bomb', level]];
    }),
    'refused',
  ],
};

/** A directory with so many more below it, the last of which has a file. */
function nested({ tree: inner, x }: Kit, depth: number): string {
  let level = inner(['100644', 'x', x]);
  for (let at = 0; at < depth; at += 1) level = inner(['40000', 'd', level]);
  return level;
}
