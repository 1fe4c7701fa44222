// Which programs commands find, for the model: it asks for them otherwise, one command for each.
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Shell } from '../../../src/contracts/shell.ts';
import { TEMPORARY_PREFIX } from '../../../src/lib/directories.ts';
import type { ShellWorkspace } from './shell.ts';

const TIME_MS = 20_000;

/** Asked for their versions, all at once. Each prints one word. */
const VERSIONS: Readonly<Record<string, string>> = {
  node: 'node --version',
  python3: "python3 -c 'import sys; print(sys.version.split()[0])'",
  git: "git --version | cut -d' ' -f3",
  go: "go version | cut -d' ' -f3",
  rustc: "rustc --version | cut -d' ' -f2",
  ruby: "ruby --version | cut -d' ' -f2",
  php: "php -r 'echo PHP_VERSION;'",
  java: `java -version 2>&1 | sed -n 's/.*version "\\(.*\\)".*/\\1/p'`,
  pytest: `python3 -c 'import importlib.util as u; print(u.find_spec("pytest") and "yes" or "no")'`,
};
const OTHERS =
  'npm pnpm yarn bun deno uv pip3 cargo bundle composer mvn gradle dotnet gcc g++ make valgrind rg';
/** What reads commands is said in other words. */
const SHELL = 'bash';
const KNOWN = new Set([...Object.keys(VERSIONS), ...OTHERS.split(' '), SHELL]);

const PROBE = `
cd /tmp
for name in ${OTHERS} ${SHELL}; do command -v $name > /dev/null && : > has-$name; done
${Object.entries(VERSIONS)
  .map(([name, ask]) => `{ ${ask}; } 2> /dev/null > is-${name} &`)
  .join('\n')}
wait
for name in ${Object.keys(VERSIONS).join(' ')}; do
  read -r version rest < is-$name; [ -z "$version" ] || echo "$name $version"
done
for name in ${OTHERS} ${SHELL}; do [ -e has-$name ] && echo $name; done
exit 0
`;

const LINE = /^(?<name>[\w+]{1,10})(?: (?<version>[\w.+-]{1,20}))?$/;

/** As a list in words, such as `node 20.20.2, python3 3.11.2 (no pytest), git 2.39.5, npm`; empty if it cannot be told. */
export const findPrograms = async (
  shellOf: (workspace: ShellWorkspace) => Shell,
): Promise<string> => (await askForPrograms(shellOf).catch(() => undefined))?.programs ?? '';

interface FoundPrograms {
  /** As a list in words. */
  readonly programs: string;
  /** The names that were asked for, and found. */
  readonly names: ReadonlySet<string>;
}

/** `undefined` if no command runs. */
export async function askForPrograms(
  shellOf: (workspace: ShellWorkspace) => Shell,
): Promise<FoundPrograms | undefined> {
  const around = await mkdtemp(join(tmpdir(), TEMPORARY_PREFIX));
  const directory = join(around, 'tree');
  try {
    await mkdir(directory);
    const { ended, exitCode, output } = await shellOf({ directory }).run({
      command: PROBE,
      directory: '',
      timeoutMs: TIME_MS,
      signal: AbortSignal.timeout(2 * TIME_MS),
    });
    return ended === 'exited' && exitCode === 0 ? programsIn(output.head) : undefined;
  } finally {
    await rm(around, { recursive: true, force: true });
  }
}

function programsIn(output: string): FoundPrograms {
  const found = new Map(
    output.split('\n').flatMap((line) => {
      const { name, version = '' } = LINE.exec(line)?.groups ?? {};
      return name === undefined || !KNOWN.has(name)
        ? []
        : [[name, version.replace(/^(?:v|go)(?=\d)/, '')] as const];
    }),
  );
  const lacksPytest = found.get('pytest') === 'no';
  found.delete('pytest');
  const names = new Set(found.keys());
  found.delete(SHELL);
  const programs = [...found]
    .map(([name, version]) =>
      [name, version, name === 'python3' && lacksPytest ? '(no pytest)' : '']
        .filter(Boolean)
        .join(' '),
    )
    .join(', ');
  return { programs, names };
}
