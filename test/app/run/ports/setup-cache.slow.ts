// What `setup` installs, found again by the next session: real git, the real sandbox.
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { committer } from '../../../../packages/local-github/src/github/actions/committer.ts';
import { openShells, type Shells } from '../../../../src/app/service/shells.ts';
import type { DependencyUse } from '../../../../src/contracts/effect.ts';
import { json } from '../../../agent/support.ts';
import { whyNot } from '../../../../packages/sandbox/test/support.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';
import { entriesOf, openService, SHELLS, type Service } from '../../support.ts';
import { CONTAINED, NO_IMAGES } from '../../../support/shell-settings.ts';

const MAX_BYTES = 2 ** 26;
const sh = (command: string): [string, object] => ['run_shell_command', { command }];
const INSTALL =
  'mkdir -p node_modules/dep && head -c 9 /dev/urandom | base64 > node_modules/dep/id && cp package.json node_modules/dep/';

let shells: Shells | undefined;
let service: Service | undefined;
beforeAll(async () => {
  shells = await openShells(CONTAINED, {
    dataDir: '/unused',
    imageRoom: NO_IMAGES,
    log: pino({ level: 'silent' }),
  });
});
afterEach(() => service?.close());
afterAll(() => shells?.close());

const filesWith = (settings: readonly string[]): Record<string, string> => ({
  'package.json': '{"name": "sample"}\n',
  'package-lock.json': '{"version": 1}\n',
  'made.txt': 'by people\n',
  '.gitignore': 'node_modules/\n.venv/\n',
  '.github/issuewright.yml': settings.join('\n'),
});
const NODE = [`setup: '${INSTALL}'`, 'cache: { paths: [node_modules], key: [package-lock.json] }'];

const start = async (
  settings: readonly string[],
  {
    more = {},
    maxBytes = MAX_BYTES,
    commands = shells,
  }: { more?: Record<string, string>; maxBytes?: number; commands?: Shells | undefined } = {},
): Promise<Service> => {
  const cache = { directory: join(temporaryDirectory(), 'cache'), maxBytes };
  service = await openService(
    { ...filesWith(settings), ...more },
    {
      ...(commands && { shells: commands }),
      git: { engine: 'native', maxBytes: MAX_BYTES, cache },
    },
  );
  return service;
};

/** A session in which the model makes these calls. */
async function play(to: Service, title: string, ...calls: [string, object][]) {
  const session = await to.start(title);
  to.model.says(...calls.map((call) => json(call)), json(['finish', { summary: 'Done.' }]));
  await session.advance();
  const finished = entriesOf(await session.journal(), 'call_finished');
  const effects = finished.flatMap((call) => call.effects);
  return {
    session,
    outputs: finished.map(({ output }) => output),
    changed: finished.map(({ changedFiles }) => changedFiles),
    use: effects.find((effect): effect is DependencyUse => effect.type === 'dependencies'),
    setups: effects.filter(({ type }) => type === 'setup').length,
  };
}

const idIn = (output = ''): string => /id: (\S+)/.exec(output)?.[1] ?? output;
const SAY_ID = 'echo "id: $(cat node_modules/dep/id)"';

(whyNot === '' ? describe : describe.skip)('dependencies', () => {
  it('are installed once for two sessions, and what one does with them the other does not see', async () => {
    const to = await start(NODE);
    const first = await play(
      to,
      'First',
      sh(
        `${SAY_ID} && echo evil > node_modules/dep/index.js && chmod -R 777 node_modules && rm node_modules/dep/id`,
      ),
    );
    expect(first.use).toMatchObject({ cache: 'kept', paths: ['node_modules'], isAll: true });
    expect(first.setups).toBe(1);
    const second = await play(
      to,
      'Second',
      sh(`${SAY_ID}; ls node_modules/dep; stat -c '%a %U' node_modules/dep/id`),
      sh('echo more >> node_modules/dep/id; echo A > a.txt'),
    );
    expect(second.use).toMatchObject({ cache: 'found', paths: ['node_modules'], isAll: true });
    expect(second.setups).toBe(0);
    expect(idIn(second.outputs[0])).toBe(idIn(first.outputs[0]));
    expect(second.outputs[0]).toMatch(/\nid\npackage\.json\n6\d\d agent\n?$/);
    expect(second.outputs[0]).toContain('node_modules is there as the repository');
    expect(second.changed).toEqual([undefined, 1, undefined]);
    expect(second.session.onBranch('')).not.toContain('node_modules');
    const third = await play(to, 'Third', sh(SAY_ID));
    expect(idIn(third.outputs[0])).toBe(idIn(first.outputs[0]));
  });

  it('are those of the base branch, whatever the agent wrote before its first command', async () => {
    const to = await start(NODE);
    const evil: [string, object] = [
      'write_file',
      { path: 'package.json', content: '{"evil": 1}\n' },
    ];
    const first = await play(to, 'First', evil, sh('cat node_modules/dep/package.json'));
    expect(first.use?.cache).toBe('kept');
    expect(first.outputs[1]).toContain('"sample"');
    const lock: [string, object] = [
      'write_file',
      { path: 'package-lock.json', content: '{"evil": 1}\n' },
    ];
    const second = await play(to, 'Second', evil, lock, sh('cat node_modules/dep/package.json'));
    expect(second.use).toMatchObject({
      cache: 'unused',
      reason: expect.stringMatching(/differs from the branch main/),
    });
    expect([second.setups, second.outputs[2]]).toEqual([1, expect.stringContaining('"evil"')]);
    const third = await play(to, 'Third', lock, sh('cat node_modules/dep/package.json'));
    expect([third.use?.cache, third.setups]).toEqual(['unused', 1]);
    const fourth = await play(to, 'Fourth', sh('cat node_modules/dep/package.json'));
    expect([fourth.use?.cache, fourth.outputs[0]]).toEqual([
      'found',
      expect.stringContaining('"sample"'),
    ]);
  });

  it('are installed anew when a lock file of the base branch changes, and in a run when the agent changes it', async () => {
    const to = await start(NODE);
    const first = await play(
      to,
      'First',
      sh(SAY_ID),
      sh('echo "{}" > package-lock.json'),
      sh(SAY_ID),
    );
    expect(first.setups).toBe(2);
    expect(idIn(first.outputs[2])).not.toBe(idIn(first.outputs[0]));
    await to.repository.git.commitFiles({
      branch: 'main',
      files: { 'package-lock.json': '{"version": 2}\n' },
      message: 'Update',
      author: committer(to.github.as('maintainer').user),
    });
    const second = await play(to, 'Second', sh(SAY_ID));
    expect(second.use?.cache).toBe('kept');
    const third = await play(to, 'Third', sh(SAY_ID));
    expect([third.use?.cache, third.setups]).toEqual(['found', 0]);
    expect(idIn(third.outputs[0])).toBe(idIn(second.outputs[0]));
    expect(idIn(third.outputs[0])).not.toBe(idIn(first.outputs[0]));
  });

  it('of one part of a repository are not those of another', async () => {
    const setup = `setup: 'mkdir -p node_modules && ls services > node_modules/parts'`;
    const settings = (...parts: string[]) =>
      filesWith([setup, NODE[1] ?? '', `sparse: [${parts.join(', ')}]`]);
    const to = await start([], {
      more: { ...settings('services/a'), 'services/a/x': 'x\n', 'services/b/x': 'x\n' },
    });
    const look = async (title: string) => {
      const { use, outputs } = await play(to, title, sh('cat node_modules/parts'));
      return [use?.cache, outputs[0]?.trim().split('\n').slice(-2).join(' ')];
    };
    const choose = (...parts: string[]) =>
      to.repository.git.commitFiles({
        branch: 'main',
        files: settings(...parts),
        message: 'Work on another part',
        author: committer(to.github.as('maintainer').user),
      });
    expect(await look('First')).toEqual(['kept', expect.stringMatching(/\ba$/)]);
    await choose('services/a', 'services/b');
    expect(await look('Second')).toEqual(['kept', 'a b']);
    await choose('services/b', 'services/a');
    expect(await look('Third')).toEqual(['found', 'a b']);
    await choose('services/a');
    expect(await look('Fourth')).toEqual(['found', expect.stringMatching(/[^b] a$/)]);
  });

  it('are installed once by two sessions that begin at once', async () => {
    const to = await start(NODE);
    const sessions = [await to.start('One'), await to.start('Two')];
    const both = Promise.withResolvers<void>();
    let asked = 0;
    const bothRun = async (): Promise<string> => {
      asked += 1;
      if (asked === 2) both.resolve();
      await both.promise;
      return json(sh(SAY_ID));
    };
    const finish = json(['finish', { summary: 'Done.' }]);
    to.model.says(bothRun, bothRun, finish, finish);
    await Promise.all(sessions.map((session) => session.advance()));
    const calls = (await Promise.all(sessions.map((session) => session.journal()))).map((entries) =>
      entriesOf(entries, 'call_finished'),
    );
    const ids = calls.map(([first]) => idIn(first?.output));
    expect(ids[0]).toBe(ids[1]);
    const used = calls.flatMap((all) => all.flatMap(({ effects }) => effects));
    expect(used.filter(({ type }) => type === 'setup')).toHaveLength(1);
    const caches = used.flatMap((one) => (one.type === 'dependencies' ? [one.cache] : []));
    expect(new Set(caches)).toEqual(new Set(['kept', 'found']));
  });

  it('stay out of commits from the cache too, where nothing ignores them', async () => {
    const to = await start([
      "setup: 'mkdir -p gen && echo generated > gen/a'",
      'cache: { paths: [gen], key: [package-lock.json] }',
    ]);
    await play(to, 'First', sh('true'));
    const change = sh('cat gen/a && echo B > b.txt');
    const second = await play(to, 'Second', change, ['commit', { message: 'Add b' }]);
    expect([second.use?.cache, second.setups]).toEqual(['found', 0]);
    expect(second.outputs[0]).toMatch(/generated\n?$/);
    expect(second.outputs[0]).toMatch(/"gen\/a"\. No commit includes that/);
    expect(second.outputs[1]).toContain('with 1 file');
    expect(second.session.onBranch('b.txt')).toBe('B');
    expect(second.session.onBranch('')).not.toContain('gen');
  });

  it("in the home directory are there when setup runs, and are the commands' own", async () => {
    const check =
      'echo "id: $(cat .venv/wheel)"; stat -c %U ~ ~/.cache ~/.cache/pip/wheel; echo x >> ~/.cache/pip/wheel; touch ~/.cache/y\n';
    const to = await start(
      [
        "setup: 'test -e ~/.cache/pip/wheel || (mkdir -p ~/.cache/pip && head -c 9 /dev/urandom | base64 > ~/.cache/pip/wheel); mkdir -p .venv; cp ~/.cache/pip/wheel .venv/'",
        'cache: { paths: [~/.cache/pip], key: [package-lock.json] }',
      ],
      { more: { 'check.sh': check } },
    );
    const say = 'sh check.sh';
    const first = await play(to, 'First', sh(say));
    const second = await play(to, 'Second', sh(say));
    expect(first.use).toMatchObject({ cache: 'kept', isAll: false });
    expect(second.use).toMatchObject({ cache: 'found', isAll: false, paths: ['~/.cache/pip'] });
    expect([first.setups, second.setups]).toEqual([2, 1]);
    expect(idIn(second.outputs[0])).toBe(idIn(first.outputs[0]));
    expect(second.outputs[0]).toMatch(/agent\nagent\nagent\n?$/);
  });

  it('beside which setup makes something else are found, and setup runs again', async () => {
    const to = await start([
      `setup: ['${INSTALL}', 'echo built > made.txt']`,
      'cache: { paths: [node_modules], key: [package-lock.json] }',
    ]);
    const first = await play(to, 'First', sh('cat made.txt'));
    const second = await play(to, 'Second', sh('cat made.txt'));
    expect([first.use?.isAll, second.use?.isAll]).toEqual([false, false]);
    expect([first.setups, second.setups]).toEqual([4, 2]);
    expect(second.outputs[0]).toContain('built');
  });

  it.each([
    ['a pipe', 'mkfifo node_modules/dep/pipe', /neither a file nor a directory nor a link/],
    ['a failure', 'echo broken && exit 3', /failed in a clean clone \(exit code 3\)/],
    [
      'a link in the place',
      'mv node_modules x && ln -s x node_modules',
      /made none of node_modules/,
    ],
    [
      'too much',
      'head -c 40000000 /dev/zero > node_modules/dep/big',
      /more than half of the cache/,
    ],
    ['files that are not ignored', 'head -c 34000000 /dev/zero > big', /changed more than 32 MiB/],
  ])(
    'are not kept with %s, and setup runs as it does without a cache',
    async (_what, hostile, why) => {
      const to = await start([
        `setup: '${INSTALL} && ${hostile}'`,
        'cache: { paths: [node_modules], key: [package-lock.json] }',
      ]);
      for (const title of ['First', 'Second']) {
        const { use, setups } = await play(to, title, sh('true'));
        expect(use).toMatchObject({ cache: 'unused', reason: expect.stringMatching(why) });
        expect(setups).toBe(1);
      }
    },
    300_000,
  );

  it('may have links, set-user-ID programs, closed directories and any names: the links stay links', async () => {
    const to = await start([
      `setup: '${INSTALL} && cd node_modules && ln -s /etc/passwd out && ln -s ../package.json in && ln dep/id hard && touch $(printf "bad\\377") && cp /bin/true suid && chmod 6755 suid && mkdir shut && touch shut/x && chmod 0 shut/x shut'`,
      'cache: { paths: [node_modules], key: [package-lock.json] }',
    ]);
    await play(to, 'First', sh('true'));
    const { use, outputs } = await play(
      to,
      'Second',
      sh(
        'cd node_modules && readlink out in && stat -c "%a %h %n" suid hard shut shut/x && ls bad* | wc -l',
      ),
    );
    expect(use?.cache).toBe('found');
    expect(outputs[0]).toMatch(
      /\/etc\/passwd\n\.\.\/package\.json\n7\d\d 1 suid\n6\d\d 2 hard\n7\d\d 2 shut\n6\d\d 1 shut\/x\n1\n?$/,
    );
  });

  it('are not put where the repository has files, or a link leads', async () => {
    const to = await start(
      [`setup: 'echo "made" > made.txt'`, 'cache: { paths: [vendor], key: [package-lock.json] }'],
      { more: { 'vendor/lib.js': 'lib\n' } },
    );
    const { use, setups } = await play(to, 'Vendor', sh('true'));
    expect(use).toMatchObject({
      cache: 'unused',
      reason: expect.stringMatching(/^vendor has files of the repository/),
    });
    expect(setups).toBe(1);
  });

  it('say why none are used without a sandbox, without a cache, and without a lock file', async () => {
    const open = await start(NODE, { commands: SHELLS });
    expect((await play(open, 'Unsafe', sh('true'))).use?.reason).toMatch(/not sandboxed/);
    await open.close();
    const to = await start([
      `setup: '${INSTALL}'`,
      'cache: { paths: [node_modules], key: [yarn.lock] }',
    ]);
    const { use, setups } = await play(to, 'No lock file', sh('true'));
    expect([use?.reason, setups]).toEqual([expect.stringMatching(/^yarn.lock, which/), 1]);
  });
});
