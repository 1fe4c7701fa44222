// Which test runs each command of the documents. That the words of a command are right is in `commands-and-links.test.ts`.
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { commandsIn, DOCUMENTS } from '../support/documents/written.ts';

const read = (path: string): string => readFileSync(path, 'utf8');

/** Each command with its options, the file that runs it, and the words there that do. */
const RUN_BY: readonly (readonly [command: string, by: string, words: string])[] = [
  ['issuewright --help', 'test/commands/help.slow.ts', "[['help', 'start']"],
  ['issuewright adopt', 'test/e2e/recovery/new-database.slow.ts', "run('adopt')"],
  ['issuewright audit', 'test/commands/sessions.slow.ts', "issuewright('audit'"],
  ['issuewright audit --erase', 'test/commands/sessions.slow.ts', "'audit', '--erase'"],
  ['issuewright backup', 'test/e2e/recovery/backup.slow.ts', 'command(SAVE_DATA)'],
  ['issuewright completion', 'test/commands/completion.test.ts', "'completion', shell]"],
  ['issuewright demo', 'test/e2e/demo.integration.ts', "resolve('bin/issuewright.js'), 'demo'"],
  ['issuewright doctor', 'test/commands/doctor-scene.ts', "run(['doctor', ...words]"],
  ['issuewright doctor --fix', 'test/commands/doctor.slow.ts', "read(['--fix'])"],
  ['issuewright doctor --model', 'test/commands/doctor-model.slow.ts', "probe(['--model'])"],
  ['issuewright evaluate', 'test/commands/evaluate.slow.ts', "  'evaluate',\n"],
  ['issuewright evaluate --allow-dangerous-tools', 'test/commands/evaluate.slow.ts', 'tools'],
  ['issuewright evaluate --budget', 'test/commands/evaluate.slow.ts', "'--budget', '9'"],
  ['issuewright evaluate --limit', 'test/commands/evaluate.slow.ts', "'--limit', '1'"],
  ['issuewright evaluate --models', 'test/commands/evaluate.slow.ts', "'--models', NAMES"],
  ['issuewright migrate', 'test/store/carry-over.slow.ts', 'migrateCommand.run({'],
  ['issuewright migrate --from-embedded', 'test/store/carry-over.slow.ts', 'fromEmbedded: true'],
  ['issuewright pause', 'test/pictures/chapters.ts', "operator('pause'"],
  ['issuewright plan', 'test/commands/plan.slow.ts', "runProgram(['plan', ...words]"],
  ['issuewright prove', 'test/commands/prove-scene.ts', "runProgram(['prove', repository"],
  ['issuewright prove --yes', 'test/commands/prove.slow.ts', "['--yes']"],
  ['issuewright replay', 'test/commands/sessions.slow.ts', "issuewright('replay', id)"],
  ['issuewright replay --model', 'test/commands/sessions.slow.ts', "'--model', 'openai:other'"],
  ['issuewright resume', 'test/pictures/chapters.ts', "operator('resume'"],
  ['issuewright retry', 'test/commands/sessions.slow.ts', "issuewright('retry'"],
  ['issuewright run', 'test/commands/run-in-folder.integration.ts', "['run', 'x']"],
  [
    'issuewright run --continuous',
    'test/commands/run-in-folder.integration.ts',
    "['--continuous', 'Add",
  ],
  [
    'issuewright run --allow-dangerous-tools',
    'test/commands/run-in-folder.integration.ts',
    "['--allow-dangerous-tools', '--setup'",
  ],
  [
    'issuewright run --settings',
    'test/commands/run-in-folder.integration.ts',
    "'--settings', file",
  ],
  [
    'issuewright run --setup',
    'test/commands/run-in-folder.integration.ts',
    "'--setup', 'touch made'",
  ],
  ['issuewright serve', 'test/e2e/recovery/workers.slow.ts', "role: 'serve'"],
  ['issuewright sessions', 'test/commands/sessions.slow.ts', "issuewright('sessions'"],
  ['issuewright setup', 'test/commands/setup.integration.ts', "'setup', ...words]"],
  ['issuewright setup --manifest', 'test/commands/setup.integration.ts', "'--manifest'"],
  [
    'issuewright setup --org',
    'test/e2e/newcomer.integration.ts',
    "start('setup', /token=\\S+/, '--org'",
  ],
  [
    'issuewright setup --tunnel',
    'test/commands/setup.integration.ts',
    "start('--tunnel', command)",
  ],
  ['issuewright setup --url', 'test/commands/setup.integration.ts', "'--url', 'https://"],
  ['issuewright show', 'test/commands/sessions.slow.ts', "issuewright('show'"],
  ['issuewright show --json', 'test/commands/sessions.slow.ts', "'show', '--json'"],
  ['issuewright start', 'test/deployment/image-steps.slow.ts', 'image.start(image.command'],
  [
    'issuewright start --allow-dangerous-tools',
    'test/commands/roles.test.ts',
    'await startCommand\n',
  ],
  ['issuewright start --tunnel', 'test/commands/start-tunnel.slow.ts', "'start', ['--tunnel'"],
  ['issuewright stop', 'test/commands/sessions.slow.ts', "issuewright('stop'"],
  ['issuewright work', 'test/e2e/recovery/workers.slow.ts', "startService({}, 'work')"],
  ['npm install', '.ci/run', 'npm install'],
  ['npm install --prefix', 'test/package/tarball.slow.ts', "'--prefix', folder"],
  ['npm run audit', '.github/workflows/audit.yml', 'npm run audit'],
  ['npm run check', '.ci/run', 'npm run check'],
  ['npm run circumstances', '.ci/run', 'npm run -s circumstances'],
  ['npm run docs', 'test/docs/recipes.slow.ts', 'write-docs.ts'],
  ['issuewright github', 'test/e2e/newcomer.integration.ts', "start('github'"],
  ['issuewright github --name', 'packages/local-github/test/add.slow.ts', "'--name', 'other/copy'"],
  [
    'issuewright github --repo',
    'packages/local-github/test/add.slow.ts',
    "'--repo', 'example/words'",
  ],
  ['issuewright github --role', 'packages/local-github/test/add.slow.ts', "'--role', 'triage'"],
  ['issuewright model', 'test/e2e/newcomer.integration.ts', "start('model'"],
  ['npm run ranks', 'package.json', 'npm run -s ranks'],
  ['npm pack', 'test/package/tarball.slow.ts', "'pack'"],
  ['npm run release', 'test/deployment/release.slow.ts', 'release.ts'],
  ['npm run questions', 'test/docs/questions.test.ts', 'print-questions.ts'],
  ['npm run release --dry-run', 'test/deployment/release.slow.ts', "'--dry-run'"],
  ['npm run sbom', '.github/workflows/release.yml', 'npm run -s sbom'],
  ['npm run test:faults', 'test/faults/fault-suite.slow.ts', 'suite'],
  ['npm run test:all', '.github/workflows/all.yml', 'test:kinds -- --shard=3/3'],
  ['npm run test:attacks', '.ci/run', 'npm run -s test:attacks'],
  ['npm run test:integration', '.ci/run', 'npm run -s test:integration'],
  ['npm run unused', 'package.json', 'npm run -s unused'],
  ['npm test', 'package.json', '&& npm test'],
];

/** What nothing runs by itself, and why. */
const NOT_RUN: readonly (readonly [commands: RegExp, why: string])[] = [
  [/^issuewright play$/, 'a person answers; hand-played-model.test.ts calls what it runs'],
  [/^issuewright model --hand$/, 'the same; the server of hand-played-model.test.ts is this one'],
  [/^npm run bench$/, 'people measure, on a machine that does nothing else'],
  [/^npm run test:faults --/, 'people choose what it plays; the slow tests have a part of it'],
  [/^npm run test:slow$/, 'people choose files; `npm run test:all` runs all of them'],
  [/^npm run pictures$/, 'it writes files that people look at; the pages in them have tests'],
  [/^npm run coverage$/, 'it is two kinds of tests, and a report'],
  [/^npm run format:fix$/, 'it writes; `npm run check` runs the same program without that'],
  [/^issuewright demo --interactive$/, 'a person plays; newcomer.integration.ts plays one'],
  [/^npm publish$/, 'only the owner can do it'],
  [/^npm (?:ci|\*)/, 'an example of what the agent runs in repositories of others'],
];

/** A command with one of its options, or none. */
function partsOf(words: readonly string[]): readonly string[] {
  const [program, ...rest] = words;
  const options = rest.filter((word) => /^--\w/.test(word)).map((word) => word.split('=')[0]);
  if (program === 'issuewright') return named(`issuewright ${rest[0]}`, options);
  const [verb = '', ...more] = rest.filter((word) => word !== '-s' && word !== '--');
  const script = verb === 'run' ? (more[0] ?? '') : verb;
  return named(verb === 'run' ? `npm run ${script}` : `npm ${verb}`, options);
}

function named(command: string, options: readonly (string | undefined)[]): readonly string[] {
  if (options.includes('--help')) return ['issuewright --help'];
  const bare = command.replace(/^issuewright --help$/, '');
  return options.length === 0 ? [bare] : options.map((option) => `${bare} ${option}`);
}

/** Decisions are of their day, and the reference of tools has commands of other repositories. */
const FOLLOWED = DOCUMENTS.filter((path) => !/decisions\/|tools\.md$/.test(path));
const documented = new Set(
  FOLLOWED.flatMap((path) =>
    commandsIn(read(path))
      .filter(([program, next]) => program === 'npm' || (program === 'issuewright' && next !== ''))
      .flatMap(partsOf),
  ),
);

const isNotRun = (command: string): boolean => NOT_RUN.some(([commands]) => commands.test(command));

describe('the commands of the documents', () => {
  it('are each run by a test or by CI, or it is said why not', () => {
    const run = new Set(RUN_BY.map(([command]) => command));
    expect([...documented].filter((one) => !run.has(one) && !isNotRun(one))).toEqual([]);
  });

  it.each(RUN_BY)('include `%s`, which %s runs', (command, by, words) => {
    expect(documented).toContain(command);
    expect(existsSync(by)).toBe(true);
    expect(read(by)).toContain(words);
  });

  it.each(NOT_RUN)('include %s, which nothing runs: %s', (commands) => {
    expect([...documented].filter((command) => commands.test(command))).not.toEqual([]);
  });
});
