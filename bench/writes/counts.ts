import type { RequestRecord } from '../../packages/local-github/src/github/http-server.ts';

export type Counts = ReadonlyMap<string, number>;

/** What is written, by its method and path. The first that matches counts. */
const KINDS: readonly (readonly [name: string, is: RegExp])[] = [
  ['comments edited', /^PATCH .*\/issues\/comments\/\d+$/],
  ['check runs edited', /^PATCH .*\/check-runs\/\d+$/],
  ['bodies of pull requests edited', /^PATCH .*\/pulls\/\d+$/],
  ['check runs created', /^POST .*\/check-runs$/],
  ['comments and replies', /^POST .*\/(?:comments|replies|reviews)$/],
  ['reactions', /\/reactions(?:\/\d+)?$/],
  ['labels', /\/labels(?:\/|$)/],
  ['commits and branches', /\/git\/(?:trees|blobs|commits|refs)/],
];

/** Requests of the App, and what they write: everything but reads, renderings of Markdown and pushes. */
export function countsOf(requests: readonly RequestRecord[]): Counts {
  const ours = requests.filter(
    ({ actor, weight }) => weight !== undefined && /^app$|\[bot\]$/.test(actor),
  );
  const writes = ours.filter(({ actor, weight }) => weight === 'content' && actor !== 'app');
  const counts = new Map(KINDS.map(([name]) => [name, 0]));
  for (const { method, path } of writes) {
    const [name] = KINDS.find(([, is]) => is.test(`${method} ${path.replace(/\?.*$/, '')}`)) ?? [];
    const kind = name ?? 'others';
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  const edits =
    (counts.get('comments edited') ?? 0) +
    (counts.get('check runs edited') ?? 0) +
    (counts.get('check runs created') ?? 0);
  counts.set('edits of comments and writes of check runs', edits);
  counts.set('all writes', writes.length);
  counts.set('all requests', ours.length);
  return counts;
}
