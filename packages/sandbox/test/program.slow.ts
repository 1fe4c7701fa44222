import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import type { Program, ProgramRequest } from '../../../src/contracts/shell.ts';
import { openSandbox } from '../src/index.ts';
import { visibleNode } from '../src/inside/system-mounts.ts';
import { temporaryDirectory } from '../../../test/support/temporary-directory.ts';
import { processesWith, whyNot } from './support.ts';

const opened =
  whyNot === ''
    ? await openSandbox({ allowHosts: [], log: pino({ level: 'silent' }) })
    : { state: 'absent' as const, why: whyNot };
/** Why the sandbox does not show Node to programs, which a list of hosts needs; empty if it does. */
const whyHidden =
  visibleNode([]) === undefined ? 'no Node is below a directory that all can enter' : '';
const declare = opened.state === 'ready' ? describe : describe.skip;

declare(`a program in the sandbox, beside commands ${whyNot}`, () => {
  const sandbox = opened.state === 'ready' ? opened.sandbox : undefined;
  afterAll(() => sandbox?.close());
  const around = temporaryDirectory();
  const directory = join(around, 'tree');
  mkdirSync(directory);
  writeFileSync(join(directory, 'a.txt'), 'of the workspace\n');

  /** What a program writes until it ends. */
  async function run(script: string, request: Partial<ProgramRequest> = {}) {
    let output = '';
    let errors = '';
    const program = await start(script, {
      onOutput: (chunk) => {
        output += Buffer.from(chunk).toString();
      },
      onErrorOutput: (chunk) => {
        errors += Buffer.from(chunk).toString();
      },
      ...request,
    });
    return { ended: await program.ended, output, errors };
  }

  function start(script: string, request: Partial<ProgramRequest> = {}): Promise<Program> {
    if (sandbox === undefined) throw new Error('there is no sandbox');
    return sandbox.start(
      { directory },
      {
        name: 'test',
        command: 'sh',
        args: ['-c', script],
        environment: {},
        egress: [],
        seesWorkspace: true,
        onOutput: () => {},
        onErrorOutput: () => {},
        ...request,
      },
    );
  }

  it('reads the workspace and cannot change it', async () => {
    const { output, errors, ended } = await run('cat a.txt; echo new > a.txt || echo new > b.txt');
    expect(output).toBe('of the workspace\n');
    expect(errors).toMatch(/Read-only file system/);
    expect(ended).toBe('it ended with exit code 2');
    expect(readFileSync(join(directory, 'a.txt'), 'utf8')).toBe('of the workspace\n');
  });

  it('does not see the workspace unless it may', async () => {
    const { output } = await run('ls -A; pwd; touch x', { seesWorkspace: false });
    expect(output).toBe('/workspace\n');
  });

  it('has the environment that it is given, and a home of its own', async () => {
    const { output } = await run('echo $TOKEN; echo kept > ~/file; ls ~', {
      environment: { TOKEN: 'abc' },
    });
    expect(output).toBe('abc\nfile\n');
    expect((await run('ls ~', { name: 'other' })).output).toBe('');
  });

  it('has every variable under its own name, and none on a command line', async () => {
    const environment = { token: 'value-of-token', ENV: '/none', Q: `a "b" $HOME\n'c'`, UID: '7' };
    const script =
      'printf "%s|" "$token" "$ENV" "$Q"; env | grep -c SERVER_VALUE; echo over; read -r line';
    let output = '';
    const program = await start(script, {
      environment,
      onOutput: (chunk) => {
        output += Buffer.from(chunk).toString();
      },
    });
    while (!output.includes('over')) await nextTurn();
    expect(processesWith('value-of-token')).toEqual([]);
    program.kill();
    await program.ended;
    expect(output).toBe(`value-of-token|/none|a "b" $HOME\n'c'|0\nover\n`);
  });

  it('hears what is written to it, while commands run', async () => {
    let output = '';
    const onOutput = (chunk: Uint8Array): void => {
      output += Buffer.from(chunk).toString();
    };
    const program = await start('while read -r line; do echo "heard $line"; done', { onOutput });
    program.write('one\n');
    const { signal } = new AbortController();
    const request = { command: 'cat a.txt', directory: '', timeoutMs: 100_000, signal };
    expect((await sandbox?.shell({ directory }).run(request))?.exitCode).toBe(0);
    program.write('two\n');
    while (!output.includes('two')) await nextTurn();
    expect(output).toBe('heard one\nheard two\n');
    program.kill();
    expect(await program.ended).toBe('it was ended');
  });

  (whyHidden === '' ? it : it.skip)(
    `reaches no host but those of its own list ${whyHidden}`,
    async () => {
      const ask =
        'curl -sS http://registry.example.com/ 2>&1 || wget -qO- http://registry.example.com/ 2>&1';
      const { output } = await run(ask, { egress: ['api.example.com'] });
      expect(output).toMatch(/The operator can allow hosts with MCP_SERVERS|403|not found/);
    },
  );

  (whyHidden === '' ? it.skip : it)(
    'says which setting needs Node inside the sandbox',
    async () => {
      await expect(run('true', { egress: ['api.example.com'] })).rejects.toThrow(
        /MCP_SERVERS needs Node inside the sandbox.* Install Node below \/usr\./,
      );
    },
  );

  it('says that it was not found', async () => {
    const { ended } = await run('', { command: 'no-such-program' });
    expect(ended).toBe('it ended with exit code 127: its program was not found where it runs');
  });

  it('ends when it is killed at any moment of its start', async () => {
    const marker = `27182.${process.pid}`;
    for (let tries = 0; tries < 80; tries += 1) {
      const program = await start(`sleep ${marker}`);
      const moment = performance.now() + (tries % 8) / 2;
      while (performance.now() < moment) await nextTurn();
      program.kill();
      expect(await program.ended).toBe('it was ended');
    }
    expect(processesWith(`sleep ${marker}`)).toEqual([]);
  });

  it('ends with all of its processes', async () => {
    const marker = `31415.${process.pid}`;
    const program = await start(`setsid sh -c "trap '' TERM; sleep ${marker}" & sleep ${marker}`);
    while (processesWith(`sleep ${marker}`).length < 2) await nextTurn();
    program.kill();
    await program.ended;
    expect(processesWith(marker)).toEqual([]);
  });
});
