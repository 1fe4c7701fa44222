import type { Tool } from '../contracts/tool.ts';
import { withoutInvisible } from '../lib/text/invisible.ts';
import { withoutThinking } from './protocols/thinking.ts';

/**
 * Why a text that would end the work may be no answer, but a call in a form that nobody knows. `form`: it has more than
 * sentences in it; `mention`: its sentences name a tool or say that they are a call; `tool`: it names a tool and has more
 * than sentences in it.
 */
export type Doubt = 'form' | 'mention' | 'tool' | undefined;

/** Whether an answer is the whole text of a reply. One that stood in tags, or behind a label, was given as an answer. */
export const isBare = (answer: string, text: string): boolean =>
  answer === withoutThinking(text).trim();

/** Takes linear time. */
export function doubtOf(answer: string, tools: readonly Tool[]): Doubt {
  const isNamed = namesTool(answer, tools);
  if (isProse(answer)) return isNamed || LABELLED.test(answer) ? 'mention' : undefined;
  return isNamed ? 'tool' : 'form';
}

const LABELLED = /^[ \t>*#-]*(?:tool|function|action|call)(?:[ _-]name)?[ \t*]*:/im;
const NAME_IN_CODE = /`[\p{L}\p{N}\p{Z}\-_./:#@$&+*,]{1,200}`/gu;
const ADDRESS = /\]\(https?:[^\s()]{1,2000}\)|https?:[^\s()<>]{1,2000}/g;
const SENTENCES =
  /^[\p{L}\p{M}\p{N}\p{Z}\p{Extended_Pictographic}\s.,:;!?'"“”„‘’«»…()/%&+*#–—\-、。「」『』]*$/u;
const CALLED = /[\p{L}\p{N}]\(\s*["'\d)]/u;

/** What sentences are made of, with names in code and links among them. */
function isProse(answer: string): boolean {
  const words = answer
    .normalize('NFKC')
    .replaceAll(NAME_IN_CODE, 'code')
    .replaceAll(/\[(?=[^[\]\n]{0,200}\]\()/g, '')
    .replaceAll(ADDRESS, 'link');
  return SENTENCES.test(words) && !CALLED.test(words);
}

/**
 * A name of several words, in whichever way they are joined: `read_file`, `readFile`, `read-file`. Behind a dot it may be
 * that of a library (`fs.readFile`): there it counts if tools stand before the dot, or if it is called outside of code.
 */
function namesTool(answer: string, tools: readonly Tool[]): boolean {
  const joined = (name: string): string => name.toLowerCase().replaceAll(/[_-]/g, '');
  const names = new Set(
    tools
      .flatMap(({ name, aliases }) => [name, ...aliases])
      .filter((name) => name.includes('_'))
      .map(joined),
  );
  const seen = withoutInvisible(answer.normalize('NFKC'));
  const sentences = seen.replaceAll(CODE, (code) => ' '.repeat(code.length));
  return [...seen.matchAll(WORD)].some(({ 0: word, 1: owner, 2: name = '', index }) => {
    if (!names.has(joined(name))) return false;
    const isCalled = CALL.test(sentences.slice(index + word.length, index + word.length + 8));
    return owner === undefined || TOOL_OWNER.test(owner) || isCalled;
  });
}

/** A name, with the last of what is before its dots. */
const WORD = /(?<![\p{L}\p{N}_.-])(?:([\p{L}\p{N}_-]*)\.)*([\p{L}\p{N}_-]+)/gu;
const TOOL_OWNER = /^(?:tools?|functions?|default_api|api|agent|assistant)$/i;
const CALL = /^\((?!\s*\))/;
const CODE = /^[ \t]*```[^]*?(?:^[ \t]*```|(?![^]))|`[^`\n]+`/gm;
