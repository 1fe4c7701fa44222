// Images with Python, a JDK and Node in Debian's docker-registry. That with Node is a Debian made by debootstrap; the others have the
// programs of this machine and what these need, with no distribution around them.
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { USERS } from '../../../packages/sandbox/test/support.ts';
import { baseSystemIn, DEBOOTSTRAP, makeBaseSystem, stepsOf } from '../../support/image-build.ts';
import { imageOf, programsLayer, writeImage } from '../../support/oci-image.ts';
import { isRoot } from '../../support/other-user.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { archiveOf, ImageService, PROGRAMS, PYTHON, whyNoImages } from './support.ts';

const REGISTRY = '/usr/bin/docker-registry';

interface Language {
  /** What it is made of, without which the test is skipped. */
  readonly needs: readonly string[];
  readonly layers: () => Parameters<typeof imageOf>[0];
  readonly environment?: readonly string[];
  readonly command: string;
  readonly says: RegExp;
}

interface MachinePrograms {
  readonly programs: readonly string[];
  /** What they need besides libraries. */
  readonly paths: readonly string[];
}

const ofMachine = ({ programs, paths }: MachinePrograms) => ({
  needs: programs,
  layers: () => [programsLayer([...PROGRAMS, ...programs]), archiveOf(paths)],
});

/** A whole Debian with Node, but for the devices, which no image needs. */
function debian(): { readonly tar: Buffer } {
  const root = baseSystemIn(temporaryDirectory());
  const why = makeBaseSystem(root, stepsOf(readFileSync('Dockerfile', 'utf8')));
  if (why !== '') throw new Error(why);
  const leftOut = ['dev', 'proc', 'sys', 'var/cache/apt', 'var/lib/apt'];
  const words = leftOut.map((path) => `--exclude=./${path}/*`);
  return {
    tar: execFileSync('tar', ['-C', root, ...words, '-cf', '-', '.'], { maxBuffer: 2 ** 30 }),
  };
}

const JAVAC = '/usr/bin/javac';
const java = existsSync(JAVAC) ? dirname(dirname(realpathSync(JAVAC))) : '';
const JDK: MachinePrograms =
  java === ''
    ? { programs: [JAVAC], paths: [] }
    : {
        programs: [`${java}/bin/javac`, `${java}/bin/java`, ...globSync(`${java}/lib/**/*.so`)],
        paths: [java, ...globSync('/etc/java-*')],
      };

const LANGUAGES: Readonly<Record<string, Language>> = {
  Python: {
    ...ofMachine(PYTHON),
    command: `echo 'import unittest, ssl, sqlite3
class T(unittest.TestCase):
  def test_sum(self): self.assertEqual(sum([1, 2]), 3)' > test_sum.py && python3 -m unittest 2>&1`,
    says: /Ran 1 test .*\n\nOK\n$/s,
  },
  'a JDK': {
    ...ofMachine(JDK),
    environment: [`JAVA_HOME=${java}`, `PATH=${java}/bin:/usr/bin:/bin`],
    command: `echo 'class Hello { public static void main(String[] a) { System.out.println("sum " + (1 + 2)); } }' > Hello.java && $JAVA_HOME/bin/javac Hello.java && java Hello`,
    says: /^sum 3\n$/,
  },
  Node: {
    needs: [DEBOOTSTRAP],
    layers: () => [debian()],
    environment: ['PATH=/usr/local/bin:/usr/bin:/bin'],
    command: `. /etc/os-release && echo $ID && echo 'require("node:test")("adds", () => require("node:assert").equal(1 + 2, 3))' > sum.test.cjs && node --test`,
    says: /^debian\n[^]*pass 1\n/,
  },
};

const whyNotOf = ({ needs }: Language): string => {
  if (needs.includes(DEBOOTSTRAP) && !isRoot) return 'only root runs debootstrap';
  const missing = needs.filter((path) => !existsSync(path));
  return missing.length === 0 ? '' : `${missing.join(', ')} missing`;
};

const whyNot = whyNoImages === '' && !existsSync(REGISTRY) ? `${REGISTRY} is missing` : whyNoImages;
const lacking = [whyNot, ...Object.values(LANGUAGES).map(whyNotOf)].filter((why) => why !== '');
if (lacking.length > 0 && isRoot && process.env['CI'] !== undefined)
  throw new Error(`CI has to run these tests: ${lacking.join('; ')}`);
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
  function push(name: string, { layers, environment = [] }: Language): string {
    const layout = temporaryDirectory();
    const image = imageOf(layers(), { environment });
    writeImage(layout, image);
    const to = `docker://${host}/team/${name}:latest`;
    const copy = '--insecure-policy copy --quiet --dest-tls-verify=false'.split(' ');
    execFileSync('skopeo', [...copy, `oci:${layout}:image`, to]);
    return `${host}/team/${name}@${image.digest}`;
  }

  describe.each(Object.entries(LANGUAGES))('%s', (name, language) => {
    const why = whyNotOf(language);
    let reference = '';
    beforeAll(() => {
      if (why === '') reference = push(name.toLowerCase().replaceAll(/\W/g, ''), language);
    }, 900_000);

    (why === '' ? it : it.skip).each(USERS)(
      `compiles and tests, %s${why && ` (skipped: ${why})`}`,
      async (_who, user) => {
        const allowed = [`http://${host}/team/*`];
        const service = await ImageService.start({ user, allowed, maxBytes: 2 ** 30 });
        try {
          const { done, error } = await service.take(reference, [language.command]);
          expect(error).toBeUndefined();
          expect(done?.outputs[0]).toMatch(language.says);
        } finally {
          await service.stop();
        }
      },
    );
  });
});
