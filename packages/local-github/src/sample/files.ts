// The files of the sample repository: a small library with tests, and a bug that an issue describes.

/** File contents by path. */
export const FILES: Record<string, string> = {
  '.github/issuewright.yml': `# yaml-language-server: $schema=https://raw.githubusercontent.com/example/issuewright/main/docs/issuewright.schema.json
# Issues with this label are worked on.
label: issuewright
`,
  'README.md': `# pocket-duration

Says how long something took, in words that fit into a log line.

\`\`\`js
import { formatDuration } from 'pocket-duration';

formatDuration(820); // '820ms'
formatDuration(61_000); // '1m 1s'
formatDuration(3_780_000); // '1h 3m'
\`\`\`

No dependencies, no locale files, no options. Durations are whole milliseconds, rounded down.

## Tests

\`\`\`sh
npm test
\`\`\`
`,
  'package.json': `{
  "name": "pocket-duration",
  "version": "1.3.0",
  "description": "Says how long something took, in words that fit into a log line.",
  "license": "MIT",
  "type": "module",
  "exports": "./src/format.js",
  "scripts": {
    "test": "node --test"
  },
  "engines": {
    "node": ">=20"
  }
}
`,
  'src/format.js': `import { HOUR, MINUTE, SECOND } from './units.js';

/** How long \`milliseconds\` are, in words: \`1h 3m\`, \`1m 1s\`, \`820ms\`. */
export function formatDuration(milliseconds) {
  if (!Number.isFinite(milliseconds) || milliseconds < 0)
    throw new RangeError(\`a duration is a number from 0 on, not \${milliseconds}\`);
  const hours = Math.floor(milliseconds / HOUR);
  const minutes = Math.floor((milliseconds % HOUR) / MINUTE);
  const seconds = Math.floor((milliseconds % MINUTE) / SECOND);
  if (hours > 0) return \`\${hours}h \${minutes}m\`;
  if (minutes > 0) return \`\${minutes}m \${seconds}s\`;
  if (seconds > 0) return \`\${seconds}s\`;
  return \`\${Math.floor(milliseconds)}ms\`;
}
`,
  'src/units.js': `export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
`,
  'test/format.test.js': `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatDuration } from '../src/format.js';

const cases = [
  [0, '0ms'],
  [820, '820ms'],
  [1_000, '1s'],
  [61_000, '1m 1s'],
  [3_599_999, '59m 59s'],
  [3_600_000, '1h 0m'],
  [3_780_000, '1h 3m'],
];

for (const [milliseconds, words] of cases)
  test(\`\${milliseconds} ms are \${words}\`, () => {
    assert.equal(formatDuration(milliseconds), words);
  });

test('rejects what is not a duration', () => {
  for (const wrong of [-1, Number.NaN, Number.POSITIVE_INFINITY])
    assert.throws(() => formatDuration(wrong), RangeError);
});
`,
};
