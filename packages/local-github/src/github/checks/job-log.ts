// The steps of a scripted job, and its log in the form of GitHub's: each line has a time, each step a group.
import type { Annotation } from './annotation.ts';
import type { Condition, ScriptedStep } from './ci-script.ts';
import type { Step } from './state.ts';

const SECOND_MS = 1000;
/** GitHub's logs begin with it. */
const BYTE_ORDER_MARK = '\uFEFF';

interface Outcome {
  readonly hasFailed: boolean;
  readonly steps: readonly Step[];
  /** Of the steps with the same index. */
  readonly outputs: readonly string[];
  readonly annotations: readonly Annotation[];
}

const SET_UP = 'Set up job';
const COMPLETE = 'Complete job';

/** The steps of a job that has begun. */
export const waitingSteps = (steps: readonly ScriptedStep[]): Step[] =>
  [SET_UP, ...steps.map(({ name }) => name)].map((name, index) => ({
    name,
    number: index + 1,
    status: index === 0 ? 'in_progress' : 'queued',
    conclusion: null,
    started_at: null,
    completed_at: null,
  }));

/** Steps after one that failed are skipped. The job ends now, and each of its steps took a second. */
export async function outcomeOf(
  steps: readonly ScriptedStep[],
  holds: (condition: Condition) => Promise<boolean>,
): Promise<Outcome> {
  const failing = await firstFailing(steps, holds);
  const names = [SET_UP, ...steps.map(({ name }) => name), COMPLETE];
  const start = Math.floor(Date.now() / SECOND_MS) * SECOND_MS - names.length * SECOND_MS;
  const time = (index: number): string => new Date(start + index * SECOND_MS).toISOString();
  const conclusionOf = (index: number): Step['conclusion'] => {
    if (failing < 0 || index <= failing || index > steps.length) return 'success';
    return index === failing + 1 ? 'failure' : 'skipped';
  };
  const failed = steps[failing];
  return {
    hasFailed: failed !== undefined,
    steps: names.map((name, index) => ({
      name,
      number: index + 1,
      status: 'completed',
      conclusion: conclusionOf(index),
      started_at: time(index),
      completed_at: time(index + 1),
    })),
    outputs: ['', ...steps.map((step) => outputOf(step, step === failed)), ''],
    annotations: failed === undefined ? [] : [...failed.annotations, annotationOf(failed)],
  };
}

async function firstFailing(
  steps: readonly ScriptedStep[],
  holds: (condition: Condition) => Promise<boolean>,
): Promise<number> {
  for (const [index, { fails }] of steps.entries())
    if (typeof fails === 'boolean' ? fails : await holds(fails)) return index;
  return -1;
}

const outputOf = ({ log, error }: ScriptedStep, hasFailed: boolean): string =>
  [...(log === '' ? [] : [log]), ...(hasFailed ? [`##[error]${error}`] : [])].join('\n');

/** GitHub Actions makes an annotation of each error line. */
const annotationOf = ({ error }: ScriptedStep): Annotation => ({
  path: '.github',
  start_line: 1,
  end_line: 1,
  annotation_level: 'failure',
  message: error,
});

export function jobLog({ steps, outputs }: Outcome): string {
  const lines = steps.flatMap((step, index) => {
    if (step.conclusion === 'skipped') return [];
    const output = outputs[index] ?? '';
    const text = [
      `##[group]${step.name}`,
      '##[endgroup]',
      ...(output === '' ? [] : output.split('\n')),
    ];
    const second = (step.started_at ?? '').slice(0, -'.000Z'.length);
    return text.map((line, at) => `${second}.${String(at).padStart(7, '0')}Z ${line}`);
  });
  return `${BYTE_ORDER_MARK}${lines.join('\n')}\n`;
}
