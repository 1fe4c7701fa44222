// The repositories of the bench: written by `git fast-import`, or a copy of one that there is.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { git, gitEnvironment } from '../../packages/local-github/src/github/git/git.ts';
import { sourceFiles } from '../tools/repository.ts';

export const WHO = { name: 'bench', email: 'bench@example.test' };
const WHEN = Date.parse('2026-01-02T03:04:05Z') / 1000;
const COMMITS = 20;
const FILES_A_COMMIT = 3;
/** What is larger is no source file. */
const MOST_BYTES = 64 * 1024;

/** Fills an empty bare repository with one commit of generated files on `main`. */
export async function generate(directory: string, count: number): Promise<void> {
  await fastImport(directory, function* () {
    yield commitLines('main', 'Generated files');
    for (const { path, text } of sourceFiles(count)) yield fileLines(path, Buffer.from(text));
  });
}

/** Makes an empty bare repository show the objects and the default branch of another, as `main`. Leaves that as it is. */
export async function showCopy(directory: string, of: string): Promise<void> {
  const head = (await git(of, ['rev-parse', 'HEAD'])).trim();
  await git(directory, ['fetch', '-q', '--update-shallow', of, `${head}:refs/heads/main`]);
}

/** Adds commits to `main` that each append a line to files that no such commit has changed. Answers the last one. */
export async function addCommits(directory: string, round: number): Promise<string> {
  const files = await textFiles(directory);
  const wanted = COMMITS * FILES_A_COMMIT;
  // Far from each other, and others in each round.
  const step = Math.max(1, Math.floor(files.length / wanted));
  const chosen = Array.from(
    { length: Math.min(wanted, files.length) },
    (_, at) => files[(at * step + round) % files.length] ?? '',
  );
  const contents = await Promise.all(chosen.map((path) => contentOf(directory, path)));
  await fastImport(directory, function* () {
    for (const [at, path] of chosen.entries()) {
      const isFirst = at % FILES_A_COMMIT === 0;
      if (isFirst) yield commitLines('main', `Change ${round}-${at}`, at === 0);
      const line = Buffer.from(`// Changed by commit ${at} of round ${round}.\n`);
      yield fileLines(path, Buffer.concat([contents[at] ?? Buffer.of(), line]));
    }
  });
  return headOf(directory);
}

export const headOf = async (directory: string): Promise<string> =>
  (await git(directory, ['rev-parse', 'refs/heads/main'])).trim();

/** Of names that need no quotes, and that an agent may change: nothing of `.github`, and no CODEOWNERS. */
const PLAIN_PATH = /^(?:\w[\w.@+-]*\/)*\w[\w@+-]*\.\w+$/;

/** Regular files of `main` that are no large ones. */
export async function textFiles(directory: string): Promise<string[]> {
  const listed = await git(directory, ['ls-tree', '-r', '-l', '-z', 'main']);
  return listed.split('\0').flatMap((line) => {
    const [, size, path = ''] = /^100644 blob \w+ +(\d+)\t(.*)$/s.exec(line) ?? [];
    const isSmall = Number(size) > 0 && Number(size) <= MOST_BYTES;
    return isSmall && PLAIN_PATH.test(path) ? [path] : [];
  });
}

/** How many files `main` has, and how many bytes they are. */
export async function sizeOf(directory: string): Promise<{ files: number; bytes: number }> {
  const lines = (await git(directory, ['ls-tree', '-r', '-l', '-z', 'main'])).split('\0');
  const sizes = lines.flatMap((line) => /^\d+ blob \w+ +(\d+)\t/.exec(line)?.[1] ?? []);
  return { files: sizes.length, bytes: sizes.reduce((sum, size) => sum + Number(size), 0) };
}

const contentOf = async (directory: string, path: string): Promise<Buffer> =>
  Buffer.from(await git(directory, ['cat-file', 'blob', `main:${path}`]));

function commitLines(branch: string, message: string, continues = false): Buffer {
  return Buffer.from(
    `commit refs/heads/${branch}\ncommitter ${WHO.name} <${WHO.email}> ${WHEN} +0000\n` +
      `data ${Buffer.byteLength(message)}\n${message}\n` +
      (continues ? `from refs/heads/${branch}^0\n` : ''),
  );
}

const fileLines = (path: string, content: Buffer): Buffer =>
  Buffer.concat([
    Buffer.from(`M 100644 inline ${path}\ndata ${content.byteLength}\n`),
    content,
    Buffer.from('\n'),
  ]);

async function fastImport(directory: string, lines: () => Generator<Buffer>): Promise<void> {
  const child = spawn('git', ['fast-import', '--quiet'], {
    cwd: directory,
    env: gitEnvironment(WHO),
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  const ended = once(child, 'close');
  for (const line of lines()) if (!child.stdin.write(line)) await once(child.stdin, 'drain');
  child.stdin.end();
  const [code] = (await ended) as [number | null];
  if (code !== 0) throw new Error(`git fast-import ended with ${String(code)}`);
}
