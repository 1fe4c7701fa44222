// How texts spell commands: as whoever reads them called the program.
import { spawnSync } from 'node:child_process';
import { globSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { defineProgram } from '../../src/commands/program.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

/** Which command its help names to someone who called it as `by`. */
function namedBy(by: string, cwd: string, environment: Record<string, string> = {}) {
  const env = { PATH: process.env['PATH'] ?? '', ...environment };
  const { stderr } = spawnSync(by, ['strat'], { cwd, env, encoding: 'utf8' });
  return /Nothing was done\. `(.*) --help` explains the commands/.exec(stderr)?.[1];
}

/** A directory with a link to the program. */
function linkedIn(...path: readonly string[]): string {
  const directory = join(temporaryDirectory(), ...path);
  mkdirSync(directory, { recursive: true });
  symlinkSync(resolve('issuewright'), join(directory, 'issuewright'));
  return directory;
}

describe('the program', () => {
  it('spells commands as it was called in a clone, and by its path', () => {
    expect(namedBy('./issuewright', resolve('.'))).toBe('./issuewright');
    expect(namedBy('../issuewright', resolve('bin'))).toBe('../issuewright');
    const path = resolve('issuewright');
    expect(namedBy(path, temporaryDirectory())).toBe(path);
  });

  it('spells commands by its name alone if PATH has it', () => {
    const directory = linkedIn();
    const PATH = [directory, process.env['PATH']].join(delimiter);
    expect(namedBy('issuewright', temporaryDirectory(), { PATH })).toBe('issuewright');
  });

  it('spells commands with npx if npx started it', () => {
    const directory = linkedIn('node_modules/.bin');
    const program = join(directory, 'issuewright');
    expect(namedBy(program, directory, { npm_command: 'exec' })).toBe('npx issuewright');
    expect(namedBy(program, directory, { npm_command: 'run-script' })).toBe(program);
  });

  it('spells commands by its name alone if its path is nothing to type', () => {
    const directory = linkedIn("it's");
    expect(namedBy(join(directory, 'issuewright'), directory)).toBe('issuewright');
  });

  it('leaves nothing of that to the programs that it starts', () => {
    expect(readFileSync('bin/issuewright.js', 'utf8')).toContain(
      'delete env.ISSUEWRIGHT_CALLED_AS',
    );
  });
});

/** What is read on GitHub, or by a program, or has these words for another reason. */
const ELSEWHERE = [
  'packages/local-github/src/sample',
  'src/agent/prompts',
  'src/commands/prove/scratch-repository.ts',
  'src/config/values/guessable.ts',
  'src/models/scripted/scripted-adapter.ts',
  'src/session/texts/pull-request-body.ts',
  'src/store/control.ts',
  'src/web/people/cookies.ts',
];
/** The answer to a webhook, the head of a report, and a name that is no command. */
const OTHERS = ['Received by `issuewright setup`', 'issuewright ${packageVersion()} prove'];

it('no text for whoever runs the program spells a command in another way', () => {
  const names = defineProgram(() => Promise.resolve()).commands.map((one) => one.name());
  const all = [...names, 'help', 'github', 'model', 'play', String.raw`--\w`, String.raw`\$\{`];
  const command = new RegExp(String.raw`(?<![\w/.-])issuewright (?:${all.join('|')})`);
  const found = globSync('{src,bin,packages/*/src}/**/*.{ts,js}')
    .filter((path) => !ELSEWHERE.some((one) => path.startsWith(one)))
    .flatMap((path) =>
      readFileSync(path, 'utf8')
        .split('\n')
        .map((line) => ({ path, line })),
    )
    .filter(({ line }) => !/^\s*(?:\/\/|\/?\*)/.test(line) && command.test(line))
    .filter(({ line }) => !OTHERS.some((one) => line.includes(one)));
  expect(found).toEqual([]);
  expect(command.test('Start it: `issuewright start`.')).toBe(true);
});
