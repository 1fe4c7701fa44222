// Images with Python, a JDK and Node in Debian's docker-registry. Each is a Debian made by debootstrap.
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { USERS } from '../../../packages/sandbox/test/support.ts';
import {
  baseSystemIn,
  DEBOOTSTRAP,
  makeBaseSystem,
  makeDebian,
  stepsOf,
} from '../../support/image-build.ts';
import { imageOf, writeImage } from '../../support/oci-image.ts';
import { isRoot } from '../../support/other-user.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { ImageService, whyNoImages } from './support.ts';

const REGISTRY = '/usr/bin/docker-registry';

interface Language {
  /** Packages of Debian; missing: the base of the product's own image, which has Node. */
  readonly packages?: readonly string[];
  readonly environment: readonly string[];
  readonly command: string;
  readonly says: RegExp;
}

/** A whole Debian, but for the devices, which no image needs. */
function debian({ packages }: Language): { readonly tar: Buffer } {
  const directory = temporaryDirectory();
  const steps = stepsOf(readFileSync('Dockerfile', 'utf8'));
  const root = packages === undefined ? baseSystemIn(directory) : join(directory, 'debian');
  const why =
    packages === undefined ? makeBaseSystem(root, steps) : makeDebian(root, steps, packages);
  if (why !== '') throw new Error(why);
  const leftOut = ['dev', 'proc', 'sys', 'var/cache/apt', 'var/lib/apt'];
  const words = leftOut.map((path) => `--exclude=./${path}/*`);
  return {
    tar: execFileSync('tar', ['-C', root, ...words, '-cf', '-', '.'], { maxBuffer: 2 ** 30 }),
  };
}

/** Each says first that it is in its own Debian. */
const DISTRIBUTION = '. /etc/os-release && echo $ID';

const LANGUAGES: Readonly<Record<string, Language>> = {
  Python: {
    packages: ['python3'],
    environment: ['PATH=/usr/bin:/bin'],
    command: `echo 'import unittest, ssl, sqlite3
class T(unittest.TestCase):
  def test_sum(self): self.assertEqual(sum([1, 2]), 3)' > test_sum.py && python3 -m unittest 2>&1`,
    says: /^debian\n[^]*Ran 1 test .*\n\nOK\n$/,
  },
  'a JDK': {
    packages: ['default-jdk-headless'],
    environment: ['JAVA_HOME=/usr/lib/jvm/default-java', 'PATH=/usr/bin:/bin'],
    command: `echo 'class Hello { public static void main(String[] a) { System.out.println("sum " + (1 + 2)); } }' > Hello.java && $JAVA_HOME/bin/javac Hello.java && java Hello`,
    says: /^debian\nsum 3\n$/,
  },
  Node: {
    environment: ['PATH=/usr/local/bin:/usr/bin:/bin'],
    command: `echo 'require("node:test")("adds", () => require("node:assert").equal(1 + 2, 3))' > sum.test.cjs && node --test`,
    says: /^debian\n[^]*pass 1\n/,
  },
};

/** Why there are no such images; empty: there are. */
function reasonToSkip(): string {
  if (whyNoImages !== '') return whyNoImages;
  const missing = [REGISTRY, DEBOOTSTRAP].filter((path) => !existsSync(path));
  if (missing.length > 0) return `${missing.join(', ')} missing`;
  return isRoot ? '' : 'only root runs debootstrap';
}

const whyNot = reasonToSkip();
if (whyNot !== '' && isRoot && process.env['CI'] !== undefined)
  throw new Error(`CI has to run these tests: ${whyNot}`);
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
  function push(name: string, language: Language): string {
    const layout = temporaryDirectory();
    const image = imageOf([debian(language)], { environment: language.environment });
    writeImage(layout, image);
    const to = `docker://${host}/team/${name}:latest`;
    const copy = '--insecure-policy copy --quiet --dest-tls-verify=false'.split(' ');
    execFileSync('skopeo', [...copy, `oci:${layout}:image`, to]);
    return `${host}/team/${name}@${image.digest}`;
  }

  describe.each(Object.entries(LANGUAGES))('%s', (name, language) => {
    let reference = '';
    beforeAll(() => {
      reference = push(name.toLowerCase().replaceAll(/\W/g, ''), language);
    }, 900_000);

    it.each(USERS)('compiles and tests, %s', async (_who, user) => {
      const allowed = [`http://${host}/team/*`];
      const service = await ImageService.start({ user, allowed, maxBytes: 2 ** 30 });
      try {
        const command = `${DISTRIBUTION} && ${language.command}`;
        const { done, error } = await service.take(reference, [command]);
        expect(error).toBeUndefined();
        expect(done?.outputs[0]).toMatch(language.says);
      } finally {
        await service.stop();
      }
    });
  });
});
