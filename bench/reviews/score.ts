// What reviews found of the faults that `faults.ts` made tasks of.
//   node bench/reviews/score.ts --tasks DIR --answers FILE [--kept FILE]
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import type { Fault } from './faults.ts';

interface Review {
  readonly comments?: readonly {
    readonly path: string;
    readonly line: number;
    readonly start_line?: number;
  }[];
}

/** A comment this near is about the line: hunks have three lines of context. */
const NEAR = 3;

const { values } = parseArgs({
  options: { tasks: { type: 'string' }, answers: { type: 'string' }, kept: { type: 'string' } },
});

const read = <T>(file: string): T => JSON.parse(readFileSync(file, 'utf8')) as T;

const isAt = (comment: NonNullable<Review['comments']>[number], { lines }: Fault): boolean =>
  lines.some(
    ({ path: name, line }) =>
      name === comment.path &&
      line >= (comment.start_line ?? comment.line) - NEAR &&
      line <= comment.line + NEAR,
  );

const faults = read<Fault[]>(values.answers ?? '');
/** By task, whether a person would keep each comment. */
const kept = values.kept === undefined ? {} : read<Record<string, boolean[]>>(values.kept);
let [found, comments, away, keeps] = [0, 0, 0, 0];
for (const fault of faults) {
  const file = path.join(values.tasks ?? '', fault.task, 'review.json');
  const said = existsSync(file) ? (read<Review>(file).comments ?? []) : [];
  const hits = said.filter((comment) => isAt(comment, fault));
  found += hits.length > 0 ? 1 : 0;
  comments += said.length;
  away += said.length - hits.length;
  keeps += (kept[fault.task] ?? []).filter(Boolean).length;
  const words = hits.length > 0 ? 'found' : existsSync(file) ? 'missed' : 'no review';
  process.stdout.write(
    `${fault.task} ${words}: ${fault.repository} ${fault.culprit.slice(0, 10)}, fixed as "${fault.fixedAs}"\n`,
  );
}
process.stdout.write(
  `${found} of ${faults.length} at the place of the fault; ${comments} comments, ${away} elsewhere; ${values.kept === undefined ? 'not judged' : `${keeps} that a person would keep`}\n`,
);
