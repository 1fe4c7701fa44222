/** A text in which marks stand for something. */
export interface HiddenText {
  readonly text: string;
  /** What each mark of the text stands for, in order. A mark that the text had itself stands for itself. */
  readonly hidden: readonly string[];
}

export interface TextRange {
  readonly start: number;
  readonly end: number;
}

/** A text in which nothing is hidden yet. */
export const nothingHidden = (text: string, mark: string): HiddenText => ({
  text,
  hidden: Array.from({ length: countMarks(text, mark) }, () => mark),
});

/** How many marks a text has. */
export const countMarks = (text: string, mark: string): number =>
  mark === '' ? 0 : text.split(mark).length - 1;

/** Puts a mark in place of each range. They are in order, and none ends within a mark. */
export function hideRanges(
  before: HiddenText,
  ranges: readonly TextRange[],
  mark: string,
): HiddenText {
  if (ranges.length === 0) return before;
  const kept: string[] = [];
  const hidden: (readonly string[])[] = [];
  let from = 0;
  let marks = 0;
  const take = (to: number): HiddenText => {
    const text = before.text.slice(from, to);
    const until = marks + countMarks(text, mark);
    const taken = { text, hidden: before.hidden.slice(marks, until) };
    from = to;
    marks = until;
    return taken;
  };
  for (const { start, end } of ranges) {
    const open = take(start);
    kept.push(open.text, mark);
    hidden.push(open.hidden, [revealAll(take(end), mark)]);
  }
  const rest = take(before.text.length);
  return { text: [...kept, rest.text].join(''), hidden: [...hidden, rest.hidden].flat() };
}

/** The text that was there before anything of it was hidden. */
export function revealAll({ text, hidden }: HiddenText, mark: string): string {
  if (hidden.length === 0) return text;
  return text
    .split(mark)
    .map((part, index) => (index === 0 ? part : `${hidden[index - 1] ?? mark}${part}`))
    .join('');
}
