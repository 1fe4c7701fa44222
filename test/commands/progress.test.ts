import { expect, it } from '@jest/globals';
import { Progress } from '../../src/commands/progress.ts';

function progressOn(isTTY: boolean) {
  const written: string[] = [];
  const output = { write: (text: string) => written.push(text) > 0, isTTY, columns: 80 };
  return { progress: new Progress(output, (_style, text) => text), written };
}

it('writes a line above the one that says what is done now', () => {
  const { progress, written } = progressOn(true);
  progress.begin();
  progress.say('Waiting for GitHub.');
  progress.rest();
  const shown = written.join('').split('\n');
  expect(shown).toEqual([
    expect.stringContaining('Waiting for GitHub.'),
    expect.stringContaining('… Preparing'),
  ]);
});

it('says until when a run waits, and for what', () => {
  const { progress, written } = progressOn(false);
  const until = '2030-01-15T14:03:00Z';
  const reason = "GitHub's rate limit still applies.";
  progress.hear([{ type: 'run_deferred', run: 1, reason, until, seq: 7, at: until }]);
  expect(written).toEqual([`Waiting until ${new Date(until).toLocaleTimeString()}: ${reason}\n`]);
});
