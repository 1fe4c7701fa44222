import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmdirSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { mountsInTemporary, ownToolchain } from '../src/inside/system-mounts.ts';
import { openSandbox } from '../src/index.ts';
import type { Sandbox } from '../src/index.ts';
import type { CommandRequest, Shell } from '../../../src/contracts/shell.ts';
import { removeTree } from '../../../src/workspace/remove-tree.ts';
import { temporaryDirectory } from '../../../test/support/temporary-directory.ts';
import { isRoot } from '../../../test/support/other-user.ts';
import { hasLastingTmp, processesWith, whyNot } from './support.ts';

const log = pino({ level: 'silent' });

function makeTree(): string {
  const tree = join(temporaryDirectory(), 'tree');
  mkdirSync(tree);
  chmodSync(tree, 0o755);
  return tree;
}

const request = (command: string, more: Partial<CommandRequest> = {}): CommandRequest => ({
  command,
  directory: '',
  timeoutMs: 100_000,
  signal: new AbortController().signal,
  ...more,
});

async function open(options: object = {}): Promise<Sandbox> {
  const opened = await openSandbox({ allowHosts: [], log, ...options });
  if (opened.state === 'absent') throw new Error(opened.why);
  return opened.sandbox;
}

const declare = whyNot === '' ? describe : describe.skip;
declare(`a shell of the sandbox ${whyNot}`, () => {
  let sandbox: Sandbox;
  let tree: string;
  let shell: Shell;

  beforeAll(async () => {
    sandbox = await open();
    tree = makeTree();
    shell = sandbox.shell({ directory: tree });
  });

  afterAll(() => sandbox.close());

  const output = async (command: string, more?: Partial<CommandRequest>): Promise<string> =>
    (await shell.run(request(command, more))).output.head;

  it('has programs that it names, with their versions', async () => {
    expect(await sandbox.programs).toMatch(/\bgit \d+\.\d/);
    const version = await output('python3 --version');
    expect(await sandbox.programs).toContain(version.trim().replace('Python', 'python3'));
  });

  const withGcc = existsSync('/usr/bin/gcc') ? it : it.skip;
  withGcc('runs programs with AddressSanitizer if nothing limits address space', async () => {
    // As where a cgroup limits the memory.
    const most = 2 ** 47;
    const other = await open({ limits: { addressSpace: most, memory: most } });
    const source =
      '#include <stdlib.h>\nint main(int n) { char *p = malloc(n); if (n > 1) free(p); return p[0] == 77; }';
    const build = `printf '%s' '${source}' > /tmp/a.c && gcc -fsanitize=address -o /tmp/a /tmp/a.c`;
    const run = `${build} && /tmp/a && echo sound; /tmp/a 2 2>&1 | grep -o heap-use-after-free | head -1`;
    const done = await other.shell({ directory: makeTree() }).run(request(run));
    await other.close();
    expect(done.output.head).toBe('sound\nheap-use-after-free\n');
  });

  it('starts in the directory that was named, which cannot lead out', async () => {
    mkdirSync(join(tree, 'packages/-app'), { recursive: true });
    expect(await output('pwd', { directory: 'packages/-app' })).toBe('/workspace/packages/-app\n');
    expect(await output('pwd', { directory: '../../../../tmp' })).toBe('/tmp\n');
    const nowhere = await shell.run(request('echo ran', { directory: 'nowhere' }));
    expect(nowhere.output.head).toMatch(/can't cd|No such file/);
    expect(nowhere.exitCode).not.toBe(0);
  });

  (hasLastingTmp() ? it : it.skip)(
    'has a /tmp that lasts as long as its workspace, whatever a command leaves there',
    async () => {
      const own = makeTree();
      const its = sandbox.shell({ directory: own });
      const run = async (command: string) => (await its.run(request(command))).output.head;
      await run('echo kept > /tmp/x; mkdir -m 000 /tmp/closed; ln -s / /tmp/y; chmod 000 /tmp');
      expect(await run('cat /tmp/x /var/tmp/x; mktemp > /dev/null && echo made')).toBe(
        'kept\nkept\nmade\n',
      );
      expect(await output('ls -A /tmp')).not.toContain('x');
      expect(statSync(join(dirname(own), 'shell/tmp')).mode & 0o777).toBe(0o700);
      await removeTree(dirname(own));
      expect(existsSync(own)).toBe(false);
    },
  );

  (hasLastingTmp() ? it : it.skip)(
    'has an empty /tmp each time if something is mounted or linked there',
    async () => {
      const leave = request('ls -A /tmp; echo left > /tmp/x; echo ran');
      const root = join('/tmp', 'issuewright-test-folder');
      const borrowing = sandbox.shell({ directory: makeTree(), borrowed: { root, paths: [] } });
      for (let time = 0; time < 2; time += 1)
        expect((await borrowing.run(leave)).output.head).toBe('issuewright-test-folder\nran\n');
      expect(sandbox.paths.keepsTemporary).toBe(true);
      expect(mountsInTemporary(['--ro-bind', '/tmp/a', '/a', '--tmpfs', '/a'])).toBe(false);
      expect(mountsInTemporary(['--ro-bind', '/a', '/tmp/a'])).toBe(true);
      expect(mountsInTemporary(['--tmpfs', '/tmp', '--remount-ro', '/tmp'])).toBe(true);
    },
  );

  it('has what asks for the network answered at once, with the host that is not allowed', async () => {
    const asked = 'curl -sS -o /dev/null -w "%{http_code}" http://registry.example.com/';
    const { output: said, disallowedHosts } = await shell.run(
      request(`until (: < /dev/tcp/127.0.0.1/3128) 2> /dev/null; do :; done; ${asked}`),
    );
    expect(said.head).toBe('403');
    expect(disallowedHosts).toEqual(['registry.example.com:80']);
  });

  it("finds the machine's programs before those of the service, and the operator's first", async () => {
    const other = await open({ readOnlyPaths: ['/usr/share'] });
    try {
      const path = await other.shell({ directory: makeTree() }).run(request('echo $PATH'));
      const places = path.output.head.trim().split(':');
      expect(places[0]).toBe('/usr/share/bin');
      expect(places.indexOf('/usr/bin')).toBeGreaterThan(0);
      for (const own of ownToolchain())
        expect(places.indexOf(own)).toBeGreaterThan(places.indexOf('/usr/bin'));
    } finally {
      await other.close();
    }
  });

  it('skips what the operator names and no command can read, and says so', async () => {
    const warnings: unknown[] = [];
    const hidden = join(makeTree(), 'closed');
    mkdirSync(join(hidden, 'inner'), { recursive: true });
    chmodSync(hidden, 0o600);
    const paths = ['/nowhere/at/all', join(hidden, 'inner')];
    const warn = (facts: unknown): unknown => warnings.push(facts);
    const other = await open({
      readOnlyPaths: [...paths, '/usr'],
      log: Object.assign(Object.create(log), { warn }),
    });
    try {
      expect(warnings).toEqual([{ paths }]);
      const { output: said } = await other
        .shell({ directory: makeTree() })
        .run(request('echo yes'));
      expect(said.head).toBe('yes\n');
    } finally {
      await other.close();
      // So that an ordinary user can remove it.
      chmodSync(hidden, 0o700);
    }
  });

  it('streams what a command says', async () => {
    const pieces: string[] = [];
    const onOutput = (text: string): void => {
      if (pieces.push(text) === 1) writeFileSync(join(tree, 'go'), '');
    };
    await shell.run(
      request('echo one; until [ -e go ]; do sleep 0.05; done; echo two', { onOutput }),
    );
    expect(pieces).toEqual(['one\n', 'two\n']);
  });

  it('ends a command at a signal, even while it waits, and still works after that', async () => {
    const marker = `11235.${process.pid}`;
    const stop = new AbortController();
    const onOutput = (): void => stop.abort(new Error('stopped by a person'));
    const { signal } = stop;
    const running = shell.run(request(`echo begun; sleep ${marker}`, { signal, onOutput }));
    const waiting = shell.run(request('touch never', { signal }));
    await expect(running).rejects.toThrow('stopped by a person');
    await expect(waiting).rejects.toThrow('stopped by a person');
    expect(processesWith(marker)).toEqual([]);
    expect(readdirSync(tree)).not.toContain('never');
    expect(await output('echo again')).toBe('again\n');
  });

  it('keeps the commands of two workspaces apart', async () => {
    const otherTree = makeTree();
    const other = sandbox.shell({ directory: otherTree });
    const begun = Promise.withResolvers<void>();
    const running = other.run(
      request('echo begun; until [ -e go ]; do sleep 0.05; done; echo done', {
        onOutput: () => begun.resolve(),
      }),
    );
    await begun.promise;
    await output('touch mine; kill -9 -1');
    writeFileSync(join(otherTree, 'go'), '');
    expect((await running).output.head).toBe('begun\ndone\n');
    await other.run(request('touch mine'));
    const users = [tree, otherTree].map((one) => statSync(join(one, 'mine')).uid);
    expect(users[0] !== users[1]).toBe(isRoot);
  });

  it('closes everything beside the workspace to all other users', async () => {
    const around = dirname(tree);
    writeFileSync(join(around, 'trusted'), 'trusted');
    chmodSync(join(around, 'trusted'), 0o644);
    await output('true');
    const modes = ['trusted', 'tree', 'shell'].map(
      (name) => statSync(join(around, name)).mode & 0o777,
    );
    expect(modes.map((mode) => mode.toString(8))).toEqual(
      isRoot ? ['600', '700', '711'] : ['644', '755', '711'],
    );
  });

  it('says what is wrong with a workspace that lies among other things', async () => {
    const directory = temporaryDirectory();
    chmodSync(directory, 0o755);
    mkdirSync(join(directory, 'tree'));
    const run = sandbox.shell({ directory: join(directory, 'tree') }).run(request('true'));
    const said = await run.then(
      () => 'nothing',
      (error: unknown) => String(error),
    );
    expect(said).toMatch(isRoot ? /not in a directory of its own/ : 'nothing');
    expect(statSync(directory).mode & 0o777).toBe(0o755);
  });

  it('rejects what cannot be passed to a shell', async () => {
    await expect(output('a\0b')).rejects.toThrow('NUL');
    await expect(output('x'.repeat(100_001))).rejects.toThrow(/at most 100000 bytes/);
  });
});

declare(`a sandbox ${whyNot}`, () => {
  it('shows toolchains that the operator names, and hides what is not to be seen', async () => {
    const toolchain = temporaryDirectory();
    chmodSync(toolchain, 0o755);
    mkdirSync(join(toolchain, 'bin'));
    mkdirSync(join(toolchain, 'data'));
    writeFileSync(join(toolchain, 'bin/tool'), '#!/bin/sh\necho tool');
    writeFileSync(join(toolchain, 'data/rows'), 'secret');
    writeFileSync(join(toolchain, 'key.pem'), 'secret');
    for (const name of ['bin', 'bin/tool', 'data', 'data/rows', 'key.pem'])
      chmodSync(join(toolchain, name), 0o755);
    const sandbox = await open({
      readOnlyPaths: [toolchain],
      hiddenPaths: [join(toolchain, 'data'), join(toolchain, 'key.pem'), '/nowhere'],
    });
    const shell = sandbox.shell({ directory: makeTree() });
    const look = `tool; cat ${toolchain}/data/rows ${toolchain}/key.pem; touch ${toolchain}/x`;
    const { output } = await shell.run(request(look));
    await sandbox.close();
    expect(output.head).toMatch(/^tool\n/);
    expect(output.head).not.toContain('secret');
    expect(readdirSync(toolchain)).not.toContain('x');
  });

  it('ends its commands when it is closed, and leaves nothing of its own', async () => {
    const sandbox = await open();
    const marker = `58132.${process.pid}`;
    const begun = Promise.withResolvers<void>();
    const running = sandbox
      .shell({ directory: makeTree() })
      .run(request(`echo begun; sleep ${marker}`, { onOutput: () => begun.resolve() }));
    await begun.promise;
    const [ended] = await Promise.allSettled([running, sandbox.close()]);
    expect(ended).toMatchObject({ reason: new Error('The service is stopping.') });
    expect(processesWith(marker)).toEqual([]);
  });

  it('lets Python write no caches beside the sources', async () => {
    const sandbox = await open();
    const { output } = await sandbox
      .shell({ directory: makeTree() })
      .run(request('echo "$PYTHONDONTWRITEBYTECODE"'));
    await sandbox.close();
    expect(output.head).toBe('1\n');
  });

  it('gives a command its variables, and shows them to no other process', async () => {
    const secret = `deploy-${process.pid}-b07d`;
    const sandbox = await open({ environment: { DEPLOY_TOKEN: secret, APP_MODE: 'operator' } });
    let seen: readonly string[] = [];
    const directory = makeTree();
    const { output } = await sandbox.shell({ directory }).run(
      request('echo "$DEPLOY_TOKEN $APP_MODE $DB_HOST"; until [ -e go ]; do sleep 0.05; done', {
        environment: { APP_MODE: 'repository', DB_HOST: 'db' },
        onOutput: () => {
          seen = processesWith(secret);
          writeFileSync(join(directory, 'go'), '');
        },
      }),
    );
    await sandbox.close();
    expect(output.head).toBe(`${secret} operator db\n`);
    expect(seen).toEqual([]);
  });

  it('is not ready once it cannot start commands, and is again when it can', async () => {
    const toolchain = temporaryDirectory();
    const needed = join(toolchain, 'needed');
    mkdirSync(needed);
    for (const path of [toolchain, needed]) chmodSync(path, 0o755);
    const sandbox = await open({ readOnlyPaths: [needed] });
    await expect(sandbox.ready()).resolves.toBeUndefined();
    rmdirSync(needed);
    const run = sandbox.shell({ directory: makeTree() }).run(request('true'));
    await expect(run).rejects.toThrow(/could not start a command/);
    await expect(sandbox.ready()).rejects.toThrow(/No command could be started in the sandbox/);
    mkdirSync(needed);
    await expect(sandbox.ready()).resolves.toBeUndefined();
    await sandbox.close();
  });

  it('is not opened with invalid hosts', async () => {
    await expect(openSandbox({ allowHosts: ['https://example.com'], log })).rejects.toThrow(
      /is not a host name/,
    );
  });
});
