import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { makePlace } from '../../src/workspace/search/place.ts';
import { WorkspaceSearch } from '../../src/workspace/search/search.ts';
import { findPeer } from './peer.ts';
import { goals, scoreTable, table } from './report.ts';
import type { Row } from './report.ts';
import { FILE_COUNT, sourceFiles, writeRepository } from './repository.ts';
import { measureFiles } from './file-access.ts';
import { clonedSets, installedSets, scoreSet, type Score } from './questions.ts';
import { benchServerCalls } from './server-calls.ts';
import { measureIndexedQuestions } from './indexed-questions.ts';
import { measureSearches } from './searches.ts';

/**
 * The tools on a repository of 28,000 files: reading and writing, and the searches against ripgrep in
 * the same run. Then how often a question finds its file, and what a call
 * of an MCP server costs.
 */
export async function benchTools(): Promise<string> {
  const root = await mkdtemp(path.join(tmpdir(), 'issuewright-bench-'));
  try {
    const bytes = writeRepository(root);
    const files = [...sourceFiles(FILE_COUNT)].map((file) => file.path);
    const peer = findPeer();
    const search = new WorkspaceSearch(makePlace(root));
    const indexed = await measureIndexedQuestions(root, files, `${root}-cache`);
    const rows: Row[] = [
      ...(await measureFiles(root)),
      ...(await measureSearches(root, search, peer)),
      ...indexed.rows,
    ];
    const scores: Score[] = [];
    for (const set of [...installedSets(), ...clonedSets()])
      if (set.root !== undefined) scores.push(await scoreSet(set));
    const size = `${FILE_COUNT} files, ${Math.round(bytes / 1e6)} MB; peer: ${peer.name}`;
    const calls = await benchServerCalls();
    return [size, indexed.cost, table(rows), scoreTable(scores), goals(rows, scores), calls].join(
      '\n\n',
    );
  } finally {
    for (const each of [root, `${root}-cache`]) await rm(each, { recursive: true, force: true });
  }
}
