import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SAMPLE as sample } from '../src/index.ts';

interface Edit {
  path: string;
  edits: { old_text: string; new_text: string }[];
}

let directory: string;
const at = (name: string): string => path.join(directory, name);

beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'sample-test-'));
  for (const [name, text] of Object.entries(sample.files)) await write(name, text);
});
afterAll(() => rm(directory, { recursive: true }));

async function write(name: string, text: string): Promise<void> {
  await mkdir(path.dirname(at(name)), { recursive: true });
  await writeFile(at(name), text);
}

/** Does what the turns from `first` to before `end` say to the files. */
async function play(first: number, end: number): Promise<void> {
  for (const turn of sample.script.turns.slice(first, end))
    for (const { tool_name: tool, arguments: given } of turn.say?.tool_calls ?? []) {
      if (tool === 'write_file') await write(String(given['path']), String(given['content']));
      if (tool === 'edit_file') await edit(given as unknown as Edit);
      if (tool === 'read_file') await readFile(at(String(given['path'])));
    }
}

async function edit({ path: name, edits }: Edit): Promise<void> {
  let text = await readFile(at(name), 'utf8');
  for (const { old_text: before, new_text: after } of edits) {
    expect(text.split(before)).toHaveLength(2);
    text = text.replace(before, () => after);
  }
  await writeFile(at(name), text);
}

async function runTests(): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, ['--test'], {
    cwd: directory,
    env: { PATH: process.env['PATH'] },
  });
  return /^(?:#|ℹ) tests (\d+)$/m.exec(stdout)?.[1] ?? '';
}

const format = async (milliseconds: number): Promise<string> => {
  const code = `import('./src/format.js').then(m => console.log(m.formatDuration(${milliseconds})))`;
  const { stdout } = await promisify(execFile)(process.execPath, ['-e', code], { cwd: directory });
  return stdout.trim();
};

describe('the sample', () => {
  it('starts with green tests and the fault that the issue names', async () => {
    expect(await runTests()).toBe('8');
    expect(await format(93_780_000)).toBe('26h 3m');
  });

  it('does what the issue asks once the first turns are applied', async () => {
    await play(0, 7);
    expect(await runTests()).toBe('12');
    expect(await format(93_780_000)).toBe('1d 2h');
    expect(await format(172_800_000)).toBe('2d 0h');
  });

  it('is reviewed on the line that the review speaks of', async () => {
    const [comment] = sample.reviewComments;
    const lines = (await readFile(at(comment?.path ?? ''), 'utf8')).split('\n');
    expect(lines[(comment?.line ?? 0) - 1]).toContain('${days}d ${hours}h');
    expect(sample.review).toContain('2d 0h');
  });

  it('does what the review asks once the last turns are applied', async () => {
    await play(7, 10);
    expect(await runTests()).toBe('13');
    expect(await format(172_800_000)).toBe('2d');
  });
});
