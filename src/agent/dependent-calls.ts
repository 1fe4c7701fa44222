// Which calls of a reply depend on the ones before them.
import type { Effect } from '../contracts/effect.ts';
import { prepare, type PreparedCall, type Toolbox } from './dispatch.ts';
import type { FinishedCall } from './history.ts';

/** Whether an edit that a call depends on did not apply: one of the same file, or any before publishing. */
export function waitsForEdit(
  tools: Toolbox,
  finished: readonly FinishedCall[],
  { edits = [], waitsFor }: PreparedCall,
): boolean {
  const failed = finished.flatMap((call) => failedEdit(tools, call) ?? []);
  const files = new Set(failed.flatMap((edit) => edit.files));
  return (
    (waitsFor !== undefined && failed.length > 0) || edits.some((path) => files.has(sameFile(path)))
  );
}

/** The edit that did not apply. What no tool could take may have been meant as one. */
function failedEdit(
  tools: Toolbox,
  { call, result }: FinishedCall,
): { readonly files: readonly string[] } | undefined {
  if (result.ok) return undefined;
  const tool = tools.named.get(call.tool);
  if (tool !== undefined && tool.edits === undefined) return undefined;
  const prepared = prepare(tools, call);
  const files = 'fault' in prepared ? [] : (prepared.edits ?? []);
  return { files: files.map(sameFile) };
}

/** `./a//b.ts` is `a/b.ts`. */
const sameFile = (path: string): string =>
  path
    .split('/')
    .filter((part) => part !== '' && part !== '.')
    .join('/');

/** Whether words for someone did not get through. */
export const lostReply = ({ named }: Toolbox, finished: readonly FinishedCall[]): boolean =>
  finished.some(({ call, result }) => !result.ok && named.get(call.tool)?.isForPeople === true);

/** Whether the last tests failed or could not run, by a tool for them or by any command. */
export const testsFailed = (finished: readonly FinishedCall[]): boolean =>
  finished
    .flatMap(({ result }) => result.effects)
    .map(areRed)
    .findLast((isRed) => isRed !== undefined) ?? false;

/**
 * The one rule of what makes tests red: a failure that they report, or a test run that did not end well, whatever the
 * reason: who finishes in the same reply has not read it. `undefined`: no tests were to run.
 */
function areRed(effect: Effect): boolean | undefined {
  if (effect.type !== 'tests' && effect.type !== 'command') return undefined;
  const { failed, exitCode, ended } = effect;
  if (typeof failed === 'number' && failed > 0) return true;
  if (effect.type === 'command') return failed === undefined ? undefined : failed !== 0;
  return ended !== 'exited' || exitCode !== 0;
}
