import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { TellPerson } from '../../src/lib/errors.ts';
import type { Git } from '../../src/contracts/git.ts';
import type { Files } from '../../src/contracts/files.ts';

export interface GitUnderTest {
  readonly files: Files;
  readonly git: Git;
  /** Denies pushes with this message from now on; `undefined` allows them again. */
  denyPushes(words: string | undefined): void;
  close(): Promise<void>;
}

const AT = new Date('2026-01-02T03:04:05Z');
const text = (content: string): Uint8Array => Buffer.from(content);

/** What every `Git` of the tools does. `make` gives a fresh one, always with the same files. */
export function gitContract(name: string, make: () => Promise<GitUnderTest>): void {
  describe(`${name}, as the tools know git`, () => {
    let subject: GitUnderTest;
    const commit = (message = 'Change', at = AT) => subject.git.commit({ message, at });
    const write = (path: string, content: string) => subject.files.write(path, text(content));
    beforeEach(async () => (subject = await make()));
    afterEach(async () => subject.close());

    it('commits nothing if nothing changed', async () => {
      expect(await commit()).toBeUndefined();
      expect(await subject.git.changes()).toEqual([]);
      expect(await subject.git.diff('')).toEqual([]);
    });

    it('names what it committed, by path', async () => {
      await write('new.txt', 'new');
      await write('README.md', 'changed');
      expect(await commit()).toEqual({
        sha: expect.stringMatching(/^[0-9a-f]{40}$/),
        files: [
          { path: 'README.md', status: 'modified' },
          { path: 'new.txt', status: 'added' },
        ],
        left: [],
      });
    });

    it('commits only what changed since the last commit', async () => {
      await write('a.txt', '1');
      await commit();
      expect(await commit()).toBeUndefined();
      await write('b.txt', '2');
      expect((await commit())?.files).toEqual([{ path: 'b.txt', status: 'added' }]);
    });

    it('shows what changed since the last commit, by path and line by line', async () => {
      await write('new/a.txt', 'one\n');
      await write('README.md', 'Sample\nmore\n');
      expect(await subject.git.changes()).toEqual([
        { path: 'README.md', status: 'modified' },
        { path: 'new/a.txt', status: 'added' },
      ]);
      expect(await subject.git.diff('')).toMatchObject([
        { path: 'README.md', status: 'modified', hunks: '@@ -1 +1,2 @@\n Sample\n+more\n' },
        { path: 'new/a.txt', status: 'added', hunks: '@@ -0,0 +1 @@\n+one\n' },
      ]);
      expect(await subject.git.diff('new')).toMatchObject([{ path: 'new/a.txt' }]);
      await commit();
      expect(await subject.git.changes()).toEqual([]);
      expect(await subject.git.diff('')).toEqual([]);
    });

    it('commits what was chosen, and leaves the rest for the next one', async () => {
      await write('README.md', 'changed\n');
      await write('a.txt', '1');
      await write('b.txt', '2');
      const done = await subject.git.commit({
        message: 'One',
        at: AT,
        only: ['b.txt', 'gone.txt'],
      });
      expect(done).toMatchObject({
        files: [{ path: 'b.txt', status: 'added' }],
        left: ['README.md', 'a.txt'],
      });
      expect(await subject.git.changes()).toEqual([
        { path: 'README.md', status: 'modified' },
        { path: 'a.txt', status: 'added' },
      ]);
      expect(
        await subject.git.commit({ message: 'None', at: AT, only: ['b.txt'] }),
      ).toBeUndefined();
      expect(await commit()).toMatchObject({
        files: [
          { path: 'README.md', status: 'modified' },
          { path: 'a.txt', status: 'added' },
        ],
        left: [],
      });
    });

    it('gives the same commit for the same files, message and time, and another for others', async () => {
      const shas: (string | undefined)[] = [];
      for (const [message, at] of [
        ['Change', AT],
        ['Change', AT],
        ['Other', AT],
        ['Change', new Date(0)],
      ] as const) {
        await subject.close();
        subject = await make();
        await write('a.txt', '1');
        shas.push((await commit(message, at))?.sha);
      }
      expect(shas[1]).toBe(shas[0]);
      expect(new Set(shas).size).toBe(3);
    });

    it('tells the person why a push was denied, and can be repeated', async () => {
      await write('a.txt', '1');
      subject.denyPushes('the branch is protected');
      const rejected = commit();
      await expect(rejected).rejects.toBeInstanceOf(TellPerson);
      await expect(rejected).rejects.toThrow('the branch is protected');
      subject.denyPushes(undefined);
      expect((await commit())?.files).toEqual([{ path: 'a.txt', status: 'added' }]);
    });
  });
}
