// What counts as approval of a plan. Only a comment that says nothing else: someone who says more than yes may
// mean something else, so the comment goes to the model.
import type { OwnWords } from './asks.ts';

/** Longer comments say more. */
const LONGEST = 120;

/** Each is a yes; a comment may have several of them. */
const YES: readonly (readonly string[])[] = [
  'approve',
  'approved',
  'approving',
  'i approve',
  'accepted',
  'agreed',
  'i agree',
  'confirmed',
  'go',
  'go ahead',
  'go for it',
  'go on',
  "let's go",
  'lets go',
  "let's go ahead",
  "let's do it",
  "let's do this",
  'good to go',
  'lgtm',
  'ok',
  'okay',
  'k',
  'yes',
  'yep',
  'yeah',
  'yup',
  'sure',
  'sure thing',
  'fine',
  'fine by me',
  'fine with me',
  'good',
  'works for me',
  'that works',
  'all good',
  'good plan',
  'great plan',
  'looks good',
  'looks good to me',
  'looks great',
  'looks fine',
  'looks right',
  'sounds good',
  'sounds great',
  'perfect',
  'do it',
  'do that',
  'proceed',
  'please proceed',
  'continue',
  'start',
  'ship it',
  'make it so',
  '+1',
].map((phrase) => phrase.split(' '));

/** What may accompany a yes. */
const BESIDE: ReadonlySet<string> = new Set(
  'please pls thanks thank thx you ty cheers great nice and so with it this that the plan then now a very much'.split(
    ' ',
  ),
);

const EMOJI = /(?:\u{1F44D}|\u{1F44C}|✅|✔|\u{1F680}|☑)(?:[\u{1F3FB}-\u{1F3FF}]|\uFE0F)*/gu;
/** They may accompany a yes; alone they may mean anything. */
const CHEERS =
  /(?:[\u{1F389}\u{1F38A}\u{1F44F}\u{1F64C}\u{1F64F}\u{1F4AF}\u{1F525}\u{1F600}\u{1F603}\u{1F604}\u{1F60A}\u{1F60D}\u{1F642}\u{1F929}\u{1F973}\u{2764}\u{2728}])(?:[\u{1F3FB}-\u{1F3FF}]|\uFE0F)*|:(?:tada|confetti_ball|clap|raised_hands|pray|100|fire|smile|blush|heart|sparkles):/gu;
const CODES = /:(?:\+1|thumbsup|ok_hand|white_check_mark|heavy_check_mark|rocket|shipit):/g;
/** The addressee: the App, by a command or its name, which may be at the end. */
const ADDRESS =
  /^[*_]*(?:\/issuewright(?![\w/-])|@[\w-]+(?:\[bot\])?)[\s,:]*|(?<=[\s,])@[\w-]+(?:\[bot\])?[\s.!]*$/;

const SENT_FROM = [
  'i?phone',
  'ipad',
  'mobile(?: device| phone)?',
  'android(?: phone| device| tablet)?',
  'samsung(?: galaxy)?(?: smartphone| phone| device| tablet)?',
  'galaxy',
  'pixel',
  '(?:gmail|github) mobile',
  'outlook for (?:ios|android)',
  'yahoo mail (?:for|on) (?:iphone|ipad|android)',
  'proton ?mail(?: mobile| for ios| for android)?',
].join('|');

/** What the mail program of a telephone writes below a reply. */
const SIGNATURE = new RegExp(
  `^(?:sent (?:from|via|with) (?:my )?(?:${SENT_FROM})|get outlook for (?:ios|android))[.!]?$`,
  'i',
);

/** Lines without the last one, if the program that sent them wrote it. */
export const withoutSignature = (lines: readonly string[]): readonly string[] =>
  lines.length > 1 && SIGNATURE.test(lines.at(-1)?.trim() ?? '') ? lines.slice(0, -1) : lines;

/** Whether a whole comment approves a plan. A question does not. `toUs`: it mentions the App. */
export function isApproval({ lines, hasMore }: OwnWords, toUs: boolean): boolean {
  const comment = withoutSignature(lines).join('\n');
  if (hasMore || comment.length > LONGEST) return false;
  const said = comment
    .normalize('NFKC')
    .trim()
    .toLowerCase()
    .replace(toUs ? ADDRESS : '', '')
    .replaceAll(EMOJI, ' +1 ')
    .replaceAll(CODES, ' +1 ')
    .replaceAll(CHEERS, ' ')
    .replaceAll('’', "'");
  if (!/^[\s\w+.,!'*_–—-]*$/.test(said)) return false;
  const words = said.split(/[\s.,!*_–—]+/).filter((word) => !/^-*$/.test(word));
  return isAllYes(words);
}

function isAllYes(words: readonly string[]): boolean {
  let at = 0;
  let yes = 0;
  while (at < words.length) {
    const length = longestYes(words, at);
    if (length === 0 && !BESIDE.has(words[at] ?? '')) return false;
    if (length > 0) yes += 1;
    at += Math.max(length, 1);
  }
  return yes > 0;
}

const longestYes = (words: readonly string[], at: number): number =>
  Math.max(
    0,
    ...YES.filter((phrase) => phrase.every((word, index) => words[at + index] === word)).map(
      (phrase) => phrase.length,
    ),
  );

/** Whether a line has the word for it. */
export const saysApprove = (lines: readonly string[]): boolean =>
  lines.some((line) => /\bapprove/i.test(line));
