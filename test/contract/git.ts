import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { TellPerson } from '../../src/lib/errors.ts';
import type { Files, Git } from '../../src/tools/ports.ts';

export interface GitUnderTest {
  readonly files: Files;
  readonly git: Git;
  /** Refuses pushes with these words from now on, or no longer. */
  refusePushes(words: string | undefined): void;
  close(): Promise<void>;
}

const AT = new Date('2026-01-02T03:04:05Z');
const text = (content: string): Uint8Array => Buffer.from(content);

/** What every `Git` of the tools does. `make` gives a fresh one, always with the same files. */
export function gitContract(name: string, make: () => Promise<GitUnderTest>): void {
  describe(`${name}, as the tools know git`, () => {
    let subject: GitUnderTest;
    const commit = (message = 'Change', at = AT) => subject.git.commit({ message, at });
    beforeEach(async () => (subject = await make()));
    afterEach(async () => subject.close());

    it('commits nothing where nothing changed', async () => {
      expect(await commit()).toBeUndefined();
    });

    it('names what it committed, by path', async () => {
      await subject.files.write('new.txt', text('new'));
      await subject.files.write('README.md', text('changed'));
      expect(await commit()).toEqual({
        sha: expect.stringMatching(/^[0-9a-f]{40}$/),
        files: [
          { path: 'README.md', status: 'modified' },
          { path: 'new.txt', status: 'added' },
        ],
      });
    });

    it('commits only what changed since the last commit', async () => {
      await subject.files.write('a.txt', text('1'));
      await commit();
      expect(await commit()).toBeUndefined();
      await subject.files.write('b.txt', text('2'));
      expect((await commit())?.files).toEqual([{ path: 'b.txt', status: 'added' }]);
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
        await subject.files.write('a.txt', text('1'));
        shas.push((await commit(message, at))?.sha);
      }
      expect(shas[1]).toBe(shas[0]);
      expect(new Set(shas).size).toBe(3);
    });

    it('tells a person why a push was refused, and can be repeated', async () => {
      await subject.files.write('a.txt', text('1'));
      subject.refusePushes('the branch is protected');
      const refusal = commit();
      await expect(refusal).rejects.toBeInstanceOf(TellPerson);
      await expect(refusal).rejects.toThrow('the branch is protected');
      subject.refusePushes(undefined);
      expect((await commit())?.files).toEqual([{ path: 'a.txt', status: 'added' }]);
    });
  });
}
