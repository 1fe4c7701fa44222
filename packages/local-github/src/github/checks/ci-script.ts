// What the simulated Actions do: workflows with jobs, steps and logs, as data. No command is run.
import { z } from 'zod';
import { Annotation } from './annotation.ts';

/** A file of the commit, relative to the repository's root, and a text that it contains or lacks. */
const Condition = z.union([
  z.strictObject({ path: z.string(), contains: z.string() }),
  z.strictObject({ path: z.string(), lacks: z.string() }),
]);
export type Condition = z.infer<typeof Condition>;

const ScriptedStep = z.strictObject({
  name: z.string(),
  /** Its output, whether it fails or not. */
  log: z.string().default(''),
  /** A condition is tested on the commit of the run. */
  fails: z.union([z.boolean(), Condition]).default(false),
  /** The last line of its output if it fails. */
  error: z.string().default('Process completed with exit code 1.'),
  /** What it reports if it fails. */
  annotations: z.array(Annotation).default([]),
});
export type ScriptedStep = z.infer<typeof ScriptedStep>;

export const ScriptedSteps = z.array(ScriptedStep);
export type StepsInput = z.input<typeof ScriptedSteps>;

const ScriptedJob = z.strictObject({
  name: z.string(),
  steps: ScriptedSteps.default([]),
  /** Runs until a test finishes it. */
  waits: z.boolean().default(false),
});
export type ScriptedJob = z.infer<typeof ScriptedJob>;

const ScriptedWorkflow = z.strictObject({
  name: z.string(),
  jobs: z.array(ScriptedJob).min(1),
});
export type ScriptedWorkflow = z.infer<typeof ScriptedWorkflow>;

/** The workflows that run for a push. */
export const CiScript = z.array(ScriptedWorkflow);
export type CiScript = z.infer<typeof CiScript>;
/** The same with all that may be left out. */
export type CiScriptInput = z.input<typeof CiScript>;

/** Where a repository says what its CI does, as JSON. */
export const CI_FILE = '.github/local-ci.json';

/** Reads the file of a commit. If it is invalid, the script is a job that fails and says why. */
export function parseCiFile(text: string): CiScript {
  let problem: string;
  try {
    const result = CiScript.safeParse(JSON.parse(text));
    if (result.success) return result.data;
    problem = z.prettifyError(result.error);
  } catch (error) {
    problem = String(error);
  }
  const steps = [{ name: `Read ${CI_FILE}`, log: problem, fails: true }];
  return CiScript.parse([{ name: CI_FILE, jobs: [{ name: CI_FILE, steps }] }]);
}
