// A local GitHub with one repository, a model that follows a script, and people who run `issuewright run` by hand.
import { spawn, type ChildProcess } from 'node:child_process';
import path from 'node:path';
import {
  startLocalGitHub,
  type LocalGitHub,
} from '../../packages/local-github/src/github/local-github.ts';
import {
  isPull,
  type Issue,
  type PullRequest,
  type Repository,
} from '../../packages/local-github/src/github/state.ts';
import type { Script } from '../../packages/local-github/src/model/script.ts';
import {
  startModelServer,
  type ModelServer,
} from '../../packages/local-github/src/model/server.ts';
import { PRIVATE_KEY } from '../support/private-key.ts';
import { runProgram, type Ended } from '../support/run-program.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

export const call = (name: string, given: Record<string, unknown>) => ({
  tool_name: name,
  arguments: given,
});
export const say = (...calls: ReturnType<typeof call>[]) => ({
  say: { plan: 'On.', tool_calls: calls },
});
export const write = (file: string, content: string) => call('write_file', { path: file, content });
export const finish = call('finish', { summary: 'Add a greeting\n\nAs asked.' });
export const ask = call('ask_question', { questions: [{ question: 'Which one?', default: 'hi' }] });
export const ADDS: Script['turns'] = [say(write('hi.txt', 'hi\n'), finish)];

const PROGRAM = path.resolve('bin/issuewright.js');

/** What the shipped program needs to ask a model that follows this script. */
export const asking = (model: ModelServer): Record<string, string> => ({
  PATH: process.env['PATH'] ?? '',
  MODEL: 'openai:scripted',
  OPENAI_API_KEY: 'none',
  OPENAI_BASE_URL: `${model.url}/v1`,
  SELF_REVIEW: 'false',
});

export interface Started {
  readonly program: ChildProcess;
  /** Resolves with what it has written to standard error once that matches. */
  readonly untilSaid: (words: RegExp) => Promise<string>;
  /** What it has written to standard output. */
  readonly printed: () => string;
  readonly ended: Promise<{ readonly code: number | null; readonly signal: string | null }>;
}

/** Starts `issuewright` without waiting for its end. */
export function startProgram(
  words: readonly string[],
  directory: string,
  environment: Record<string, string>,
): Started {
  const program = spawn(process.execPath, [PROGRAM, ...words], {
    cwd: directory,
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  let printed = '';
  program.stdout.on('data', (chunk: Buffer) => {
    printed += chunk.toString();
  });
  const heard = new Set<() => void>();
  program.stderr.on('data', (chunk: Buffer) => {
    said += chunk.toString();
    for (const hear of heard) hear();
  });
  const ended = new Promise<{ code: number | null; signal: string | null }>((resolve) => {
    program.once('close', (code, signal) => resolve({ code, signal }));
  });
  const untilSaid = (wanted: RegExp) =>
    new Promise<string>((resolve, reject) => {
      const hear = (): void => {
        if (wanted.test(said)) resolve(said);
      };
      heard.add(hear);
      hear();
      void ended.then(() => reject(new Error(`it ended, and said:\n${said}`)));
    });
  return { program, untilSaid, printed: () => printed, ended };
}

const OWNER = 'example';

export class ByHandScene {
  readonly github: LocalGitHub;
  readonly repository: Repository;
  readonly #directory = temporaryDirectory();
  #model: ModelServer | undefined;

  private constructor(github: LocalGitHub, repository: Repository) {
    this.github = github;
    this.repository = repository;
  }

  static async open(
    files: Record<string, string> = { 'readme.md': 'Hello\n' },
  ): Promise<ByHandScene> {
    const github = await startLocalGitHub({
      directory: path.join(temporaryDirectory(), 'repositories'),
      app: {
        id: 1,
        slug: 'workflows',
        name: 'Workflows',
        privateKeyPem: PRIVATE_KEY,
        webhookSecret: 'a secret that nobody uses here',
      },
      users: ['ada', 'bob', 'stranger'].map((login) => ({ login })),
    });
    const collaborators = { ada: 'write', bob: 'admin' } as const;
    const repository = await github.createRepository({
      owner: OWNER,
      name: 'greetings',
      files,
      collaborators,
    });
    return new ByHandScene(github, repository);
  }

  openIssue(title = 'Add a greeting', body = 'Write hi.txt.', labels: string[] = []): Issue {
    return this.github.as('ada').openIssue(this.repository, { title, body, labels });
  }

  urlOf({ number }: Issue): string {
    return `${this.github.url}/${this.repository.fullName}/issues/${number}`;
  }

  get pulls(): PullRequest[] {
    return this.repository.issues.filter(isPull);
  }

  get model(): ModelServer {
    if (this.#model === undefined) throw new Error('no model was started');
    return this.#model;
  }

  /** What the model reads, from the first request on. */
  get prompts(): string {
    return this.model.requests.map(({ body }) => body).join('\n');
  }

  /** What the shipped program needs to reach the local GitHub. */
  get access(): Record<string, string> {
    const { host: GHE_HOST } = new URL(this.github.url);
    return { GITHUB_TOKEN: 'user_ada', GHE_HOST, GHE_PROTOCOL: 'http' };
  }

  /** Writes a file that is there already on the default branch. */
  async write(file: string, text: string): Promise<void> {
    const url = `${this.github.url}/api/v3/repos/${this.repository.fullName}/contents/${file}`;
    const headers = { authorization: 'Bearer user_bob', 'content-type': 'application/json' };
    const before = (await (await fetch(url, { headers })).json()) as { readonly sha: string };
    const content = Buffer.from(text).toString('base64');
    const body = JSON.stringify({ message: 'Change it', content, sha: before.sha });
    const answer = await fetch(url, { method: 'PUT', headers, body });
    if (!answer.ok) throw new Error(`${url}: ${answer.status}`);
  }

  async environment(
    scripts: readonly Script[],
    more: Record<string, string> = {},
  ): Promise<Record<string, string>> {
    await this.#model?.close();
    this.#model = await startModelServer({ scripts });
    return {
      ...asking(this.#model),
      ...this.access,
      ...more,
    };
  }

  async run(
    words: readonly string[],
    turns: Script['turns'],
    more: Record<string, string> = {},
  ): Promise<Ended> {
    return this.runWith(words, await this.environment([{ turns }], more));
  }

  runWith(words: readonly string[], environment: Record<string, string>): Promise<Ended> {
    return runProgram(['run', ...words], { directory: this.#directory, environment });
  }

  async start(words: readonly string[], turns: Script['turns']): Promise<Started> {
    return startProgram(['run', ...words], this.#directory, await this.environment([{ turns }]));
  }

  async close(): Promise<void> {
    await this.#model?.close();
    await this.github.close();
  }
}

/** Starts it in a terminal, answers once it shows the words before each answer, and passes on what the terminal shows. */
export const IN_TERMINAL = `
import json, os, pty, sys
answers = json.loads(sys.argv[1])
pid, fd = pty.fork()
if pid == 0:
    os.execvp(sys.argv[2], [*sys.argv[2:], 'run', 'Add a greeting'])
shown = b''
unread = b''
while True:
    try:
        part = os.read(fd, 4096)
    except OSError:
        break
    if not part:
        break
    shown += part
    unread += part
    if answers and answers[0][0].encode() in unread:
        unread = b''
        os.write(fd, answers.pop(0)[1].encode() + b'\\r')
sys.stdout.buffer.write(shown)
sys.stdout.flush()
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
`;
