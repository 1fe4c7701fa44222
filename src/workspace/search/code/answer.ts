import { ContainedTree } from '../../files/contained-tree.ts';
import type { CodeIndex } from './code-index.ts';
import { PART_LINES } from './file-terms.ts';
import { findPassage } from './passages.ts';
import type { Passage, Question, Answer } from '../../../contracts/search.ts';
import type { SearchPlace } from '../place.ts';
import { parseQuestion } from './query.ts';
import { rankFiles, type RankedFile, type TermWeights } from './rank.ts';
import { globFilter } from '../../../lib/glob.ts';
import { unlessGone } from '../walk.ts';

const MAX_SILENCE_MS = 100;
const MAX_FILE_BYTES = 1024 * 1024;
/** How many lines outside of its part a passage may begin or end. */
const MARGIN = 10;

/** Updates the index and queries it. Yields `undefined` now and then to show that it is running. */
export function* answerQuestion(
  index: CodeIndex,
  place: SearchPlace,
  question: Question,
): Generator<Answer | undefined> {
  let told = performance.now();
  for (const _ of index.refresh()) {
    if (performance.now() - told < MAX_SILENCE_MS) continue;
    yield undefined;
    told = performance.now();
  }
  const isMeant = filterOf(question);
  const files = index.files.filter(({ path }) => isMeant(path));
  const { files: ranked, weights } = rankFiles(files, parseQuestion(question.text), question.text);
  const best = ranked.slice(0, question.maxFiles);
  const tree = new ContainedTree(place.root);
  yield {
    files: best.map((file) => ({
      path: file.path,
      passages: passagesOf(tree, file, weights, question),
    })),
    indexed: files.length,
    left: index.left,
  };
}

function filterOf({ paths, glob }: Question): (path: string) => boolean {
  const places = paths.map((place) => ({ place, matches: globFilter(glob, place) }));
  return (path) =>
    places.some(({ place, matches }) => {
      const isBelow = place === '' || path === place || path.startsWith(`${place}/`);
      return isBelow && matches(path);
    });
}

function passagesOf(
  tree: ContainedTree,
  { path, parts }: RankedFile,
  weights: TermWeights,
  { maxPassages, span }: Question,
): Passage[] {
  const content = unlessGone(() => tree.read(path.split('/'), MAX_FILE_BYTES));
  if (content === undefined || content.includes(0)) return [];
  const lines = new TextDecoder().decode(content).split(/\r?\n/);
  const passages: Passage[] = [];
  for (const part of parts) {
    const range = { from: part - 1 - MARGIN, to: part - 1 + PART_LINES + MARGIN };
    const passage = findPassage(lines, range, weights, span);
    if (passages.length < maxPassages && !passages.some((other) => overlap(other, passage)))
      passages.push(passage);
  }
  return passages;
}

const overlap = (one: Passage, other: Passage): boolean =>
  one.start < other.start + other.lines.length && other.start < one.start + one.lines.length;
