import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { KnownBlobs } from '../../src/workspace/search/indexed/known-blobs.ts';
import { SearchIndex } from '../../src/workspace/search/indexed/search-index.ts';
import { makePlace } from '../../src/workspace/search/place.ts';
import { WorkspaceSearch } from '../../src/workspace/search/search.ts';
import { measure } from './measure.ts';
import type { Row } from './report.ts';
import { QUESTION } from './searches.ts';

const QUESTIONS = [QUESTION, 'Which policy decides about the retry of a payment?', 'voucherRegion'];
const never = new AbortController().signal;

/**
 * Questions with an index and without one, in turn, and what the index costs.
 * @param files all that the index is to have
 * @param cache a directory for it
 */
export async function measureIndexedQuestions(
  root: string,
  files: readonly string[],
  cache: string,
): Promise<{ readonly rows: readonly Row[]; readonly cost: string }> {
  mkdirSync(cache);
  const oids = Buffer.concat(files.map((file) => oidOf(path.join(root, file))));
  const index = new SearchIndex({
    root,
    directory: path.join(cache, 'words'),
    room: { directory: cache, maxBytes: 2 ** 33 },
    blobs: new KnownBlobs(files, oids, () => false),
    onFailure: (error) => {
      throw error;
    },
  });
  const place = makePlace(root, files);
  const plain = new WorkspaceSearch(place);
  const indexed = new WorkspaceSearch(place, undefined, undefined, index);
  const ask = (search: WorkspaceSearch, text: string): Promise<unknown> =>
    search.rank({ text, paths: ['.'], maxFiles: 8, maxPassages: 1, span: 10, names: true }, never);
  await ask(indexed, 'anything');
  const before = process.cpuUsage();
  const begun = performance.now();
  const built = await index.built();
  const seconds = (performance.now() - begun) / 1000;
  const { user, system } = process.cpuUsage(before);
  const rows: Row[] = [];
  for (const question of QUESTIONS)
    rows.push({
      name: `with an index, peer without: ${question}`,
      measured: await measure([() => ask(indexed, question)], [() => ask(plain, question)]),
    });
  const megabytes = ((built?.bytes ?? 0) / 1e6).toFixed(1);
  const computed = ((user + system) / 1e6).toFixed(1);
  return {
    rows,
    cost: `index: ${built?.files ?? 0} files, ${megabytes} MB, ${computed} s of processor time in ${seconds.toFixed(1)} s`,
  };
}

function oidOf(file: string): Buffer {
  const content = readFileSync(file);
  return createHash('sha1').update(`blob ${content.byteLength}\0`).update(content).digest();
}
