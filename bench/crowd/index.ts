import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import path from 'node:path';
import { openStage } from '../../packages/local-github/src/stage.ts';
import { measure, type Crowd, type Figures } from './figures.ts';
import { scriptOf } from './script.ts';

const CROWDS = [40, 100];
/** Minutes and hours of the limits are shorter by this factor, for GitHub and for the service. */
const TIMES_FASTER = 2;
/** Milliseconds that a crowd may take. */
const PATIENCE_MS = 10 * 60_000;
const CONCURRENCY = 8;
const TURN_MS = 500;
const PERSON = 'octo-maintainer';
const FILES = { 'README.md': '# Words\n', 'words.txt': 'one\n' };

/**
 * Issues that are labelled at once, on a local GitHub that enforces GitHub's limits. The arguments of the command say how
 * many times faster the limits are, and how many issues there are.
 */
export async function benchCrowd(): Promise<string> {
  const timesFaster = Number(process.argv[3] ?? TIMES_FASTER);
  const crowds = process.argv[4] === undefined ? CROWDS : [Number(process.argv[4])];
  const load = loadavg()[0] ?? Number.NaN;
  const all: Figures[] = [];
  for (const issues of crowds) all.push(await measured({ issues, timesFaster }));
  return [
    `Minutes and hours of the limits are ${timesFaster} times shorter, on both sides; times below are of the clock. ` +
      `${CONCURRENCY} sessions at once, a model that takes 0.5 s a turn. Load of the machine before: ${load.toFixed(1)}.`,
    '',
    ...table(all),
  ].join('\n');
}

async function measured(crowd: Crowd): Promise<Figures> {
  const directory = await mkdtemp(path.join(tmpdir(), 'issuewright-bench-'));
  const stage = await openStage({
    directory,
    owner: 'example',
    people: [PERSON],
    scripts: [scriptOf(TURN_MS)],
    limits: { timesFaster: crowd.timesFaster },
    environment: {
      PATH: process.env['PATH'] ?? '',
      CONTENT_LIMITS: limitsFor(crowd),
      CONCURRENCY: String(CONCURRENCY),
    },
  });
  try {
    const repository = await stage.github.createRepository({
      owner: 'example',
      name: 'words',
      files: FILES,
      collaborators: { [PERSON]: 'admin' },
    });
    await stage.startService();
    const label = (number: number): void => {
      const title = `Add the word ${number}`;
      stage.github.as(PERSON).openIssue(repository, { title, body: '', labels: ['issuewright'] });
    };
    return await measure(crowd, { stage, repository, label, patienceMs: PATIENCE_MS });
  } finally {
    await stage.close();
    await rm(directory, { recursive: true, force: true });
  }
}

const limitsFor = ({ timesFaster }: Crowd): string =>
  timesFaster === 1 ? 'github' : `80/${60 / timesFaster},500/${3600 / timesFaster}`;

const seconds = (ms: number): string => (Number.isFinite(ms) ? `${(ms / 1000).toFixed(1)} s` : '–');

function* table(all: readonly Figures[]): Generator<string> {
  const row = (name: string, value: (figures: Figures) => string | number): string =>
    `| ${[name, ...all.map(value)].join(' | ')} |`;
  yield row('', ({ issues }) => `${issues} issues`);
  yield row('---', () => '---');
  yield row('refused by GitHub', ({ refused }) => refused);
  yield row('ready', ({ ready, issues }) => `${ready} of ${issues}`);
  yield row('ready, the median', ({ medianMs }) => seconds(medianMs));
  yield row('ready, the last', ({ lastMs }) => seconds(lastMs));
  yield row('what the writes until then need at least', ({ leastMs }) => seconds(leastMs));
  yield row('of that', ({ lastMs, leastMs }) => (lastMs / leastMs).toFixed(2));
  yield row('the last status says so after', ({ toldMs }) => seconds(toldMs));
  yield row('requests in all', ({ requests }) => requests);
  yield row(
    'runs deferred, and one of them at most',
    ({ deferred, mostDeferred }) => `${deferred}, ${mostDeferred}`,
  );
  yield row('fetches of git', ({ fetches }) => fetches);
  yield row('requests a session', ({ requests, issues }) => (requests / issues).toFixed(1));
  yield row('points in a minute at most, of 900', ({ points }) => points);
  yield row('writes a session', ({ writes, issues }) => (writes / issues).toFixed(1));
}
