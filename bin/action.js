// The step of the GitHub Action (action.yml): `issuewright run` with the inputs of the step, its result as the outputs.
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const { env } = process;
const PROGRAM = fileURLToPath(new URL('issuewright.js', import.meta.url));
const OPTIONS = ['yes', 'allow-dangerous-tools', 'continuous'];
const VARIABLES = {
  MODEL: 'model',
  GITHUB_TOKEN: 'token',
  ANTHROPIC_API_KEY: 'anthropic-api-key',
  OPENAI_API_KEY: 'openai-api-key',
  GEMINI_API_KEY: 'gemini-api-key',
};

/** @param {string} name */
const input = (name) => (env[`INPUT_${name.toUpperCase().replaceAll('-', '_')}`] ?? '').trim();

/** @param {string} name */
function isOn(name) {
  const given = input(name);
  if (['true', 'false', ''].includes(given)) return given === 'true';
  process.stderr.write(`The input ${name} is neither true nor false.\n`);
  process.exit(2);
}

/** The address of the issue, or of the repository if it shall find one itself. */
function address() {
  const repository = `${env['GITHUB_SERVER_URL']}/${env['GITHUB_REPOSITORY']}`;
  const given = input('issue');
  if (/^#?\d+$/.test(given)) return `${repository}/issues/${given.replace('#', '')}`;
  if (/^https?:\/\//.test(given)) return given;
  if (given === '' && isOn('continuous')) return repository;
  process.stderr.write(
    given === ''
      ? 'The event of this workflow is about no issue. Set the input issue to its number.\n'
      : 'The input issue is neither a number nor an address.\n',
  );
  process.exit(2);
}

/** What the step has, the inputs in place of it, and the server that the workflow is on. */
function environment() {
  const given = Object.entries(VARIABLES).map(([variable, name]) => [variable, input(name)]);
  const { protocol, host } = new URL(env['GITHUB_SERVER_URL'] ?? 'https://github.com');
  const enterprise = { GHE_HOST: host, GHE_PROTOCOL: protocol.replace(':', '') };
  return {
    ...Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('INPUT_'))),
    ...Object.fromEntries(given.filter(([, value]) => value !== '')),
    ...(host === 'github.com' ? {} : enterprise),
  };
}

/**
 * The objects that `--json` prints, one for each issue.
 * @param {string} printed
 * @returns {{ outcome: string, pull_request: { url: string } | null }[]}
 */
const results = (printed) =>
  printed
    .split(/(?<=^\})\n/m)
    .filter((part) => part.trim() !== '')
    .map((part) => JSON.parse(part));

/** @param {string} printed */
function writeOutputs(printed) {
  const all = results(printed);
  const outputs = {
    outcome: all.at(-1)?.outcome ?? 'failed',
    'pull-request': all.flatMap(({ pull_request }) => pull_request?.url ?? []).join('\n'),
  };
  const end = randomUUID();
  const lines = Object.entries(outputs).map(([name, value]) => `${name}<<${end}\n${value}\n${end}`);
  appendFileSync(env['GITHUB_OUTPUT'] ?? '/dev/null', `${lines.join('\n')}\n`);
}

const words = ['run', '--json', ...OPTIONS.filter(isOn).map((name) => `--${name}`), address()];
// A runner obeys lines that begin with `::`, and the program prints what models and issues say. The runner reads the two
// streams each for itself, so what stops that has to be in the stream of the program.
const secret = randomUUID();
process.stderr.write(`::stop-commands::${secret}\n`);
const program = spawn(process.execPath, [PROGRAM, ...words], {
  env: environment(),
  stdio: ['ignore', 'pipe', 'inherit'],
});
let printed = '';
program.stdout.setEncoding('utf8').on('data', (/** @type {string} */ part) => (printed += part));
// When a workflow is cancelled, the runner tells this process alone, and ends it seconds later.
/** @type {const} */ (['SIGINT', 'SIGTERM']).forEach((signal) =>
  process.on(signal, () => program.kill(signal)),
);
program.once('close', (code) => {
  process.stderr.write(`::${secret}::\n`);
  writeOutputs(printed);
  process.exitCode = code ?? 1;
});
