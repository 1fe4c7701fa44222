import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { FileValue } from '../../src/lib/file-value.ts';

const directory = mkdtempSync(path.join(tmpdir(), 'iw-file-value-'));
afterAll(() => rmSync(directory, { recursive: true }));

function open(name: string) {
  const file = path.join(directory, name);
  writeFileSync(file, 'first');
  const seen: string[] = [];
  const value = new FileValue({
    files: [file],
    first: 'first',
    read: () => {
      const content = readFileSync(file, 'utf8');
      if (content === 'nonsense') throw new Error('it is nonsense');
      return content;
    },
    changed: (now) => seen.push(`changed to ${now}`),
    failed: (error) => seen.push(String(error)),
  });
  return { file, seen, value };
}

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
});
