import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { USERS } from '../../../packages/sandbox/test/support.ts';
import { digestOf, imageOf, ImageRegistry, programsLayer } from '../../support/oci-image.ts';
import { ImageService, pathOfProgram, PROGRAMS, whyNoImages } from './support.ts';

let registry: ImageRegistry | undefined;
const services: ImageService[] = [];
afterEach(async () => {
  for (const service of services.splice(0)) await service.stop();
  await registry?.close();
});

async function start(user: number | undefined) {
  const own = await ImageRegistry.start();
  registry = own;
  const again = async (directory?: string): Promise<ImageService> => {
    const allowed = [`http://${own.host}/team/*`];
    const at = directory === undefined ? {} : { directory };
    const service = await ImageService.start({ user, allowed, ...at });
    services.push(service);
    return service;
  };
  return { registry: own, again, service: await again() };
}

const programs = (): ReturnType<typeof programsLayer> => programsLayer(PROGRAMS);
const declare = whyNoImages === '' ? describe : describe.skip;

declare.each(USERS)(`an image that a service takes %s ${whyNoImages}`, (_who, user) => {
  it('gives commands its files and variables, and nothing of the machine', async () => {
    const { registry: own, service } = await start(user);
    const tool = [
      { name: 'etc/passwd', content: 'node:x:1000:1000::/home/node:/bin/sh\n' },
      { name: 'opt', type: 'directory' as const },
      { name: 'opt/VERSION', content: 'seven\n' },
    ];
    const environment = ['PATH=/usr/bin:/bin', 'TOOL_HOME=/opt', 'HOME=/root'];
    const image = imageOf([programs(), tool], { environment });
    const { done, error } = await service.take(own.add('team/tool', image), [
      'cat $TOOL_HOME/VERSION; echo $HOME',
      'id -un; cat /etc/hosts',
      'ls /; ls /usr/lib/os-release /etc/debian_version 2>&1',
      'for path in /etc/mine /opt/mine /mine; do touch $path 2>&1; done; echo kept > ~/file; cat ~/file; echo also > /tmp/file',
      'cat /tmp/file; echo done > made; cat /workspace/made',
    ]);
    expect(error).toBeUndefined();
    const [variables, who, machine, written, kept] = done?.outputs ?? [];
    expect(variables).toBe('seven\n/home/agent\n');
    expect(who).toBe('agent\n127.0.0.1 localhost sandbox\n::1 localhost\n');
    expect(machine).toContain('workspace\n');
    expect(machine).toMatch(/cannot access '\/usr\/lib\/os-release'/);
    expect(machine).toMatch(/cannot access '\/etc\/debian_version'/);
    expect(written).toMatch(/^(?:touch: cannot touch '\S+': Read-only file system\n){3}kept\n$/);
    expect(kept).toBe('also\ndone\n');
  });

  it('limits commands like any others', async () => {
    const { registry: own, service } = await start(user);
    const { done, error } = await service.take(own.add('team/tool', imageOf([programs()])), [
      'cat /proc/self/limits /proc/self/status; ulimit -n 100000 2>&1',
    ]);
    expect(error).toBeUndefined();
    const [limits = ''] = done?.outputs ?? [];
    expect(limits).toMatch(/Max processes +512 +512/);
    expect(limits).toMatch(/Max open files +4096 +4096/);
    expect(limits).toMatch(/Max file size +2147483648 +2147483648/);
    expect(limits).toMatch(/CapBnd:\t0+\n/);
    expect(limits).toMatch(/NoNewPrivs:\t1\n/);
    expect(limits).toMatch(/Seccomp:\t2\n/);
    expect(limits).toMatch(/Operation not permitted|error setting limit/);
  });

  it('reaches a host that the operator allows, and no other', async () => {
    const asked: (string | undefined)[] = [];
    const server = createServer((request, response) => {
      asked.push(request.headers.host);
      response.end('answer');
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    try {
      const { registry: own } = await start(user);
      const service = await ImageService.start({
        user,
        allowed: [`http://${own.host}/team/*`],
        allowHosts: [`allowed.example.com:${port}`],
        addresses: { 'allowed.example.com': ['127.0.0.1'], 'other.example.com': ['127.0.0.1'] },
      });
      services.push(service);
      // The sandbox itself needs two of them to reach hosts.
      const more = ['bash', 'mkfifo', 'rm'].map(pathOfProgram);
      const image = imageOf([programsLayer([...PROGRAMS, ...more])]);
      const fetching = (host: string): string =>
        `bash -c 'exec 3<>/dev/tcp/127.0.0.1/3128 && printf "GET http://${host}:${port}/ HTTP/1.1\\r\\nHost: ${host}:${port}\\r\\nConnection: close\\r\\n\\r\\n" >&3 && cat <&3'`;
      const { done, error } = await service.take(own.add('team/tool', image), [
        fetching('allowed.example.com'),
        fetching('other.example.com'),
        `bash -c 'exec 3<>/dev/tcp/127.0.0.1/${port}' 2>&1`,
      ]);
      expect(error).toBeUndefined();
      const [allowed, denied, direct] = done?.outputs ?? [];
      expect(allowed).toMatch(/^HTTP\/1\.1 200 [^]*answer/);
      expect(denied).toMatch(/^HTTP\/1\.1 403 /);
      expect(direct).toMatch(/Connection refused/);
      expect(asked).toEqual([`allowed.example.com:${port}`]);
    } finally {
      server.close();
    }
  });

  it('is fetched once, by the first of two processes', async () => {
    const { registry: own, service, again } = await start(user);
    const reference = own.add('team/tool', imageOf([programs()]));
    const other = await again(service.directory);
    const both = await Promise.all([service.take(reference), other.take(reference, ['echo hi'])]);
    expect(both[0].done?.root).toBe(both[1].done?.root);
    expect(both[1].done?.outputs).toEqual(['hi\n']);
    expect(own.requests.filter((path) => path.includes('/manifests/'))).toHaveLength(1);
    expect(service.kept()).toEqual([expect.stringMatching(/^[\da-f]{64}\.image$/)]);
  });

  it('is whole after two crashes, during its download and while it is unpacked', async () => {
    const { registry: own, service, again } = await start(user);
    const big = { name: 'big', content: Buffer.alloc(2 ** 22) };
    const reference = own.add('team/tool', imageOf([programs(), [big]]));
    const asked = new Promise<void>((resolve) => {
      own.intercept = (path) => {
        // Never answered.
        if (path.includes('/blobs/')) resolve();
        return path.includes('/blobs/');
      };
    });
    const first = service.take(reference).catch(() => 'killed');
    await asked;
    await service.kill();
    expect(await first).toBe('killed');
    expect(service.kept()).toEqual([expect.stringMatching(/\.image-making$/)]);
    own.intercept = () => false;
    const second = await again(service.directory);
    const unpacking = second.logs('unpacking an image');
    const taken = second.take(reference).catch(() => 'killed');
    await unpacking;
    await second.kill();
    expect(await taken).toBe('killed');
    const third = await again(service.directory);
    const { done, error } = await third.take(reference, ['ls -d /big']);
    expect(error).toBeUndefined();
    expect(done?.outputs).toEqual(['/big\n']);
    expect(service.kept()).toEqual([expect.stringMatching(/^[\da-f]{64}\.image$/)]);
  });

  it('is not taken if the operator does not allow it, or if it has no digest', async () => {
    const { registry: own, service } = await start(user);
    const image = imageOf([programs()]);
    const reference = own.add('team/tool', image);
    const other = await service.take(reference.replace('/team/', '/others/'));
    expect(other.error).toMatch(/operator of Issuewright does not allow .*ENVIRONMENT_IMAGES/);
    const tagged = await service.take(`${own.host}/team/tool:latest`);
    expect(tagged.error).toContain(
      `Write \`${own.host}/team/tool:latest@${digestOf(image.manifest)}\`, which it is now.`,
    );
    const unknown = await service.take(reference.replace(/[\da-f]{64}$/, 'a'.repeat(64)));
    expect(unknown.error).toMatch(/^The image `.*` cannot be fetched: /);
    expect(service.kept()).toEqual([]);
  });
});
