import {
  chmodSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, describe, expect, it, jest } from '@jest/globals';
import { FileValue } from '../../src/config/key-files.ts';

const directory = mkdtempSync(path.join(tmpdir(), 'iw-file-value-'));
afterAll(() => rmSync(directory, { recursive: true }));
afterEach(() => void jest.restoreAllMocks());

function open(name: string) {
  const file = path.join(directory, name);
  writeFileSync(file, 'first');
  const seen: string[] = [];
  const shortages: string[] = [];
  const value = new FileValue({
    files: [file],
    first: 'first',
    read: () => {
      const shortage = shortages.pop();
      if (shortage !== undefined) throw new Error(shortage);
      // As for whoever is not root.
      if ((statSync(file).mode & 0o400) === 0) throw new Error('EACCES');
      const content = readFileSync(file, 'utf8');
      if (content === 'nonsense') throw new Error('it is nonsense');
      return content;
    },
    changed: (now) => seen.push(`changed to ${now}`),
    failed: (error) => seen.push(String(error)),
  });
  return { file, seen, shortages, value };
}

const changedAt = (file: string): bigint => statSync(file, { bigint: true }).ctimeNs;

describe('a value of a file', () => {
  it('is read again once the file was written to or replaced, and only then', () => {
    const { file, seen, value } = open('replaced');
    expect([value.current, value.current]).toEqual(['first', 'first']);
    writeFileSync(file, 'the second');
    expect([value.current, value.current]).toEqual(['the second', 'the second']);
    writeFileSync(`${file}-new`, 'the third!');
    renameSync(`${file}-new`, file);
    expect(value.current).toBe('the third!');
    expect(seen).toEqual(['changed to the second', 'changed to the third!']);
  });

  it('stays as it was while the file cannot be read, which is told once', () => {
    const { file, seen, value } = open('spoiled');
    writeFileSync(file, 'nonsense');
    expect([value.current, value.current]).toEqual(['first', 'first']);
    rmSync(file);
    expect(value.current).toBe('first');
    writeFileSync(file, 'back again');
    expect(value.current).toBe('back again');
    expect(seen).toEqual([
      'Error: it is nonsense',
      expect.stringContaining('ENOENT'),
      'changed to back again',
    ]);
  });

  it('is read at once when the file may be read, although nothing is written to it then', () => {
    const { file, seen, value } = open('closed');
    writeFileSync(`${file}-new`, 'second', { mode: 0 });
    renameSync(`${file}-new`, file);
    expect(value.current).toBe('first');
    const before = changedAt(file);
    // Clocks of file systems are coarse.
    while (changedAt(file) === before) chmodSync(file, 0o600);
    expect(value.current).toBe('second');
    expect(seen).toEqual(['Error: EACCES', 'changed to second']);
  });

  it('is read again some time after it could not be, which is told once', () => {
    const now = jest.spyOn(performance, 'now').mockReturnValue(0);
    const { file, seen, shortages, value } = open('short');
    writeFileSync(file, 'second');
    shortages.push('EMFILE', 'EMFILE');
    expect([value.current, value.current]).toEqual(['first', 'first']);
    now.mockReturnValue(10_000);
    expect([value.current, value.current]).toEqual(['first', 'first']);
    now.mockReturnValue(20_000);
    expect(value.current).toBe('second');
    expect(seen).toEqual(['Error: EMFILE', 'changed to second']);
  });
});
