// Images with Python, a JDK and Node, made from the programs of this machine, in Debian's docker-registry.
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync, realpathSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { USERS } from '../../../packages/sandbox/test/support.ts';
import { imageOf, programsLayer, writeImage } from '../../support/oci-image.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { ImageService, PROGRAMS, whyNoImages } from './support.ts';

const REGISTRY = '/usr/bin/docker-registry';
const whyNot = whyNoImages === '' && !existsSync(REGISTRY) ? `${REGISTRY} is missing` : whyNoImages;

interface Language {
  /** Its programs, without which the test is skipped. */
  readonly programs: readonly string[];
  /** What they need besides libraries. */
  readonly paths: readonly string[];
  readonly environment?: readonly string[];
  readonly command: string;
  readonly says: RegExp;
}

const java = existsSync('/usr/bin/javac') ? dirname(dirname(realpathSync('/usr/bin/javac'))) : '';

/** Where the image has it: commands do not see a `/tmp` of the image, and a clone may lie there. */
const NODE = '/opt/node/bin/node';

const LANGUAGES: Readonly<Record<string, Language>> = {
  Python: {
    programs: ['/usr/bin/python3', ...globSync('/usr/lib/python3.*/lib-dynload/*.so')],
    paths: globSync('/usr/lib/python3.*'),
    command: `echo 'import unittest, ssl, sqlite3
class T(unittest.TestCase):
  def test_sum(self): self.assertEqual(sum([1, 2]), 3)' > test_sum.py && python3 -m unittest 2>&1`,
    says: /Ran 1 test .*\n\nOK\n$/s,
  },
  'a JDK': {
    programs: [`${java}/bin/javac`, `${java}/bin/java`, ...globSync(`${java}/lib/**/*.so`)],
    paths: [java, ...globSync('/etc/java-*')],
    environment: [`JAVA_HOME=${java}`, `PATH=${java}/bin:/usr/bin:/bin`],
    command: `echo 'class Hello { public static void main(String[] a) { System.out.println("sum " + (1 + 2)); } }' > Hello.java && $JAVA_HOME/bin/javac Hello.java && java Hello`,
    says: /^sum 3\n$/,
  },
  Node: {
    programs: [process.execPath],
    paths: [],
    environment: [`PATH=${dirname(NODE)}:/usr/bin:/bin`],
    command: `echo 'require("node:test")("adds", () => require("node:assert").equal(1 + 2, 3))' > sum.test.cjs && node --test`,
    says: /pass 1\n/,
  },
};

const declare = whyNot === '' ? describe : describe.skip;
declare(`images in docker-registry ${whyNot}`, () => {
  let registry: ChildProcess;
  let host = '';

  beforeAll(async () => {
    const directory = temporaryDirectory();
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    server.close();
    await once(server, 'close');
    const config = join(directory, 'config.yml');
    writeFileSync(
      config,
      `version: 0.1\nstorage: { filesystem: { rootdirectory: ${directory}/data } }\nhttp: { addr: ${host} }\n`,
    );
    registry = spawn(REGISTRY, ['serve', config], { stdio: ['ignore', 'ignore', 'pipe'] });
    const { stderr } = registry;
    if (stderr === null) throw new Error('no log');
    for await (const line of createInterface({ input: stderr }))
      if (/listening on/.test(line)) break;
    stderr.resume();
  });
  afterAll(async () => {
    registry.kill();
    await once(registry, 'exit');
  });

  /** Answers the reference of the image by its digest. */
  function push(name: string, { programs, paths, environment = [] }: Language): string {
    const layout = temporaryDirectory();
    const archive = (): Buffer =>
      execFileSync('tar', ['-C', '/', '-cf', '-', ...paths.map((path) => path.slice(1))], {
        maxBuffer: 2 ** 30,
      });
    const files = paths.length === 0 ? [] : [{ tar: archive() }];
    const layer = programsLayer([...PROGRAMS, ...programs], (path) =>
      path === process.execPath ? NODE : path,
    );
    const image = imageOf([layer, ...files], { environment });
    writeImage(layout, image);
    const to = `docker://${host}/team/${name}:latest`;
    const copy = '--insecure-policy copy --quiet --dest-tls-verify=false'.split(' ');
    execFileSync('skopeo', [...copy, `oci:${layout}:image`, to]);
    return `${host}/team/${name}@${image.digest}`;
  }

  describe.each(Object.entries(LANGUAGES))('%s', (name, language) => {
    const isHere = language.programs.every((path) => existsSync(path));
    (isHere ? it : it.skip).each(USERS)('compiles and tests, %s', async (_who, user) => {
      const reference = push(name.toLowerCase().replaceAll(/\W/g, ''), language);
      const allowed = [`http://${host}/team/*`];
      const service = await ImageService.start({ user, allowed, maxBytes: 2 ** 30 });
      try {
        const { done, error } = await service.take(reference, [language.command]);
        expect(error).toBeUndefined();
        expect(done?.outputs[0]).toMatch(language.says);
      } finally {
        await service.stop();
      }
    });
  });
});
