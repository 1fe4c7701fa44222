import { readFiles } from '../walk.ts';
import { MAX_FILE_BYTES, type TaskParts, type UsesTask, type Use } from '../lines/tasks.ts';

const MAX_SILENCE_MS = 100;
const IMPORT = /^\s*(?:import|from|use|using|#include|require|export \{|const .*require\()/;

/** Finds names in files: of each name in each file the first line, an import only if there is no other. */
export function* findUses(task: UsesTask): Generator<TaskParts['uses']> {
  const names = task.names.map((name) => name.replaceAll(/[^\p{L}\p{N}]/gu, String.raw`\$&`));
  const pattern = new RegExp(`(?<![\\w$])(?:${names.join('|')})(?![\\w$])`, 'g');
  let told = performance.now();
  let uses: Use[] = [];
  for (const { path, content } of readFiles(task.root, task.files, MAX_FILE_BYTES)) {
    if (content !== 'too large' && !content.includes(0))
      uses.push(...usesIn(path, content.toString(), pattern));
    if (performance.now() - told < MAX_SILENCE_MS) continue;
    yield uses;
    [uses, told] = [[], performance.now()];
  }
  yield uses;
}

function usesIn(path: string, text: string, pattern: RegExp): Use[] {
  const first = new Map<string, number>();
  const imports = new Map<string, number>();
  for (const { 0: name, index } of text.matchAll(pattern)) {
    if (first.has(name)) continue;
    const start = text.lastIndexOf('\n', index) + 1;
    const isImport = IMPORT.test(text.slice(start, index + 1));
    if (!isImport) first.set(name, index);
    else if (!imports.has(name)) imports.set(name, index);
  }
  return [...new Map([...imports, ...first])].map(([name, at]) => ({
    name,
    path,
    line: lineAt(text, at),
  }));
}

function lineAt(text: string, position: number): number {
  let line = 1;
  for (let end = text.indexOf('\n'); end >= 0 && end < position; end = text.indexOf('\n', end + 1))
    line += 1;
  return line;
}
