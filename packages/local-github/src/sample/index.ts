// The sample: a small repository, an issue that leaves one decision open, and the answers of its maintainer.
import { FILES } from './files.ts';
import { SCRIPT } from './script.ts';

export const SAMPLE = {
  owner: 'example',
  name: 'pocket-duration',
  maintainer: 'octo-maintainer',
  files: FILES,
  label: 'issuewright',
  issue: {
    title: 'Long durations stay in hours',
    body: `Our weekly report says that the backup took \`26h 3m\`. Every time somebody has to work out that this is more than a day.

\`\`\`js
formatDuration(93_780_000); // '26h 3m'
\`\`\`

From a day on it should count in days.

- [ ] Everything below a day stays exactly as it is: a dashboard parses it
- [ ] A test for the new unit
- [ ] An example in the README
`,
  },
  /** The answer to the script's question. */
  answer:
    'The two largest units, please: `1d 2h`. Nobody misses the minutes of a backup that took a day.',
  /** The maintainer's review of the first version. */
  review:
    'Reads well, thank you. One thing before it goes in: exactly two days come out as `2d 0h`. Please leave the hours out when there are none, so that it says `2d`.',
  /** The review's comments on lines of code. */
  reviewComments: [{ path: 'src/format.js', line: 11, body: '`2d 0h` comes from here.' }],
  script: SCRIPT,
};
