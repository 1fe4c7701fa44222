// What the model says in the pictures of the guide, by the title of the issue.
import type { Script } from '../../packages/local-github/src/model/script.ts';

type Call = { tool_name: string; arguments: Record<string, unknown> };

const call = (tool_name: string, args: Record<string, unknown>): Call => ({
  tool_name,
  arguments: args,
});
const say = (plan: string, ...tool_calls: Call[]) => ({ say: { plan, tool_calls } });

const plan = (done: number, ...titles: string[]) =>
  call('update_plan', {
    items: titles.map((title, at) => ({ id: String(at), title, done: at < done })),
  });
const write = (path: string, content: string) => call('write_file', { path, content });
const finish = (summary: string) => call('finish', { summary });

/** A model that thinks for so long is still thinking when its picture is taken. */
const FOR_THE_PICTURE = 60_000;

const SPACES = [
  'Find out what the parser takes today',
  'Take spaces between number and unit',
  'Add tests',
  'Say so in the README',
] as const;

const ROUNDING = [
  'Find where durations are cut',
  'Round to the nearest unit',
  'Add tests',
] as const;

export const SCRIPTS: readonly Script[] = [
  {
    match: 'Take spaces in durations',
    turns: [
      say('I look around first.', call('list_directory', { path: '.' }), plan(0, ...SPACES)),
      say(
        'The parser is small. Now the change.',
        call('read_file', { path: 'src/format.js' }),
        plan(1, ...SPACES),
      ),
      say('First the tests.', write('test/spaces.test.js', '// …\n'), plan(1, ...SPACES)),
      { ...say('Now the rest.', finish('Spaces are taken.')), delay_ms: FOR_THE_PICTURE },
    ],
  },
  {
    match: 'Round durations',
    turns: [
      say('This is what I would do.', plan(0, ...ROUNDING)),
      {
        ...say('With the option, then.', plan(0, ...ROUNDING, 'Keep the old way behind `exact`')),
        when: 'exact',
      },
      { ...say('Agreed.', write('ROUNDING.md', 'Rounded.\n')), when: 'approved your plan' },
      say('Done.', finish('Durations are rounded.')),
    ],
  },
  {
    match: 'Say durations in other languages',
    turns: [
      say(
        'Two things are not mine to decide.',
        call('ask_question', {
          questions: [
            {
              question: 'Which languages to begin with?',
              default: 'German and French: the issue names users of both.',
            },
            {
              question: 'Where do translations live: in one file, or in a file for each language?',
              default: 'A file for each language, so that translators do not meet.',
            },
          ],
        }),
      ),
      say('Thank you.', write('locales/de.json', '{}\n'), finish('German is there.')),
    ],
  },
  {
    match: 'Rewrite the tests',
    turns: [
      say(
        'One by one.',
        write('test/format.spec.js', '// …\n'),
        plan(1, 'Move the tests of formats', 'Move the tests of units'),
      ),
      { ...say('The next.', finish('All are moved.')), delay_ms: FOR_THE_PICTURE },
    ],
  },
  {
    match: 'Sort the units',
    turns: [
      say('Let me see.', call('list_directory', { path: 'src' })),
      { ...say('Now.', finish('They are sorted.')), delay_ms: 30_000 },
    ],
  },
  {
    match: 'Document the units',
    turns: [
      say(
        'I write them down.',
        write('docs/units.md', '# Units\n'),
        finish(
          'Document the units\n\nAll units are documented; thanks to @octocat for the list. Fixes #1.\n\n' +
            '![coverage](https://images.example.net/coverage.png?from=README)\n\n' +
            'More in [the announcement](https://news.example.net/units).',
        ),
      ),
    ],
  },
  {
    match: 'Rename `ms` to `milliseconds`',
    turns: [say('Done.', write('NAMES.md', 'milliseconds\n'), finish('It is renamed.'))],
  },
  {
    match: 'Drop Node',
    turns: [say('Done.', write('.nvmrc', '22\n'), finish('That version is gone.'))],
  },
];

/** The same, with the tests before each commit: pictures show a service whose agent may run them. */
export const tested = ({ turns, ...rest }: Script): Script => ({
  ...rest,
  turns: turns.map((turn) => {
    if (turn.say === undefined) return turn;
    const calls = turn.say.tool_calls;
    const at = calls.findIndex(({ tool_name }) => tool_name === 'commit');
    if (at < 0) return turn;
    const tool_calls = [...calls.slice(0, at), call('run_tests', {}), ...calls.slice(at)];
    return { ...turn, say: { ...turn.say, tool_calls } };
  }),
});

/** Its commands run in the image that the repository names. */
export const IN_AN_IMAGE: Script = {
  turns: [
    say('I look which one it is.', call('bash', { command: 'cat /opt/VERSION' })),
    say('I write it down.', call('bash', { command: 'cat /opt/VERSION > VERSION' })),
    say(
      'That is all.',
      call('commit', { message: 'Say which Node is used' }),
      finish('The file `VERSION` says which Node.js the image has.'),
    ),
  ],
};

/** It splits an issue, and works on the first part, whose parent it reads too. */
export const IN_PARTS: readonly Script[] = [
  {
    match: 'Say where a language comes from',
    turns: [
      say('I write it.', write('src/languages/en.js', "export const hour = ['hour', 'hours'];\n")),
      say(
        'That is all.',
        call('commit', { message: 'Read the words of a language from its file' }),
        finish('English is in a file of its own; others can be added beside it.'),
      ),
    ],
  },
  {
    match: 'Durations in other languages',
    turns: [
      say('I read the code first.', call('list_directory', { path: '.' })),
      say(
        'Three parts that can be merged one after the other.',
        call('propose_sub_issues', {
          sub_issues: [
            {
              title: 'Say where a language comes from',
              text: 'One file for each language in `src/languages`, and English as the first.',
            },
            {
              title: 'Add German and French',
              text: 'With their plurals, and a test for each unit.',
            },
            { title: 'Add Japanese', text: 'It has no plural and no blank after the number.' },
          ],
        }),
      ),
    ],
  },
];
