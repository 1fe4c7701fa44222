import { expect, it } from '@jest/globals';
import { Progress } from '../../src/commands/progress.ts';

function progressOn(isTTY: boolean) {
  const written: string[] = [];
  const output = { write: (text: string) => written.push(text) > 0, isTTY, columns: 80 };
  return { progress: new Progress(output, (_style, text) => text), written };
}

const after = (seconds: number): Date => new Date(Date.now() + seconds * 1000);
const wait = (seconds: number, limitedUntil: Date) => ({
  reason: 'few requests are left',
  until: after(seconds),
  limitedUntil,
});

it('says once what all requests that wait for the same limit of GitHub wait for, and until when', () => {
  const { progress, written } = progressOn(false);
  const limitedUntil = after(1800);
  const first = wait(60, limitedUntil);
  for (const one of [first, wait(120, limitedUntil)]) progress.waitForGitHub(one);
  const [until, end] = [first.until, limitedUntil].map((at) => at.toLocaleTimeString());
  expect(written).toEqual([
    `Waiting until ${until}: few requests are left. Until ${end}, each request waits for its turn.\n`,
  ]);
});

it('says it again for the limit of another hour', () => {
  const { progress, written } = progressOn(false);
  progress.waitForGitHub(wait(-30, after(-10)));
  progress.waitForGitHub(wait(60, after(1800)));
  expect(written).toHaveLength(2);
});

it('writes it above the line that says what is done now', () => {
  const { progress, written } = progressOn(true);
  progress.begin();
  progress.waitForGitHub(wait(60, after(1800)));
  progress.rest();
  const shown = written.join('').split('\n');
  expect(shown).toEqual([
    expect.stringContaining('Waiting until'),
    expect.stringContaining('… Preparing'),
  ]);
});
