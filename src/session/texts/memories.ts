// What people are told who ask for the memories of a repository. Markdown.
import type { Memory, MemoryAnswer } from '../../contracts/memory.ts';
import { quotation, sections, oneLine, type Body } from './markdown.ts';
import { plural } from './format.ts';

const HOW = 'Read one in full: `/issuewright memory 3`. Delete it: `/issuewright forget 3`.';

/** `forgotten`: numbers that people of this session deleted since. */
export function memoryComment(answer: MemoryAnswer, forgotten: ReadonlySet<number>): Body {
  switch (answer.kind) {
    case 'listed':
      return listed(answer, forgotten);
    case 'shown':
      return sections(
        ...answer.memories.map((memory) => whole(memory, forgotten)),
        unknown(answer.unknown),
      );
    case 'forgotten':
      return sections(deleted(answer.numbers), unknown(answer.unknown));
    case 'unclear':
      return sections(
        'I deleted nothing: write their numbers, such as `/issuewright forget 3, 5`. `/issuewright memory` lists them.',
      );
    default:
      return answer satisfies never;
  }
}

const NONE =
  'There are no memories for this repository. The settings `tools: {remember: true, search_memory: true}` enable them.';

function listed(
  { total, memories }: Extract<MemoryAnswer, { kind: 'listed' }>,
  forgotten: ReadonlySet<number>,
): Body {
  if (total === 0) return sections(NONE);
  const rest = total - memories.length;
  return sections(
    `${plural(total, 'memory', 'memories')} of this repository, newest first:`,
    memories.map((memory) => line(memory, forgotten)).join('\n'),
    rest > 0 ? `${plural(rest, 'older memory is', 'older memories are')} not listed.` : '',
    HOW,
  );
}

const line = (memory: Memory, forgotten: ReadonlySet<number>): string =>
  forgotten.has(memory.number)
    ? `- **${memory.number}** (deleted)`
    : `- **${memory.number}** ${oneLine(memory.text)} (${originOf(memory)})`;

/** Longer than any memory. */
const LONGEST = 3000;

const whole = (memory: Memory, forgotten: ReadonlySet<number>): Body =>
  forgotten.has(memory.number)
    ? sections(`**Memory ${memory.number}** (deleted)`)
    : sections(
        `**Memory ${memory.number}**, ${originOf(memory)}:`,
        quotation(memory.text, LONGEST),
      );

/** Without a reference: it would appear in the timeline of that issue. */
const originOf = ({ issue, at, fromStrangers }: Memory): string =>
  `issue ${issue}, ${at.slice(0, 10)}${fromStrangers ? ', ⚠️ from a session that read comments of people without write access' : ''}`;

const deleted = (numbers: readonly number[]): string =>
  numbers.length === 0 ? '' : `I deleted ${named(numbers)}.`;

const unknown = (numbers: readonly number[]): string =>
  numbers.length === 0
    ? ''
    : `There is no ${named(numbers)} in this repository. \`/issuewright memory\` lists all.`;

const named = (numbers: readonly number[]): string =>
  `${numbers.length === 1 ? 'memory' : 'memories'} ${numbers.join(', ')}`;
