// Whether people who follow the documents get somewhere. What a command does is tested beside its code.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { CommanderError } from 'commander';
import { parse } from 'yaml';
import { z } from 'zod';
import { defineProgram } from '../../src/commands/program.ts';
import { commandsIn, DOCUMENTS, linkFault, linksIn } from '../support/documents/written.ts';

const read = (path: string): string => readFileSync(path, 'utf8');

describe('the links', () => {
  it.each(DOCUMENTS)('in %s lead somewhere', (document) => {
    const faults = linksIn(read(document)).map((link) => linkFault(document, link));
    expect(faults.filter((fault) => fault !== undefined)).toEqual([]);
  });

  it.each([
    ['nowhere.md', /there is no docs\/nowhere\.md/],
    ['setup.md#nothing-of-the-kind', /no such heading/],
    ['#nothing-of-the-kind', /no such heading/],
    ['http://example.com', /no https/],
    ['../src/main.ts#L1', /has no headings/],
  ])('would be found if one led to %s', (link, fault) => {
    const [found = ''] = linksIn(`See [this](${link}).`);
    expect(linkFault('docs/setup.md', found)).toMatch(fault);
  });
});

const { scripts } = z
  .object({ scripts: z.record(z.string(), z.string()) })
  .parse(JSON.parse(read('package.json')));

/** `packages/local-github/test` runs these. */
const OF_LOCAL_GITHUB: ReadonlySet<string> = new Set(['github', 'model', 'play']);

/** What commander says of the words; `undefined` if it understands them. Nothing is run. A name alone is only named. */
async function usageFault(words: readonly string[]): Promise<string | undefined> {
  if (OF_LOCAL_GITHUB.has(words[0] ?? '')) return undefined;
  const program = defineProgram(() => Promise.resolve());
  const silent = { writeOut: () => {}, writeErr: () => {} };
  for (const each of [program, ...program.commands]) each.configureOutput(silent);
  if (words.length === 1 && program.commands.some((one) => one.name() === words[0]))
    return undefined;
  try {
    await program.parseAsync([...words], { from: 'user' });
    return undefined;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? undefined : error.message;
  }
}

/** A path of tests may leave out how their files end. */
const KINDS = ['test', 'integration', 'attack', 'slow', 'long'];

async function scriptFault([name = '', ...rest]: readonly string[]): Promise<string | undefined> {
  const line = scripts[name];
  if (line === undefined) return `package.json has no script ${name}`;
  const words = rest.filter((word) => word !== '--');
  const paths = words.filter((word) => /^(?:test|src)\//.test(word));
  const gone = paths.filter(
    (path) => !existsSync(path) && !KINDS.some((kind) => existsSync(`${path}.${kind}.ts`)),
  );
  if (gone.length > 0) return `there is no ${gone.join(', ')}`;
  if (name !== 'bench') return undefined;
  return words.every((word) => read('bench/run.ts').includes(`'${word}'`)) ? undefined : 'no bench';
}

function npmFault([verb = '', ...rest]: readonly string[]) {
  const words = rest.filter((word) => word !== '-s');
  if (verb === 'run') return scriptFault(words);
  return verb === 'test' ? scriptFault([verb, ...words]) : isKnownOfNpm(verb);
}

/** npm's own; those of repositories that the agent works on are among them. */
const isKnownOfNpm = async (verb: string): Promise<string | undefined> =>
  ['install', 'pack', 'publish', 'ci', '*'].includes(verb)
    ? undefined
    : `npm ${verb} is not known here`;

/** Files, profiles and services of compose. What docker does with them is not run. */
async function composeFault(words: readonly string[]): Promise<string | undefined> {
  const file = words.find((word) => word.endsWith('.yml')) ?? 'docker-compose.yml';
  if (!existsSync(file)) return `there is no ${file}`;
  const { services } = z
    .object({
      services: z.record(z.string(), z.object({ profiles: z.array(z.string()).optional() })),
    })
    .parse(parse(read(file), { merge: true }));
  const profile = words[words.indexOf('--profile') + 1];
  const profiles = Object.values(services).flatMap((service) => service.profiles ?? []);
  if (words.includes('--profile') && !profiles.includes(profile ?? ''))
    return `${file} has no profile ${profile}`;
  const scaled = words.flatMap((word) => /^(\w+)=\d+$/.exec(word)?.[1] ?? []);
  const [executed, ...inside] = words.includes('exec')
    ? words.slice(words.indexOf('exec') + 1)
    : [];
  const named = [...scaled, ...(executed === undefined ? [] : [executed])];
  const unknown = named.filter((name) => !Object.hasOwn(services, name));
  if (unknown.length > 0) return `${file} has no service ${unknown.join(', ')}`;
  return inside[0] === './issuewright' ? usageFault(inside.slice(1)) : undefined;
}

/** Programs of others, and which test runs what the documents have of them. */
const OF_OTHERS: readonly (readonly [command: RegExp, runBy: string])[] = [
  [/^tar -xzf issuewright\.tar\.gz/, 'test/e2e/recovery/backup.slow.ts'],
  [
    /^sudo (?:mv|install -d -m 700 .*) \/var\/lib\/issuewright\b/,
    'test/e2e/recovery/backup.slow.ts',
  ],
  [/^pg_(?:dump|restore) .*--no-owner/, 'test/e2e/recovery/backup.slow.ts'],
  [/^curl http:\/\/127\.0\.0\.1:3000\/readyz$/, 'test/e2e/metrics.slow.ts'],
  [/^curl --data-binary .* URL\/user-attachments/, 'packages/local-github/test'],
];
/** No test runs them: they need root, a cluster, docker or a service on the internet. */
const NOT_RUN: readonly RegExp[] = [
  /^sudo (?:chown 1000|apt|useradd|systemctl|npm install|ln -s|install -d -o issuewright)/,
  /^chown 1000 /,
  /^apt install /,
  /^kubectl (?:apply -k kubernetes\/(?:base|commands)|create secret)/,
  /^docker run --cap-drop/,
  /^openssl rand -hex 32$/,
  /^npx -y some-server$/,
  /^cloudflared tunnel --url /,
  /^source <?/,
];

async function fault(words: readonly string[]): Promise<string | undefined> {
  const [program = '', ...rest] = words;
  const command = words.join(' ');
  if (command.startsWith('sudo -u issuewright ')) return fault(words.slice(3));
  if (/^(?:\/opt\/issuewright\/)?issuewright$/.test(program)) return usageFault(rest);
  if (program === 'npm') return npmFault(rest);
  if (program === 'docker' && rest[0] === 'compose') return composeFault(rest.slice(1));
  const other = OF_OTHERS.find(([of]) => of.test(command));
  if (other !== undefined) return existsSync(other[1]) ? undefined : `there is no ${other[1]}`;
  return NOT_RUN.some((of) => of.test(command)) ? undefined : 'no test runs it, or says why not';
}

/** Decisions are of their day, and the reference of tools has commands of other repositories. */
const FOLLOWED = DOCUMENTS.filter((path) => !/decisions\/|tools\.md$/.test(path));

const OTHER_FORMS =
  /\bnode (?:\S+\/)?bin\/|\bnpm start\b|\bnpm run (?:setup|doctor|pause|resume|demo|github|model|play)\b|\bnpx issuewright/;
/** Documents, what the program prints, and what starts it. */
const WRITTEN = globSync([
  '*.{md,yml}',
  '{docs,kubernetes,.github}/**/*.{md,yml,yaml}',
  '{bin,src,packages,bench}/**/*.{md,js,ts}',
  '{.env.example,Dockerfile,package.json}',
]);

describe('the commands', () => {
  it('have one form, `./issuewright …` or `issuewright …`, wherever they are written', () => {
    expect(WRITTEN.length).toBeGreaterThan(100);
    expect(WRITTEN.some((path) => path.startsWith('packages/local-github/src/'))).toBe(true);
    expect(WRITTEN.filter((path) => OTHER_FORMS.test(read(path)))).toEqual([]);
  });

  it.each(['README.md', ...globSync('docs/*.md')])('have the same form on all of %s', (page) => {
    const written = read(page).matchAll(/(?:`|^ *)((?:\.\/)?issuewright) [a-z]/gm);
    expect([...new Set([...written].map(([, form]) => form))].slice(1)).toEqual([]);
  });

  it.each(FOLLOWED)('in %s are understood, or run by a test', async (document) => {
    const faults = await Promise.all(
      commandsIn(read(document)).map(async (words) => [words.join(' '), await fault(words)]),
    );
    expect(faults.filter(([, why]) => why !== undefined)).toEqual([]);
  });

  it.each([
    ['issuewright begin', /unknown command/],
    ['issuewright show ID --follows', /unknown option/],
    ['npm run begin', /no script begin/],
    ['./issuewright doctor --jsn', /unknown option/],
    ['npm test -- test/nowhere.test.ts', /there is no test\/nowhere/],
    ['docker compose exec web ./issuewright doctor', /no service web/],
    ['docker compose --profile gpu up -d', /no profile gpu/],
    ['docker compose exec issuewright ./issuewright begin', /unknown command/],
    ['kubectl delete -k kubernetes/base', /no test runs it/],
  ])('would be found to lack something in `%s`', async (command, why) => {
    const [words = []] = commandsIn(`Type \`${command}\`.`);
    expect(await fault(words)).toMatch(why);
  });
});
