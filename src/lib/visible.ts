// What a reader on GitHub sees of a text, and nothing else: for a model, so that nobody tells it what
// the people around it cannot read. Names, references and code stay as they are.
import { withoutComments } from './sanitise/comments.ts';
import { withoutHiddenParts } from './sanitise/hidden-parts.ts';
import {
  withoutInvisible,
  withoutInvisibleEntities,
  withUnixLines,
  type Note,
} from './invisible.ts';

/** What was taken out of a text. */
export interface Removal {
  /** In the singular, such as `HTML comment`. */
  readonly kind: string;
  readonly count: number;
  /** The beginning of what was taken out. */
  readonly excerpt: string;
}

/** Of Markdown, such as the body of an issue. */
export const visible = (text: string): string => look(text, MARKDOWN).text;

/** Of a file with instructions for models, in which tags such as `<rules>` part one from the other. */
export const visibleInstructions = (text: string): string => look(text, INSTRUCTIONS).text;

/** Of what GitHub shows as it is, such as a title or a commit's message: comments go all the same. */
export const visiblePlain = (text: string): string => look(text, PLAIN_TEXT).text;

/** What the model is not shown of Markdown, by kind. */
export const hiddenIn = (text: string): readonly Removal[] => look(text, MARKDOWN).removed;

/** What it is not shown of a text that is no Markdown. */
export const hiddenInPlain = (text: string): readonly Removal[] => look(text, PLAIN_TEXT).removed;

const MOST_ROUNDS = 6;
const EXCERPT = 500;

type Step = (text: string, note: Note) => string;

interface Look {
  readonly text: string;
  readonly removed: readonly Removal[];
}

function look(text: string, steps: readonly Step[]): Look {
  const removals = new Map<string, Removal>();
  const note: Note = (kind, found) => {
    const { count, excerpt } = removals.get(kind) ?? { count: 0, excerpt: '' };
    const more = excerpt.length < EXCERPT ? ` ${found}`.slice(0, EXCERPT) : '';
    removals.set(kind, { kind, count: count + 1, excerpt: `${excerpt}${more}`.trimStart() });
  };
  let shown = withUnixLines(text);
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const before = shown;
    shown = steps.reduce((rest, step) => step(rest, note), before);
    if (shown === before) return { text: shown, removed: [...removals.values()] };
  }
  // It resists: without the signs of markup nothing in it can hide anything.
  note('markup that hides markup', shown);
  const plain = shown.replaceAll(/[<[\]&$`~|%]/g, (sign) => PLAIN[sign] ?? '');
  return { text: plain, removed: [...removals.values()] };
}

const PLAIN: Readonly<Record<string, string>> = {
  '<': '‹',
  '[': '⟦',
  ']': '⟧',
  '&': '＆',
  $: '＄',
  '`': 'ˋ',
  '~': '∼',
  '|': '∣',
  '%': '％',
};

/** Each may uncover what another removes. Characters come last: what they part is parted for GitHub too. */
const MARKDOWN: readonly Step[] = [withoutHiddenParts, withoutInvisible, withoutInvisibleEntities];

const INSTRUCTIONS: readonly Step[] = [
  (text, note) => withoutHiddenParts(text, note, true),
  withoutInvisible,
  withoutInvisibleEntities,
];

const PLAIN_TEXT: readonly Step[] = [
  withoutInvisible,
  (text, note) => {
    const shown = withoutComments(text);
    if (shown !== text) note('HTML comment', text);
    return shown;
  },
];
