// Makes tasks for reviewers from faults of real histories: a commit whose lines a later commit had to fix.
//   node bench/reviews/faults.ts --count 20 --tasks DIR --answers FILE REPOSITORY.git …
//   node bench/reviews/faults.ts --from bench/reviews/answers.json --tasks DIR REPOSITORY.git …
// A repository is a bare clone below a directory such as `psf+requests`. With `--from`, the tasks are made again that the file lists.
// The tasks show the commit and nothing of what came later. A reviewer reads DIR/NN/prompt.md and DIR/NN/tree, and writes the arguments of
// submit_review to DIR/NN/review.json. The answers are for `score.ts` alone: keep them where no reviewer looks.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { reviewContents } from '../../src/agent/prompts/notices.ts';
import { REVIEWER_ROLE } from '../../src/agent/prompts/system.ts';
import type { FileDiff } from '../../src/contracts/git.ts';
import { diffText } from '../../src/tools/git/diffs.ts';
import { hunksIn } from '../../src/lib/text/unified-diff.ts';

/** Where a fault is, in the commit that made it. */
export interface Fault {
  readonly task: string;
  readonly repository: string;
  /** What made it, and what mended it. */
  readonly culprit: string;
  readonly fix: string;
  readonly fixedAs: string;
  readonly lines: readonly { readonly path: string; readonly line: number }[];
}

const CODE = /\.(?:c|cc|cpp|go|h|java|js|jsx|mjs|php|pl|pm|py|rb|rs|sh|ts|tsx|vue)$/;
const TEST =
  /(?:^|\/)(?:__tests__|spec|test|tests|vendor|dist|docs?)\/|[._-](?:spec|test)\.|\.min\./;
const MOST_MENDED = 12;
const CHANGE = { fewest: 6, most: 250, files: 8 };

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    count: { type: 'string', default: '20' },
    tasks: { type: 'string' },
    answers: { type: 'string' },
    from: { type: 'string' },
  },
});

const git = (directory: string, ...args: readonly string[]): string =>
  execFileSync('git', ['--git-dir', directory, ...args], {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    stdio: ['ignore', 'pipe', 'ignore'],
  });

const isCode = (name: string): boolean => CODE.test(name) && !TEST.test(name);

/** Commits that say that they fix something, newest first. */
const fixesIn = (directory: string): string[] =>
  git(
    directory,
    'log',
    '--no-merges',
    '-n',
    '3000',
    '-i',
    '--extended-regexp',
    '--grep=^(fix|revert|correct)',
    '--format=%H',
  )
    .split('\n')
    .filter((sha) => sha !== '');

/** The lines that a commit replaced or removed, by file. */
function mendedLines(directory: string, fix: string): { file: string; line: number }[] {
  const lines: { file: string; line: number }[] = [];
  for (const part of git(directory, 'diff', '-U0', '-M', `${fix}^`, fix).split(/^diff --git /m)) {
    const file = /^--- a\/(.*)$/m.exec(part)?.[1];
    if (file === undefined || !isCode(file)) continue;
    for (const { oldStart, lines: all } of hunksIn(part.slice(Math.max(0, part.indexOf('@@')))))
      all
        .filter((line) => line.startsWith('-'))
        .forEach((line, at) => {
          if (/\w/.test(line)) lines.push({ file, line: oldStart + at });
        });
  }
  return lines;
}

/** Who wrote a line, and where it was then. */
function origin(directory: string, fix: string, { file, line }: { file: string; line: number }) {
  const told = git(
    directory,
    'blame',
    '--porcelain',
    '-w',
    '-M',
    '-L',
    `${line},${line}`,
    `${fix}^`,
    '--',
    file,
  );
  const [, culprit = '', at = '0'] = /^([0-9a-f]{40}) (\d+)/.exec(told) ?? [];
  return { culprit, path: /^filename (.*)$/m.exec(told)?.[1] ?? file, line: Number(at) };
}

function faultBehind(
  directory: string,
  fix: string,
): Omit<Fault, 'task' | 'repository'> | undefined {
  const mended = mendedLines(directory, fix);
  if (mended.length === 0 || mended.length > MOST_MENDED) return undefined;
  const origins = mended.map((one) => origin(directory, fix, one));
  const [culprit = ''] = origins.map((one) => one.culprit);
  if (culprit === '' || origins.some((one) => one.culprit !== culprit)) return undefined;
  if (git(directory, 'rev-list', '--parents', '-n', '1', culprit).trim().split(' ').length !== 2)
    return undefined;
  const sizes = git(directory, 'show', '--numstat', '--format=', culprit).trim().split('\n');
  const changed = sizes.reduce(
    (sum, row) => sum + (Number(row.split('\t')[0]) || 0) + (Number(row.split('\t')[1]) || 0),
    0,
  );
  if (sizes.length > CHANGE.files || changed < CHANGE.fewest || changed > CHANGE.most)
    return undefined;
  const fixedAs = git(directory, 'log', '-1', '--format=%s', fix).trim();
  return {
    culprit,
    fix,
    fixedAs,
    lines: origins.map(({ path: name, line }) => ({ path: name, line })),
  };
}

/** The change of a commit, as the service reads it from GitHub. */
const changeOf = (directory: string, commit: string): FileDiff[] =>
  git(directory, 'show', '-M', '--format=', commit)
    .split(/^diff --git /m)
    .flatMap((part): FileDiff[] => {
      const [, name] = /^a\/.* b\/(.*)$/m.exec(part) ?? [];
      if (name === undefined) return [];
      const hunks = part.includes('\n@@') ? part.slice(part.indexOf('\n@@') + 1) : '';
      const status = part.includes('\nnew file')
        ? 'added'
        : part.includes('\ndeleted file')
          ? 'deleted'
          : 'modified';
      return [{ path: name, status, hunks }];
    });

/** Whether the repository has all that the task needs: a snapshot may lack its largest files. */
function writeTree(directory: string, { culprit }: Fault, into: string): boolean {
  try {
    const archive = execFileSync('git', ['--git-dir', directory, 'archive', culprit], {
      maxBuffer: 1 << 30,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    mkdirSync(into, { recursive: true });
    execFileSync('tar', ['-x', '-C', into], { input: archive });
    return true;
  } catch {
    return false;
  }
}

function writeTask(directory: string, fault: Fault, into: string): boolean {
  const folder = path.join(into, fault.task);
  if (!writeTree(directory, fault, path.join(folder, 'tree'))) return false;
  const [author = '', title = '', ...body] = git(
    directory,
    'log',
    '-1',
    '--format=%an%n%s%n%b',
    fault.culprit,
  ).split('\n');
  const contents = reviewContents(
    { number: 1, author: 'author', branch: 'change', baseBranch: 'main' },
    {
      commits: [{ sha: fault.culprit, author, message: title }],
      diff: diffText(changeOf(directory, fault.culprit), 60_000),
      looksAgain: false,
      threads: [],
      leftOut: [],
    },
  );
  const role = REVIEWER_ROLE.replace('{repository}', fault.repository).replace(
    '{language}\n{trust}',
    '',
  );
  writeFileSync(
    path.join(folder, 'prompt.md'),
    [role, `# ${title}`, body.join('\n').trim(), contents].join('\n\n'),
  );
  return true;
}

/** `owner/name` */
const nameOf = (directory: string): string =>
  path.basename(path.dirname(directory)).replace('+', '/');

/** Those of the newest fixes, as many of each repository, whose tasks can be written. */
function findFaults(directories: readonly string[], count: number, tasks: string): Fault[] {
  const each = Math.ceil(count / directories.length);
  const faults: Fault[] = [];
  for (const directory of directories) {
    const repository = nameOf(directory);
    const known = new Set<string>();
    const most = Math.min(faults.length + each, count);
    for (const fix of fixesIn(directory)) {
      if (faults.length === most) break;
      const found = faultBehind(directory, fix);
      if (found === undefined || known.has(found.culprit)) continue;
      known.add(found.culprit);
      const fault = { task: String(faults.length + 1).padStart(2, '0'), repository, ...found };
      if (writeTask(directory, fault, tasks)) faults.push(fault);
    }
  }
  return faults;
}

/** Those of a list of faults, which it answers. */
function writeTasksOf(
  faults: readonly Fault[],
  directories: readonly string[],
  tasks: string,
): readonly Fault[] {
  for (const fault of faults) {
    const directory = directories.find((one) => nameOf(one) === fault.repository);
    if (directory === undefined || !writeTask(directory, fault, tasks))
      throw new Error(`${fault.repository} is missing, or lacks ${fault.culprit}`);
  }
  return faults;
}

function main(): void {
  const { tasks, answers, count, from } = values;
  if (tasks === undefined || (answers ?? from) === undefined || positionals.length === 0)
    throw new Error(
      'usage: faults.ts (--count N --answers FILE | --from FILE) --tasks DIR REPOSITORY.git …',
    );
  const faults =
    from === undefined
      ? findFaults(positionals, Number(count), tasks)
      : writeTasksOf(JSON.parse(readFileSync(from, 'utf8')) as Fault[], positionals, tasks);
  if (answers !== undefined) writeFileSync(answers, `${JSON.stringify(faults, undefined, 2)}\n`);
  process.stdout.write(`${faults.length} tasks in ${tasks}\n`);
}

main();
