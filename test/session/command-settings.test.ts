import { describe, expect, it } from '@jest/globals';
import { readSettings } from '../../src/session/settings/read.ts';

const read = (text: string) => readSettings(text) as { settings?: object; fault?: string };

describe('what a repository settles about commands', () => {
  it('is nothing if it is not set', () => {
    expect(read('').settings).toMatchObject({ setup: [] });
  });

  it('is how to prepare a clone, how to test, and what may be run', () => {
    const text = 'setup: npm ci\ntest: npm test\ncommands: {allow: ["npm *"]}\n';
    expect(read(text).settings).toMatchObject({
      setup: ['npm ci'],
      test: 'npm test',
      commands: { allow: ['npm *'] },
    });
    expect(read('setup: [npm ci, npm run build]\ntests: make test\n').settings).toMatchObject({
      setup: ['npm ci', 'npm run build'],
      tests: 'make test',
    });
  });

  it.each([
    ['setup: 3', /`setup`.*one line/],
    ['setup: [""]', /`setup\[0\]`.*one line/],
    [
      `setup: [${Array.from({ length: 11 }, () => 'x').join(', ')}]`,
      /`setup`.*list of such commands/,
    ],
    ['test: [npm test]', /`test`.*one line/],
    ['test: "a\\nb"', /`test`.*one line/],
    [`test: ${'x'.repeat(1001)}`, /longer than 1000/],
    ['commands: [npm]', /`commands`.*`allow`/],
    ['commands: {deny: [npm]}', /`commands\.(?:allow|deny)`/],
    ['commands: {allow: npm}', /`commands\.allow`/],
  ])('has to be commands: %s', (text, words) => {
    expect(read(text).fault).toMatch(words);
  });
});
