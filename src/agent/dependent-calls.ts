// Which calls of a reply depend on the ones before them.
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

/** Whether the last test run failed. */
export function testsFailed(finished: readonly FinishedCall[]): boolean {
  const last = finished.findLast(({ result }) =>
    result.effects.some(({ type }) => type === 'tests'),
  );
  return last?.result.ok === false;
}
