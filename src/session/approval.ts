// What counts as a yes to a plan. Only a comment that says nothing else: whoever says more than yes
// may mean something else, and their words go to the model.

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
  'fine',
  'fine by me',
  'fine with me',
  'good',
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

/** What may stand beside a yes. */
const BESIDE: ReadonlySet<string> = new Set(
  'please pls thanks thank you ty and so with it this that the plan then now a very much'.split(
    ' ',
  ),
);

const EMOJI = /(?:\u{1F44D}|\u{1F44C}|✅|✔|\u{1F680}|☑)(?:[\u{1F3FB}-\u{1F3FF}]|\uFE0F)*/gu;
const CODES = /:(?:\+1|thumbsup|ok_hand|white_check_mark|heavy_check_mark|rocket|shipit):/g;
/** Whom it is said to: the App, as a command or by its name. */
const ADDRESS = /^(?:\/issuewright(?![\w/-])|@[\w-]+(?:\[bot\])?)[\s,:]*/;

/** Whether a comment as a whole agrees to a plan. A question is no yes. `toUs`: it names the App. */
export function isApproval(comment: string, toUs: boolean): boolean {
  if (comment.length > LONGEST) return false;
  const said = comment
    .normalize('NFKC')
    .trim()
    .toLowerCase()
    .replace(toUs ? ADDRESS : '', '')
    .replaceAll(EMOJI, ' +1 ')
    .replaceAll(CODES, ' +1 ');
  if (!/^[\s\w+.,!'’*_–—-]*$/.test(said)) return false;
  const words = said.split(/[\s.,!*_–—]+/).filter((word) => word !== '');
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
