import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { makePlace } from '../../src/workspace/search/walk.ts';
import { WorkspaceSearch } from '../../src/workspace/search/search.ts';
import { findPeer } from './peer.ts';
import { goals, scoreTable, table } from './report.ts';
import type { Row } from './report.ts';
import { FILE_COUNT, writeRepository } from './repository.ts';
import { measureFiles } from './file-access.ts';
import { clonedSets, installedSets, scoreSet, type Score } from './questions.ts';
import { benchServerCalls } from './server-calls.ts';
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
    const peer = findPeer();
    const search = new WorkspaceSearch(makePlace(root));
    const rows: Row[] = [
      ...(await measureFiles(root)),
      ...(await measureSearches(root, search, peer)),
    ];
    const scores: Score[] = [];
    for (const set of [...installedSets(), ...clonedSets()])
      if (set.root !== undefined) scores.push(await scoreSet(set));
    const size = `${FILE_COUNT} files, ${Math.round(bytes / 1e6)} MB; peer: ${peer.name}`;
    const calls = await benchServerCalls();
    return [size, table(rows), scoreTable(scores), goals(rows, scores), calls].join('\n\n');
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}
