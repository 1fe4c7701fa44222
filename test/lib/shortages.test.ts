import { execFile } from 'node:child_process';
import { closeSync, openSync, writeSync } from 'node:fs';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { TellPerson, TryLater } from '../../src/lib/errors.ts';
import { reasonOf, explainShortage, shortagePrinted } from '../../src/lib/reason.ts';

const thrownBy = (act: () => void): unknown => {
  try {
    act();
  } catch (error) {
    return error;
  }
  throw new Error('it did not fail');
};

describe('a shortage of the machine', () => {
  const onLinux = process.platform === 'linux' ? it : it.skip;

  onLinux('of space is named, with what helps, and may pass', () => {
    const full = openSync('/dev/full', 'w');
    const error = explainShortage(thrownBy(() => writeSync(full, 'x')));
    closeSync(full);
    expect(error).toBeInstanceOf(TryLater);
    expect(String(error)).toMatch(/disk of Issuewright is full.*`df -i`.*`TMPDIR`/);
  });

  it('of open files is named, as a process with a low limit finds it', async () => {
    // Node itself has some twenty files open.
    const script = `
      import { openSync } from 'node:fs';
      import { explainShortage } from ${JSON.stringify(new URL('../../src/lib/reason.ts', import.meta.url).href)};
      try {
        for (;;) openSync('/dev/null');
      } catch (error) {
        const { name, message } = explainShortage(error);
        console.log(name, message);
      }`;
    const node = [process.execPath, '--input-type=module', '-e', script];
    const { stdout } = await promisify(execFile)('sh', [
      '-c',
      'ulimit -n 60; exec "$@"',
      'sh',
      ...node,
    ]);
    expect(stdout).toMatch(/^TryLater .*too many files open.*`ulimit -n`, `LimitNOFILE`/);
  });

  it.each([
    ['EMFILE', 'open', /ulimit -n/],
    ['ENFILE', 'open', /fs\.file-max/],
    ['ENOSPC', 'write', /df -i/],
    ['EDQUOT', 'write', /quota/],
    ['EROFS', 'open', /read-only/],
    ['ENOMEM', 'spawn git', /CONCURRENCY/],
    ['EAGAIN', 'spawn git', /TasksMax.*pids_limit/],
  ])('is known by %s of %s', (code, syscall, words) => {
    const error = explainShortage(Object.assign(new Error('no'), { code, syscall }));
    expect(error).toBeInstanceOf(TryLater);
    expect(String(error)).toMatch(words);
  });

  it('is nothing else, and nothing that was decided already', () => {
    const others = [
      new Error('no'),
      Object.assign(new Error('no'), { code: 'ENOENT', syscall: 'open' }),
      Object.assign(new Error('no'), { code: 'EAGAIN', syscall: 'read' }),
      Object.assign(new TellPerson('no'), { code: 'EMFILE' }),
      undefined,
    ];
    for (const other of others) expect(explainShortage(other)).toBe(other);
  });

  it('is found in what a program prints', () => {
    const printed = 'fatal: write error: No space left on device';
    expect(shortagePrinted(printed)).toMatch(/disk of Issuewright is full/);
    expect(shortagePrinted('fatal: bad object')).toBeUndefined();
  });

  it('is told in the reason of what failed', () => {
    expect(reasonOf(Object.assign(new Error('no'), { code: 'EMFILE' }))).toMatch(
      /too many files open.*\(EMFILE\)$/,
    );
  });
});
