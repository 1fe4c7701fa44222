// The benches: `npm run bench` plays the story, `npm run bench -- NAME` runs another one. Each
// prints medians; figures for the record go to bench/RESULTS.md.
import { benchCrowd } from './crowd/index.ts';
import { benchGit } from './git/index.ts';
import { benchIdle } from './idle/index.ts';
import { benchIngest } from './ingest/index.ts';
import { benchLoop } from './loop/index.ts';
import { benchPages } from './pages/index.ts';
import { benchRestart } from './restart/index.ts';
import { benchSandbox } from './sandbox/index.ts';
import { benchScale } from './scale/index.ts';
import { benchSetup } from './setup/index.ts';
import { benchSolve } from './solve/index.ts';
import { benchStory } from './story.ts';
import { benchTools } from './tools/index.ts';
import { benchTurns } from './turns/index.ts';
import { benchWindows } from './windows/index.ts';
import { benchWrites } from './writes/index.ts';
import { TellPerson } from '../src/lib/errors.ts';

const BENCHES: ReadonlyMap<
  string,
  { readonly summary: string; readonly run: () => Promise<string> }
> = new Map([
  [
    'story',
    { summary: 'the whole story of the demo, from the label to the merge', run: benchStory },
  ],
  ['loop', { summary: 'the agent loop against its peers, and the first request', run: benchLoop }],
  ['crowd', { summary: "many issues labelled at once, within GitHub's limits", run: benchCrowd }],
  [
    'ingest',
    { summary: 'deliveries accepted a second, and how soon people see 👀', run: benchIngest },
  ],
  ['sandbox', { summary: 'what the sandbox adds to a command', run: benchSandbox }],
  ['scale', { summary: 'a hundred sessions at once in one process', run: benchScale }],
  ['idle', { summary: 'what a service does while 10,000 sessions wait', run: benchIdle }],
  ['turns', { summary: 'what a turn costs in short and long sessions', run: benchTurns }],
  ['writes', { summary: 'what a session writes to GitHub, by kind', run: benchWrites }],
  ['windows', { summary: 'one task in small context windows', run: benchWindows }],
  ['restart', { summary: 'what is read again of 500 open sessions', run: benchRestart }],
  ['pages', { summary: 'what pages of short and long sessions cost', run: benchPages }],
  ['git', { summary: 'workspaces against native git: any size, any repository', run: benchGit }],
  ['setup', { summary: 'dependencies from the cache, against an install', run: benchSetup }],
  [
    'solve',
    { summary: 'tasks with hidden tests: how many are solved, at what price', run: benchSolve },
  ],
  ['tools', { summary: 'the tools on 28,000 files, and what questions find', run: benchTools }],
]);

const name = process.argv[2] ?? 'story';
const bench = BENCHES.get(name);
if (bench === undefined) {
  const lines = [...BENCHES].map(([one, { summary }]) => `  ${one.padEnd(8)} ${summary}`);
  process.stderr.write(`There is no bench "${name}". The benches:\n${lines.join('\n')}\n`);
  process.exitCode = 1;
} else {
  try {
    process.stdout.write(`${await bench.run()}\n`);
  } catch (error) {
    if (!(error instanceof TellPerson)) throw error;
    process.stderr.write(`bench ${name}: ${error.message}\n`);
    process.exitCode = 1;
  }
}
