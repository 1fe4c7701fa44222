import {
  closeSync,
  constants,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { CommandRequest, Shell } from '../../src/contracts/shell.ts';
import { holdTimeouts } from '../support/fake-timeouts.ts';

export interface ShellUnderTest {
  readonly shell: Shell;
  /** Where its commands start, as this process sees it. */
  readonly directory: string;
  close?(): Promise<void>;
}

const { signal } = new AbortController();

/** Whether a process has a named pipe open. */
function hasReader(pipe: string): boolean {
  try {
    closeSync(openSync(pipe, constants.O_WRONLY | constants.O_NONBLOCK));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENXIO') return false;
    throw error;
  }
}

/** What every `Shell` of the tools does, contained or not. */
export function shellContract(name: string, make: () => Promise<ShellUnderTest>): void {
  describe(`${name}, as the tools know a shell`, () => {
    let subject: ShellUnderTest;
    beforeAll(async () => (subject = await make()));
    afterAll(async () => subject.close?.());

    const run = (command: string, more: Partial<CommandRequest> = {}) =>
      subject.shell.run({ command, directory: '', timeoutMs: 100_000, signal, ...more });
    const whole = async (command: string, more: Partial<CommandRequest> = {}) => {
      const { output } = await run(command, more);
      return output.head + output.tail;
    };
    const at = (path: string): string => join(subject.directory, path);

    it('answers the exit code, and how long it took', async () => {
      const done = await run('exit 3');
      expect(done).toMatchObject({ ended: 'exited', exitCode: 3, disallowedHosts: [] });
      expect(done.output).toEqual({ head: '', tail: '', left: 0 });
      expect(done.durationMs).toBeGreaterThan(0);
      expect(await run('true')).toMatchObject({ exitCode: 0 });
      expect(await run('no-such-program')).toMatchObject({ exitCode: 127 });
    });

    it('says with which signal a command ended', async () => {
      expect(await run('kill -TERM $$')).toMatchObject({ ended: 'exited', exitCode: 143 });
    });

    it('gives stdout and stderr in the order in which they came', async () => {
      expect(await whole('echo one; echo two >&2; echo three')).toBe('one\ntwo\nthree\n');
    });

    it('is a shell: pipes, variables, several lines', async () => {
      expect(await whole('a=x\nfor i in 1 2; do echo "$a$i"; done | sort -r')).toBe('x2\nx1\n');
    });

    it('begins in the repository, or in the directory that is named', async () => {
      mkdirSync(at('inner/deep'), { recursive: true });
      writeFileSync(at('inner/deep/here.txt'), '');
      expect(await whole('ls', { directory: 'inner/deep' })).toBe('here.txt\n');
      expect(await whole('ls -d inner')).toBe('inner\n');
    });

    it('sees the files of the workspace, and what it changes is there when it answers', async () => {
      writeFileSync(at('old.txt'), 'old\n');
      expect(await whole('cat old.txt; echo new > new.txt; rm old.txt')).toBe('old\n');
      expect(readFileSync(at('new.txt'), 'utf8')).toBe('new\n');
      expect(await whole('ls old.txt 2>&1 || echo gone')).toContain('gone');
    });

    it('sees what was written between two commands', async () => {
      await run('mkdir -p made && echo 1 > made/a.txt');
      writeFileSync(at('made/b.txt'), '2\n');
      rmSync(at('made/a.txt'));
      writeFileSync(at('made/a.txt'), '3\n');
      expect(await whole('cat made/a.txt made/b.txt; echo 4 > made/b.txt')).toBe('3\n2\n');
      expect(readFileSync(at('made/b.txt'), 'utf8')).toBe('4\n');
    });

    it('has no input to wait for', async () => {
      expect(await run('cat; read x || echo none')).toMatchObject({ exitCode: 0 });
    });

    it('tells its output as it comes', async () => {
      const heard = Promise.withResolvers<string>();
      let text = '';
      const running = run('echo first; while [ ! -e go ]; do sleep 0.05; done; echo last', {
        onOutput: (more) => {
          text += more;
          if (text.includes('first')) heard.resolve(text);
        },
      });
      expect(await heard.promise).not.toContain('last');
      writeFileSync(at('go'), '');
      await running;
      expect(text).toBe('first\nlast\n');
    });

    it('keeps the beginning and the end of much output, and says how much it left out', async () => {
      const { output } = await run('echo begin; head -c 3000000 /dev/zero | tr "\\0" x; echo end');
      expect(output.head.startsWith('begin\n')).toBe(true);
      expect(output.tail.endsWith('end\n')).toBe(true);
      const kept = Buffer.byteLength(output.head) + Buffer.byteLength(output.tail);
      expect(kept + output.left).toBe(3_000_010);
      expect(kept).toBeLessThan(1_000_000);
    });

    it('ends a command that takes too long, and all that it started', async () => {
      const timeouts = holdTimeouts();
      const done = await run('(sleep 6000; echo late > late.txt) & echo begun; sleep 6000', {
        timeoutMs: 1_000,
        onOutput: timeouts.expire,
      });
      expect(done).toMatchObject({ ended: 'timeout', exitCode: null });
      expect(done.output.head).toMatch(/^begun\n/);
    });

    it('ends a command that puts out too much', async () => {
      expect(await run('yes')).toMatchObject({ ended: 'output', exitCode: null });
    });

    it('leaves nothing running behind', async () => {
      const left = '(exec 3<> pipe; : > opened; exec sleep 6000) > /dev/null 2>&1 &';
      await run(`mkfifo pipe; ${left} until [ -e opened ]; do sleep 0.05; done`);
      while (hasReader(at('pipe'))) await nextTurn();
    });

    it('stops at once when its signal is aborted, with its reason', async () => {
      const stopping = new AbortController();
      const running = run('echo begun; sleep 6000', {
        signal: stopping.signal,
        onOutput: () => stopping.abort(new Error('stopped by a person')),
      });
      await expect(running).rejects.toThrow('stopped by a person');
      await expect(run('true', { signal: stopping.signal })).rejects.toThrow('stopped by a person');
    });

    it('runs commands one after the other', async () => {
      const all = [1, 2, 3].map((number) =>
        run(`echo b${number} >> order.txt; sleep 0.1; echo e${number} >> order.txt`),
      );
      await Promise.all(all);
      expect(readFileSync(at('order.txt'), 'utf8')).toBe('b1\ne1\nb2\ne2\nb3\ne3\n');
    });

    it('passes UTF-8 through, and shows invalid bytes', async () => {
      expect(await whole('echo "日本語 ✓"')).toBe('日本語 ✓\n');
      expect(await whole(String.raw`printf 'a\377b'`)).toBe('a\ufffdb');
    });
  });
}
