// Runs the steps of a composite action as GitHub's runner does: expressions become variables, each script gets a shell.
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { temporaryDirectory } from './temporary-directory.ts';

const Input = z.strictObject({
  description: z.string(),
  required: z.boolean().optional(),
  default: z.string().optional(),
});
const Step = z.strictObject({
  name: z.string(),
  id: z.string().optional(),
  shell: z.literal('bash'),
  env: z.record(z.string(), z.string()).optional(),
  run: z.string(),
});
/** The parts of GitHub's metadata syntax for composite actions that are in use here. */
const Action = z.strictObject({
  name: z.string(),
  description: z.string().max(125),
  branding: z.strictObject({ icon: z.string(), color: z.string() }),
  inputs: z.record(z.string().regex(/^[a-z][a-z-]*$/), Input),
  outputs: z.record(z.string(), z.strictObject({ description: z.string(), value: z.string() })),
  runs: z.strictObject({ using: z.literal('composite'), steps: z.array(Step) }),
});
export type Action = z.infer<typeof Action>;

export const readAction = (): Action => Action.parse(parse(readFileSync('action.yml', 'utf8')));

/** What expressions can name, such as `github.event`. */
export type Contexts = Readonly<Record<string, unknown>>;

function lookUp(name: string, contexts: Contexts): unknown {
  let value: unknown = contexts;
  for (const part of name.split('.'))
    value = Object(value) === value ? Reflect.get(Object(value), part) : undefined;
  return value;
}

/** Names and `||` between them. Another expression is an error, and a name of nothing is empty. */
export const evaluate = (text: string, contexts: Contexts): string =>
  text.replaceAll(/\$\{\{(.*?)\}\}/g, (_, expression: string) => {
    const names = expression.split('||').map((name) => name.trim());
    const odd = names.find((name) => !/^[a-z]\w*(?:\.[\w-]+)+$/.test(name));
    if (odd !== undefined) throw new Error(`an expression that is not known here: ${odd}`);
    const values = names.map((name) => z.coerce.string().parse(lookUp(name, contexts) ?? ''));
    return values.find((value) => value !== '') ?? '';
  });

export interface Ran {
  /** That of the step that failed, or 0. */
  readonly code: number | null;
  readonly outputs: Readonly<Record<string, string>>;
  /** Both streams. */
  readonly log: string;
}

export interface HowToRun {
  readonly with: Readonly<Record<string, string>>;
  readonly github: Readonly<Record<string, unknown>>;
  /** Where the action was downloaded to. */
  readonly checkout: string;
  readonly environment: Readonly<Record<string, string>>;
  /** The steps that run; all unless given. */
  readonly only?: readonly string[];
  /** Told of the log as it grows, and how to cancel the step as the runner does. */
  readonly watch?: (log: string, cancel: () => void) => void;
}

export async function runAction(action: Action, how: HowToRun): Promise<Ran> {
  const { github } = how;
  const defaults = Object.entries(action.inputs).map(([name, input]) => [
    name,
    evaluate(input.default ?? '', { github }),
  ]);
  const inputs = { ...Object.fromEntries(defaults), ...how.with };
  const steps: Record<string, unknown> = {};
  const contexts = { github, inputs, steps };
  let log = '';
  let code: number | null = 0;
  for (const step of action.runs.steps) {
    if (how.only?.includes(step.name) === false) continue;
    const own = Object.entries(step.env ?? {}).map(([name, value]) => [
      name,
      evaluate(value, contexts),
    ]);
    const event = path.join(temporaryDirectory(), 'event.json');
    writeFileSync(event, JSON.stringify(github['event'] ?? {}));
    const variables = { ...Object.fromEntries(own), GITHUB_EVENT_PATH: event };
    const ran = await runScript(step.run, variables, how);
    log += ran.log;
    code = ran.code;
    if (step.id !== undefined) steps[step.id] = { outputs: ran.outputs };
    if (code !== 0) break;
  }
  const outputs = Object.entries(action.outputs).map(([name, { value }]) => [
    name,
    evaluate(value, contexts),
  ]);
  return { code, outputs: Object.fromEntries(outputs), log };
}

async function runScript(
  script: string,
  own: Readonly<Record<string, string>>,
  { environment, checkout, watch }: HowToRun,
): Promise<Ran> {
  const directory = temporaryDirectory();
  const file = path.join(directory, `${randomUUID()}.sh`);
  const output = path.join(directory, 'output');
  writeFileSync(file, script);
  writeFileSync(output, '');
  const shell = spawn('bash', ['--noprofile', '--norc', '-eo', 'pipefail', file], {
    cwd: directory,
    env: { ...environment, ...own, GITHUB_OUTPUT: output, GITHUB_ACTION_PATH: checkout },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let log = '';
  for (const stream of [shell.stdout, shell.stderr])
    stream.setEncoding('utf8').on('data', (part: string) => {
      log += part;
      watch?.(log, () => shell.kill('SIGINT'));
    });
  const code = await new Promise<number | null>((resolve) => shell.once('close', resolve));
  return { code, log, outputs: outputsOf(readFileSync(output, 'utf8')) };
}

const OUTPUT = /^(?<name>[\w-]+)<<(?<end>.+)\n(?<value>[^]*?)\n?^\k<end>$\n?/gm;

const outputsOf = (text: string): Record<string, string> =>
  Object.fromEntries(
    [...text.matchAll(OUTPUT)].map(({ groups }) => [groups?.['name'], groups?.['value']]),
  );
