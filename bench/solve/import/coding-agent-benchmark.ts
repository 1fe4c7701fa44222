// node bench/solve/import/coding-agent-benchmark.ts DIR: its eleven tasks, from github.com/usamadar/coding-agent-benchmark (MIT).
import path from 'node:path';
import { z } from 'zod';
import { ForeignTasks, writeTask } from './write-task.ts';

const URL = 'https://github.com/usamadar/coding-agent-benchmark';

const Metadata = z.object({
  language: z.string(),
  test_languages: z.array(z.string()).optional(),
});

/** As its `harness/config.yaml` has them: dependencies are installed by the judge, and not before the agent starts. */
const TESTS = new Map([
  ['python', 'python3 -m pytest tests -v --tb=short -p no:cacheprovider'],
  ['typescript', 'npx jest tests --verbose'],
  ['c', 'make test'],
  ['cpp', 'make test'],
]);

const [directory] = process.argv.slice(2);
if (directory === undefined) throw new Error('Name the directory for the tasks.');
const foreign = new ForeignTasks(URL, path.join(directory, '.coding-agent-benchmark.git'));
const names = [...new Set(foreign.files('tasks').map((file) => file.split('/')[1] ?? ''))];
for (const name of names) {
  const folder = `tasks/${name}`;
  const { language, test_languages: languages = [language] } = Metadata.parse(
    JSON.parse(foreign.read(`${folder}/metadata.json`)),
  );
  const inTask = (file: string): string => file.slice(folder.length + 1);
  const files = foreign
    .files(folder)
    .filter((file) => /^(?:repo|tests)\//.test(inTask(file)))
    .map((file) => [inTask(file).replace(/^tests\//, 'hidden/tests/'), foreign.read(file)]);
  const hasPackage = files.some(([file]) => file === 'repo/package.json');
  const jest = hasPackage
    ? 'npm install --no-audit --no-fund'
    : 'npm install --no-audit --no-fund jest@29';
  writeTask(
    path.join(directory, name),
    {
      language,
      licence: 'MIT',
      source: { folder: 'repo' },
      issue: foreign.read(`${folder}/prompt.md`),
      ...(languages.includes('typescript') ? { prepareJudge: jest } : {}),
      test: languages.map((one) => TESTS.get(one) ?? '').join(' && '),
    },
    Object.fromEntries(files) as Record<string, string>,
  );
}
process.stdout.write(`${names.length} tasks of commit ${foreign.commit} are in ${directory}.\n`);
