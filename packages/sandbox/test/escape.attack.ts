// Real commands in the real sandbox. What is harmless is first done without it, and has to succeed there:
// else that it fails inside would say nothing. All of it is tried again with an image in place of the machine's files.
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo, Server } from 'node:net';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { hostState, processesOf } from './host-state.ts';
import type { HostState } from './host-state.ts';
import { visibleNode } from '../src/inside/system-mounts.ts';
import type { UnpackedImage } from '../../../src/contracts/shell.ts';
import { withoutUndefined } from '../../../src/lib/without-undefined.ts';
import { isRoot } from '../../../test/support/other-user.ts';
import { pythonImage, whyNoImages } from '../../../test/workspace/images/support.ts';
import { hasLastingTmp, Service, USERS, processesWith, whyNot } from './support.ts';

const exec = promisify(execFile);
const SECRET = 'the secret of the host';

/** Attacks by one system call, and what the filter answers. */
const FILTERED: readonly (readonly [name: string, errno: number])[] = [
  ['io_uring', 38],
  ['clone3', 38],
  ['userfaultfd', 38],
  ['hidden_memory', 38],
  ['keyring', 1],
  ['new_key', 1],
  ['bpf', 1],
  ['perf', 1],
  ['ptrace', 1],
  ['typed_ahead', 1],
  ['packet_sockets', 97],
  ['netlink_audit', 93],
];

const declare = whyNot === '' ? describe : describe.skip;
declare.each(USERS)(`a command of a service that runs %s ${whyNot}`, (_who, user) =>
  attackFromInside(user),
);

const declareInImage = whyNoImages === '' ? describe : describe.skip;
declareInImage.each(USERS)(
  `a command in an image, of a service that runs %s ${whyNoImages}`,
  (_who, user) => attackFromInside(user, pythonImage),
);

/** Declares all attacks. `unpack`: makes the image that they run in. */
function attackFromInside(
  user: number | undefined,
  unpack?: (user: number | undefined) => Promise<UnpackedImage>,
): void {
  let service: Service;
  let tree: string;
  let outside: string;
  let before: HostState;
  const servers: Server[] = [];

  /** As the service itself could do it, without a sandbox; what it says. */
  async function uncontained(command: string): Promise<string> {
    const identity = user === undefined ? {} : { uid: user, gid: user };
    const { stdout } = await exec('/bin/sh', ['-c', `${command}; true`], {
      ...identity,
      cwd: tree,
    });
    return stdout;
  }

  /** Something that gives the secret to anyone who connects. */
  async function serve(where: object): Promise<Server> {
    const server = createServer((socket) => socket.end(SECRET));
    servers.push(server);
    server.listen(where);
    await once(server, 'listening');
    return server;
  }

  const attack = (name: string, ...args: (string | number)[]): string =>
    ['python3 attacks.py', name, ...args].join(' ');

  async function expectHeld(command: string): Promise<void> {
    expect(await uncontained(command)).toMatch(/secret|REACHED/);
    expect(await service.output(tree, command)).not.toMatch(/secret of|REACHED/);
  }

  beforeAll(async () => {
    const image = await unpack?.(user);
    before = hostState();
    service = await Service.start(user, withoutUndefined({ image }));
    expect(service.opened).toBe('ready');
    tree = service.workspace();
    const isMachine = (await service.output(tree, 'ls /usr')).includes('share');
    expect(isMachine).toBe(image === undefined);
    cpSync(join(import.meta.dirname, 'attacks.py'), join(tree, 'attacks.py'));
    outside = service.write(join(service.directory, 'outside.txt'), SECRET);
  });

  afterAll(async () => {
    await service.stop();
    for (const server of servers) server.close();
    expect(hostState()).toEqual(before);
    expect(processesOf(statSync(tree).uid, basename(service.directory))).toEqual([]);
  });

  it.each([
    ['read', () => `cat ${outside}`],
    ['through a link', () => `ln -sf ${outside} link && cat link`],
    ['through a hard link', () => `ln -f ${outside} hard && cat hard`],
    ['with a path of its own making', () => `cd / && cat ./proc/self/cwd${outside}`],
  ])('reads no file outside: %s', async (_how, command) => {
    await expectHeld(command());
  });

  it.each([
    ['into a file', () => `echo secret of a command | tee -a ${outside}.new`],
    [
      'through a link',
      () => `ln -sf ${outside}.new away && echo secret of a command | tee -a away`,
    ],
    ['beside the workspace', () => 'echo secret of a command | tee ../planted'],
  ])('writes no file outside: %s', async (_how, command) => {
    const written = [`${outside}.new`, join(tree, '../planted')];
    await uncontained(command());
    expect(written.filter((path) => existsSync(path))).toHaveLength(1);
    await exec('rm', ['-f', ...written, join(tree, 'away')]);
    await service.run(tree, command());
    expect(written.filter((path) => existsSync(path))).toEqual([]);
  });

  it('reads and moves no trusted git directory', async () => {
    await expectHeld('cat ../git/HEAD | sed "s/trusted/the secret of the host/"');
    await service.run(
      tree,
      'mv ../git ../mine; mv .git mine; rm -rf ../git /git; mkdir -p .git/hooks',
    );
    expect(readFileSync(join(tree, '../git/HEAD'), 'utf8')).toBe('ref: trusted\n');
  });

  it('sees no other workspace', async () => {
    const other = service.workspace({ 'file.txt': SECRET });
    expect((await service.run(other, 'cat file.txt')).output.head).toBe(SECRET);
    const [, around] = /^(.*\/)workspace-/.exec(other) ?? [];
    await expectHeld(`cat ${around}*/tree/file.txt /tmp/*/*/tree/file.txt`);
  });

  it('reaches no port of the host', async () => {
    const { port } = (await serve({ port: 0, host: '127.0.0.1' })).address() as AddressInfo;
    await expectHeld(attack('loopback', port));
  });

  it('reaches no socket of a database, by its path', async () => {
    const path = join(service.directory, '.s.PGSQL.5432');
    await serve({ path, writableAll: true });
    await expectHeld(attack('unix_socket', path));
  });

  it('reaches no abstract socket', async () => {
    const name = `issuewright-test-${process.pid}-${user ?? 0}`;
    await serve({ path: `\0${name}` });
    await expectHeld(attack('abstract_socket', name));
  });

  it('reads the environ of no other process', async () => {
    await expectHeld(
      `cat /proc/${service.pid}/environ /proc/[0-9]*/environ | tr '\\0' '\\n' | grep -ao 'SECRET_OF.*' | sed 's/SECRET_OF.*/secret of/'`,
    );
  });

  it('cannot kill any process outside', async () => {
    expect(await uncontained(`kill -0 ${service.pid} && echo REACHED`)).toContain('REACHED');
    await service.run(tree, `kill -9 ${service.pid} ${process.pid} -1; kill -9 -${service.pid}`);
    expect(await service.output(tree, 'echo alive')).toBe('alive\n');
  });

  it('changes no setting of the kernel', async () => {
    const settings = ['kernel/hostname', 'vm/overcommit_memory', 'kernel/core_pattern'];
    for (const setting of settings) {
      const path = `/proc/sys/${setting}`;
      const command = `value=$(cat ${path}); echo "$value" > ${path} && echo REACHED`;
      expect(await uncontained(command)).toMatch(user === undefined && isRoot ? 'REACHED' : '');
      expect(await service.output(tree, command)).not.toContain('REACHED');
    }
    await service.run(tree, 'hostname owned; echo b > /proc/sysrq-trigger');
  });

  it('attaches to no System V memory', async () => {
    const { stdout } = await exec('/usr/bin/python3', ['-c', SEGMENT, SECRET, String(user ?? -1)]);
    const [key, id] = stdout.trim().split(' ');
    try {
      await expectHeld(attack('shared_memory', key ?? ''));
    } finally {
      await exec('ipcrm', ['-m', id ?? '']);
    }
  });

  it.each(['vsock', 'memfd', 'user_namespace', 'cloned_namespace', 'large_segment'])(
    'denies the sandbox what other processes may do: %s',
    async (name) => {
      await expectHeld(attack(name));
    },
  );

  it('cannot touch the first process, which is to die with the service', async () => {
    expect(await service.output(tree, attack('first_process'))).toContain('No such file');
    expect(
      await service.output(tree, 'cat /proc/1/maps /proc/1/task/1/maps; ls -A /proc/1'),
    ).toMatch(/^(cat: \S+ No such file or directory\n){2}$/);
  });

  it.each(FILTERED)('has no %s: error %d of the filter', async (name, errno) => {
    expect(await service.output(tree, attack(name))).toContain(`[Errno ${errno}]`);
  });

  it('would have most of these without the filter', async () => {
    const script = FILTERED.map(([name]) => `echo ${name} $(${attack(name)} 2>&1)`).join('; ');
    const answers = (await uncontained(script)).trim().split('\n');
    const open = answers.filter((line, at) => !line.includes(`[Errno ${FILTERED[at]?.[1]}]`));
    // Which ones the host closes too is a matter of its settings.
    expect(open.length).toBeGreaterThan(FILTERED.length / 2);
  });

  it('gains nothing by a setuid program', async () => {
    const script =
      'cp $(command -v id) mine && chmod 4755 mine && ./mine -u; grep NoNewPrivs /proc/self/status';
    expect(await service.output(tree, script)).toBe('1000\nNoNewPrivs:\t1\n');
    expect(statSync(join(tree, 'mine')).uid).not.toBe(0);
    expect(await service.output(tree, 'su -c id; mount -t tmpfs none /tmp; echo done')).toMatch(
      /done$/m,
    );
  });

  it('has no rights, and only descriptors of its own', async () => {
    expect(await service.output(tree, 'grep ^Cap /proc/self/status | cut -f2 | sort -u')).toBe(
      '0000000000000000\n',
    );
    const open = await service.output(tree, 'for f in /proc/$$/fd/*; do readlink $f; done');
    expect(open).toMatch(/^\/dev\/null\n.*\/shell\/output\n.*\/shell\/output\n(\/dev\/null\n)*$/);
  });

  it('finds nothing of the service in its environment', async () => {
    // Bash adds two of its own.
    const names = 'env | cut -d= -f1 | grep -vx -e SHLVL -e _ | sort | tr "\n" " "';
    const environment = await service.output(tree, names);
    expect(environment).toBe(
      visibleNode([]) === undefined
        ? 'CI HOME LANG LOGNAME LSAN_OPTIONS OLDPWD PATH PWD PYTHONDONTWRITEBYTECODE SHELL TERM TMPDIR USER '
        : 'CI GRADLE_OPTS HOME HTTPS_PROXY HTTP_PROXY LANG LOGNAME LSAN_OPTIONS MAVEN_OPTS NODE_USE_ENV_PROXY NO_PROXY ' +
            'OLDPWD PATH PWD PYTHONDONTWRITEBYTECODE SHELL TERM TMPDIR USER ' +
            'http_proxy https_proxy no_proxy npm_config_https_proxy npm_config_proxy ',
    );
  });

  it('leaves no daemon behind', async () => {
    const marker = `31415.${process.pid}`;
    const daemon = `setsid sh -c 'trap "" TERM HUP INT; touch begun.$$; sleep ${marker}' > /dev/null 2>&1 &`;
    const begun = 'until [ "$(ls -d begun.* 2> /dev/null | wc -l)" = 2 ]; do :; done';
    const { ended } = await service.run(tree, `${daemon} (${daemon}) & ${begun}`);
    expect(ended).toBe('exited');
    expect(processesWith(marker)).toEqual([]);
  });

  (hasLastingTmp() ? it : it.skip)(
    'writes in its workspace, its home and its own /tmp, and nowhere else',
    async () => {
      const places = ['/workspace', '/home/agent', '/tmp', '/var/tmp', '/dev/shm', '/run'];
      const closed = ['/', '/usr', '/etc', '/home', '/var', '/proc/1', '/proc/sys', '/dev', '/sys'];
      const script = [...places, ...closed].map(
        (path) => `touch ${path}/x 2>/dev/null && echo ${path}`,
      );
      expect((await service.output(tree, script.join('\n'))).trim().split('\n')).toEqual(places);
      expect(await service.output(tree, 'ls -A /tmp /run /dev/shm ~')).toContain('x');
      expect(await service.output(tree, 'cat /run/x; ls /dev/shm /tmp ~')).toBe(
        'cat: /run/x: No such file or directory\n/dev/shm:\n\n/home/agent:\nx\n\n/tmp:\nx\n',
      );
    },
  );
}

/** Makes a segment, writes to it, and hands it to a user: key and id. */
const SEGMENT = `
import ctypes, sys
libc = ctypes.CDLL(None)
libc.shmat.restype = ctypes.c_void_p
key = 0x155 + int(sys.argv[2]) + 1
segment = libc.shmget(key, 4096, 0o1666)
ctypes.memmove(libc.shmat(segment, None, 0), sys.argv[1].encode(), len(sys.argv[1]))
print(key, segment)
`;
