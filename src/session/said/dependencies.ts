// Which issues or pull requests a text says that its work depends on. Pure.
import type { OwnWords } from './asks.ts';

/** More than anyone names. */
const MOST = 10;
const LONGEST_SENTENCE = 300;

const NAMED = String.raw`(?:(?:the\s+)?(?:pull\s+request|pr|issue)s?\s+)?#\d{1,9}`;

/** A sentence that says nothing else: "Depends on #12", "This is blocked by #12 and #13.", but no question. */
const DEPENDS = new RegExp(
  String.raw`^\W*(?:(?:this|it)(?:\s+(?:issue|work|task|change))?\s+)?(?:is\s+)?` +
    String.raw`(?:depends\s+on|blocked\s+by|(?:based|stacked|builds)\s+(?:on\s+top\s+of|upon|on))\W+` +
    String.raw`(${NAMED}(?:[\s,&+]+(?:and\s+)?${NAMED})*)[^\w?]*(?:\([^()?]*\)[^\w?]*)?$`,
  'iu',
);

/** The numbers, each once. */
export const dependenciesIn = ({ references = [] }: OwnWords): readonly number[] =>
  numbersIn(
    references
      .flatMap((line) => line.split(/(?<=[.!?;])\s+/u))
      .filter((sentence) => sentence.length <= LONGEST_SENTENCE)
      .flatMap((sentence) => DEPENDS.exec(sentence)?.[1] ?? []),
  );

/** What the command `base` names. GitHub shows most numbers as links, which are no part of the lines. */
export function baseNamedIn({ references = [], lines }: OwnWords): readonly number[] {
  const linked = references.flatMap(numberAfterBase);
  return (linked.length > 0 ? linked : lines.flatMap(numberAfterBase)).slice(0, 1);
}

/** Characters of a line in which a person asks for a base. */
const LONGEST_REQUEST = 500;

const numberAfterBase = (line: string): readonly number[] => {
  const [, number] =
    /(?:^\s*\/issuewright|@\S+)\D*\bbase\b\D*(\d{1,9})(?!\w)/iu.exec(
      line.slice(0, LONGEST_REQUEST),
    ) ?? [];
  return number === undefined ? [] : [Number(number)];
};

const numbersIn = (texts: readonly string[]): readonly number[] => {
  const all = texts.flatMap((text) => [...text.matchAll(/#(\d{1,9})(?!\w)/gu)]);
  return [...new Set(all.map(([, number]) => Number(number)))].slice(0, MOST);
};
