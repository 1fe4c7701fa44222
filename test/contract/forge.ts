import { expect, it } from '@jest/globals';
import type { Forge } from '../../src/tools/ports.ts';

export interface ForgeWorld {
  /** A forge whose branch has one commit that its base lacks. */
  withCommit(): Promise<Forge>;
  /** A forge whose branch has none. */
  withoutCommit(): Promise<Forge>;
  isDraft(number: number): boolean;
}

const TEXT = { title: 'Count in days', body: 'From a day on.' };

/** What every `Forge` keeps: the one of the local GitHub, and the fake of the tools' tests. */
export function forgeContract(world: () => ForgeWorld): void {
  it('opens a draft, and finds it again when it is repeated', async () => {
    const forge = await world().withCommit();
    const opened = await forge.openPullRequest(TEXT);
    expect(world().isDraft(opened.number)).toBe(true);
    expect(opened.url).toContain(String(opened.number));
    await expect(forge.openPullRequest(TEXT)).resolves.toMatchObject({ number: opened.number });
  });

  it('takes it out of draft, however often', async () => {
    const forge = await world().withCommit();
    const { number } = await forge.openPullRequest(TEXT);
    await forge.markReady(number);
    await forge.markReady(number);
    expect(world().isDraft(number)).toBe(false);
  });

  it('opens none for a branch with nothing on it', async () => {
    const forge = await world().withoutCommit();
    await expect(forge.openPullRequest(TEXT)).rejects.toThrow(/no commits between/i);
  });
}
