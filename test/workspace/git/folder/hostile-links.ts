// Links and pipes in the place of git's own files, as the author of a folder could make them.
import { cpSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { nativeGit } from '../../../support/git-server.ts';
import { BRANCH } from './folder-client.ts';
import type { HostileFolder } from './hostile-folder.ts';
import { makePipe, type Threat } from './hostile-settings.ts';

type Base = 'gitdir' | 'common';

/** Git's own files and directories that a link may replace, with what it leads to. */
const PLACES_OF_LINKS: readonly (readonly [base: Base, path: string, refused?: RegExp])[] = [
  ['gitdir', 'HEAD', /HEAD.* is a link/],
  ['gitdir', 'index', /index.* is a link/],
  ['common', 'config', /config.* is a link/],
  ['common', 'packed-refs', /packed-refs.* is a link/],
  ['common', 'shallow', /shallow.* is a link/],
  ['common', 'refs', /refs.* is a link/],
  ['common', 'refs/heads', /refs\/heads.* is a link/],
  ['common', 'refs/heads/main', /refs\/heads\/main.* is a link/],
  ['common', 'refs/heads/issuewright', /refs\/heads\/issuewright.* is a link/],
  ['common', `refs/heads/${BRANCH}`, /refs\/heads\/issuewright\/a-task.* is a link/],
  ['common', 'objects', /objects.* is a link/],
  ['common', 'objects/pack', /objects\/pack.* is a link/],
  ['common', 'objects/info', /objects\/info.* is a link/],
  [
    'common',
    'objects/pack/pack-0000000000000000000000000000000000000000.pack',
    /\.pack.* is a link/,
  ],
  ['common', 'objects/info/alternates', /alternates.* is a link/],
  ['common', 'logs'],
  ['common', 'logs/refs'],
  ['common', 'logs/refs/heads'],
  ['common', 'logs/refs/heads/issuewright'],
  ['common', `logs/refs/heads/${BRANCH}`],
  ['gitdir', 'logs/HEAD'],
  ['common', 'info'],
  ['common', 'info/attributes'],
  ['common', 'info/exclude'],
  ['common', 'hooks'],
];

/** Moves what is there to the outside, and puts a link in its place. Logs are written from now on. */
function plantLink(folder: HostileFolder, base: Base, path: string): void {
  const place = join(folder[base], path);
  const target = join(folder.outside, basename(path));
  mkdirSync(dirname(place), { recursive: true });
  if (existsSync(place)) {
    cpSync(place, target, { recursive: true, preserveTimestamps: true });
    rmSync(place, { recursive: true });
  } else if (
    /^(?:logs(?:\/refs(?:\/heads(?:\/issuewright)?)?)?|refs\/heads\/issuewright)$/.test(path)
  )
    mkdirSync(target);
  else writeFileSync(target, path.startsWith('logs/') ? 'echo Hello\n' : '');
  symlinkSync(target, place);
  const words = `;${folder.program('log')}\n#`;
  const config = join(folder.common, 'config');
  for (const [key, value] of [
    ['core.logAllRefUpdates', 'always'],
    ['user.name', words],
    ['user.email', words],
  ] as const)
    nativeGit('/', 'config', '--file', config, key, value);
}

const PLACES_OF_PIPES: readonly (readonly [base: Base, path: string, refused?: RegExp])[] = [
  ['gitdir', 'HEAD', /HEAD.* is not a file/],
  ['gitdir', 'index', /index.* is not a file/],
  ['common', 'config', /config.* is not a file/],
  ['common', 'packed-refs', /packed-refs.* is not a file/],
  ['common', 'refs/heads/pipe', /refs\/heads\/pipe.* is not a file/],
  ['common', 'objects/info/alternates', /alternates.* is not a file/],
  ['common', 'objects/pack/pack-1.idx', /pack-1\.idx.* is not a file/],
];

export const LINKS: readonly Threat[] = [
  ...PLACES_OF_LINKS.map(([base, path, refused]): Threat => ({
    name: `a link in the place of ${path}`,
    plant: (folder) => plantLink(folder, base, path),
    ...(refused === undefined ? {} : { refused }),
  })),
  ...PLACES_OF_PIPES.map(([base, path, refused]): Threat => ({
    name: `a pipe in the place of ${path}`,
    plant: (folder) => {
      rmSync(join(folder[base], path), { force: true });
      makePipe(join(folder[base], path));
    },
    ...(refused === undefined ? {} : { refused }),
  })),
];
