// The script of the sample: ten turns from the label to the answered review.
import type { Script } from '../model/script.ts';

const call = (name: string, given: Record<string, unknown>) => ({
  tool_name: name,
  arguments: given,
});

const say = (plan: string, ...calls: ReturnType<typeof call>[]) => ({
  say: { plan, tool_calls: calls },
});

const edit = (path: string, ...edits: [string, string][]) =>
  call('edit_file', {
    path,
    edits: edits.map(([before, after]) => ({ old_text: before, new_text: after })),
  });

const STEPS = [
  { id: 'read', title: 'Find out how durations are formatted' },
  { id: 'ask', title: 'Settle what a day looks like' },
  { id: 'change', title: 'Count in days from a day on' },
  { id: 'test', title: 'Add a test for days' },
  { id: 'pull-request', title: 'Open a pull request' },
];

/** The plan with its first `done` steps ticked. */
const planDone = (count: number) =>
  call('update_plan', { items: STEPS.map((step, index) => ({ ...step, done: index < count })) });

const DAYS_TEST = `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatDuration } from '../src/format.js';

const cases = [
  [86_399_999, '23h 59m'],
  [90_000_000, '1d 1h'],
  [93_780_000, '1d 2h'],
  [1_000_000_000, '11d 13h'],
];

for (const [milliseconds, words] of cases)
  test(\`\${milliseconds} ms are \${words}\`, () => {
    assert.equal(formatDuration(milliseconds), words);
  });
`;

export const SCRIPT: Script = {
  turns: [
    say(
      'I look at the repository and at the code that formats durations.',
      call('list_directory', { path: '.' }),
      call('read_file', { path: 'src/format.js' }),
    ),
    say(
      'The largest unit is the hour. I check who else uses the units, and write down what there is to do.',
      call('grep_search', { pattern: 'HOUR' }),
      planDone(1),
    ),
    say(
      'The issue does not say what happens to the minutes once there are days. That is visible to everyone who reads the reports, so I ask.',
      call('ask_question', {
        question_text: `Once a duration is counted in days, what should become of the minutes?

1. **Two largest units**, as everywhere else: \`1d 2h\`
2. **All of them**: \`1d 2h 3m\`

I lean towards the first: every other duration has at most two units, and the log line stays short.`,
      }),
    ),
    say(
      'Two units it is. I add the day, leave everything below a day as it is, and add a test.',
      edit('src/units.js', [
        `export const HOUR = 60 * MINUTE;
`,
        `export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
`,
      ]),
      edit(
        'src/format.js',
        [
          `import { HOUR, MINUTE, SECOND } from './units.js';`,
          `import { DAY, HOUR, MINUTE, SECOND } from './units.js';`,
        ],
        [
          `  const hours = Math.floor(milliseconds / HOUR);
`,
          `  const days = Math.floor(milliseconds / DAY);
  const hours = Math.floor((milliseconds % DAY) / HOUR);
`,
        ],
        [
          `  if (hours > 0) return \`\${hours}h \${minutes}m\`;
`,
          `  if (days > 0) return \`\${days}d \${hours}h\`;
  if (hours > 0) return \`\${hours}h \${minutes}m\`;
`,
        ],
      ),
      edit('README.md', [
        `formatDuration(3_780_000); // '1h 3m'
`,
        `formatDuration(3_780_000); // '1h 3m'
formatDuration(93_780_000); // '1d 2h'
`,
      ]),
      call('write_file', { path: 'test/days.test.js', content: DAYS_TEST }),
      planDone(4),
    ),
    say(
      'The change is complete. I commit it.',
      call('commit', {
        message: `Count long durations in days

From a day on the two largest units are days and hours. Everything below
a day stays as it was.`,
      }),
    ),
    say(
      'I open the pull request.',
      call('create_pull_request', {
        title: 'Count long durations in days',
        body: `Durations from a day on are shown in days and hours: \`formatDuration(93_780_000)\` is \`1d 2h\` now, and no longer \`26h 3m\`.

- Everything below a day stays exactly as it was.
- As agreed in the issue, the two largest units are shown.
- The new tests are in \`test/days.test.js\`; the README has an example.`,
      }),
    ),
    say(
      'All is done; the pull request is ready for a review.',
      planDone(5),
      call('finish', {
        summary:
          'Durations from a day on are counted in days and hours, with tests and an example in the README.',
        outcome: 'done',
      }),
    ),
    {
      ...say(
        'The review is right: `2d 0h` is a word too many. I look at the code once more.',
        call('read_file', { path: 'src/format.js' }),
      ),
    },
    say(
      'I leave the hours out when there are none, and test it.',
      edit('src/format.js', [
        `  if (days > 0) return \`\${days}d \${hours}h\`;
`,
        `  if (days > 0) return hours > 0 ? \`\${days}d \${hours}h\` : \`\${days}d\`;
`,
      ]),
      edit('test/days.test.js', [
        `  [1_000_000_000, '11d 13h'],
`,
        `  [172_800_000, '2d'],
  [1_000_000_000, '11d 13h'],
`,
      ]),
      call('commit', { message: 'Leave out the hours of a whole number of days' }),
    ),
    say(
      'The review is answered.',
      call('finish', {
        summary:
          'A whole number of days is shown without hours now: two days are `2d`. There is a test for it.',
        outcome: 'done',
      }),
    ),
  ],
};
