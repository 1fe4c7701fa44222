// Folders whose authors want something to run, or to change outside of them: one row for each setting of git that names a
// program, a path or an identity, and for each file that may be a link, in each form that a folder has.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { isRoot, NOBODY, whyNoOtherUser } from '../../../support/other-user.ts';
import { BRANCH } from './folder-client.ts';
import { FILES } from './hostile-files.ts';
import { LINKS } from './hostile-links.ts';
import { FORMS, newFolder, snapshot, type Form, type HostileFolder } from './hostile-folder.ts';
import { SETTINGS, type Threat } from './hostile-settings.ts';

/** For a hundred folders on a machine that is five times slower. */
const LIMIT_MS = 1_200_000;

const THREATS = [...SETTINGS, ...LINKS, ...FILES];

interface Row {
  readonly threat: Threat;
  readonly folder: HostileFolder;
  readonly before: Map<string, string>;
}

function rowsOf(form: Form, isForeign: boolean): readonly Row[] {
  const threats = THREATS.filter(
    ({ forms = FORMS, needsRoot }) => forms.includes(form) && (isRoot || needsRoot !== true),
  );
  return threats.map((threat) => {
    const folder = newFolder(form);
    threat.plant(folder);
    if (isForeign)
      execFileSync('find', [
        folder.root,
        '-uid',
        '0',
        '-exec',
        'chown',
        '-h',
        `${NOBODY}:${NOBODY}`,
        '{}',
        '+',
      ]);
    return { threat, folder, before: snapshot(folder.root, except(folder, threat)) };
  });
}

/** The repository in which the work is done: that of the folder, unless it begins in another one. */
const repositoryOf = ({ tree, common }: HostileFolder, { at }: Threat): string =>
  at === undefined ? common : join(tree, at);

const except = (folder: HostileFolder, threat: Threat): readonly string[] => [
  ...['objects', 'refs'].map((name) => join(repositoryOf(folder, threat), name)),
  join(folder.root, 'canaries'),
];

/** What came of each: in words, with the programs that ran and what changed outside. */
function useFolders(rows: readonly Row[], uid: number | undefined) {
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', join(import.meta.dirname, 'hostile-process.ts')],
    {
      input: rows.map(({ folder, threat }) => join(folder.tree, threat.at ?? '')).join('\n'),
      encoding: 'utf8',
      env: { PATH: process.env['PATH'] },
      ...(uid === undefined ? {} : { uid, gid: uid }),
    },
  );
  expect([status, stderr]).toEqual([0, '']);
  const answers = stdout.trim().split('\n');
  return rows.map(({ threat, folder, before }, at) => {
    const now = snapshot(folder.root, except(folder, threat));
    const paths = [...new Set([...before.keys(), ...now.keys()])];
    return {
      name: threat.name,
      came: String(JSON.parse(answers[at] ?? '""')),
      ran: folder.ran(),
      changed: paths.filter((path) => before.get(path) !== now.get(path)),
      isThere: existsSync(join(repositoryOf(folder, threat), 'refs/heads', BRANCH)),
    };
  });
}

type Came = ReturnType<typeof useFolders>[number];

const isHarmful = ({ ran, changed }: Came): boolean => ran.length + changed.length > 0;

const isExpected = ({ came, isThere }: Came, { refused }: Threat): boolean =>
  refused === undefined
    ? came === 'worked' && isThere
    : came.startsWith('refused') && refused.test(came);

describe.each(FORMS)('a hostile folder (%s)', (form) => {
  it(
    'runs nothing and changes nothing outside',
    () => {
      const uid = whyNoOtherUser === '' ? NOBODY : undefined;
      const rows = rowsOf(form, uid !== undefined);
      const found = useFolders(rows, uid).filter(
        (one, at) => isHarmful(one) || !isExpected(one, rows[at]!.threat),
      );
      expect(found).toEqual([]);
    },
    LIMIT_MS,
  );

  const asRoot = isRoot ? it : it.skip;
  asRoot(
    'is refused to root if it belongs to another user',
    () => {
      const found = useFolders(rowsOf(form, true), undefined).filter(
        (one) =>
          isHarmful(one) ||
          !/^refused: .*(?:belongs to another user|\.git is a link)/.test(one.came),
      );
      expect(found).toEqual([]);
    },
    LIMIT_MS,
  );
});
