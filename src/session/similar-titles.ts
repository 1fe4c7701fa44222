// How alike two titles are, by their words.

/** Words that say nothing about the subject. */
const COMMON: ReadonlySet<string> = new Set(
  `a an and are as at be been but by can cannot could do does doing done for from get gets has have how i if in into
  is it its it's make makes my no not of on or our please shall should so some than that the their then there these
  they this to too us use uses was we were what when where which while who why will with without would you your
  add adds added adding allow allows bug bugfix change changes chore ci docs feat feature fix fixed fixes fixing
  implement improve issue perf refactor remove support test tests update wip wrong`.split(/\s+/),
);

/** Written without spaces between words. */
const UNSPACED = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]+$/u;
const RUNS = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]+|[\p{L}\p{N}]+/gu;

function wordsOf(title: string): ReadonlySet<string> {
  const words = title.toLowerCase().match(RUNS) ?? [];
  const all = words.flatMap((word) => (UNSPACED.test(word) ? pairsOf(word) : [stemOf(word)]));
  return new Set(all.filter((word) => !COMMON.has(word)));
}

const pairsOf = (text: string): string[] =>
  Array.from({ length: Math.max(1, text.length - 1) }, (_, at) => text.slice(at, at + 2));

const LONG = 5;

/** Without the endings that English words change most. */
function stemOf(word: string): string {
  if (COMMON.has(word) || word.length < LONG) return word.replace(/(?<=[a-z]{2}[^s])s$/, '');
  return word.replace(/(?:ing|ed|es|s)$/, '').replace(/e$/, '');
}

/** 0 to 1: the share of the words that both have. Fewer than two words in common are none. */
export function similarity(one: string, other: string): number {
  const [words, others] = [wordsOf(one), wordsOf(other)];
  const common = [...words].filter((word) => others.has(word)).length;
  return common < 2 ? 0 : (2 * common) / (words.size + others.size);
}
