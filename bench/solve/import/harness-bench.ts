// node bench/solve/import/harness-bench.ts DIR [CASE …]: cases of github.com/nyosegawa/harness-bench (Apache-2.0), such as
// axios__axios/low. The others are not read, so that they can judge later.
import path from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { ForeignTasks, writeTask } from './write-task.ts';

const URL = 'https://github.com/nyosegawa/harness-bench';

const CASES = [
  ...['low', 'mid', 'high'].flatMap((level) => [
    `axios__axios/${level}`,
    `louislam__uptime-kuma/${level}`,
  ]),
  'vitejs__vite/low',
];

const Case = z.object({
  id: z.string(),
  repo_url: z.string(),
  license: z.string(),
  language_tags: z.array(z.string()),
  base_commit: z.string(),
  fixed_commit: z.string(),
  instruction: z.string(),
  setup: z.array(z.string()),
  test_strategy: z.object({
    core_tests: z.array(z.string()),
    regression_tests: z.array(z.string()),
  }),
});

/** Its runner removes them before an agent starts. */
const STEERING =
  'AGENTS.md agents.md CLAUDE.md claude.md GEMINI.md gemini.md .agents .gemini .antigravitycli .claude .codex'.split(
    ' ',
  );

const [directory, ...named] = process.argv.slice(2);
if (directory === undefined) throw new Error('Name the directory for the tasks.');
const foreign = new ForeignTasks(URL, path.join(directory, '.harness-bench.git'));
const cases = named.length > 0 ? named : CASES;
for (const name of cases) {
  const found = Case.parse(parse(foreign.read(`benchmark/cases/${name}.yaml`)));
  const { core_tests: core, regression_tests: regression } = found.test_strategy;
  const scripts = [...core, ...regression].map((file) => {
    const [kind = ''] = file.split('/').slice(-1);
    return { name: `.hidden/${kind}`, text: foreign.read(file) };
  });
  writeTask(
    path.join(directory, found.id),
    {
      language: found.language_tags[0] ?? '',
      licence: found.license,
      source: { git: found.repo_url, start: found.base_commit, fixed: found.fixed_commit },
      without: STEERING,
      issue: found.instruction,
      prepare: found.setup.join(' && '),
      test: scripts.map((script) => `bash ${script.name} "$PWD"`).join(' && '),
    },
    Object.fromEntries(scripts.map((script) => [`hidden/${script.name}`, script.text])),
  );
}
process.stdout.write(`${cases.length} tasks of commit ${foreign.commit} are in ${directory}.\n`);
