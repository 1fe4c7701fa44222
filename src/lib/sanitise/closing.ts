// `fixes #1` closes nothing: it becomes `fixes → #1`, in code too, because a squash merge makes a
// commit message of a pull request's body.

/** Behind an entity whose end is left out too, as HTML allows: `&copyfixes`. */
const BEFORE = String.raw`(?:(?<![A-Za-z0-9])|(?<=&[A-Za-z]{2,6}\d{0,2}))`;
const KEYWORD = String.raw`${BEFORE}(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?)`;
const SIGN = String.raw`[\s:*_~"'\`\\()[\]<>]`;
/** `&nbsp;`, `&ThinSpace;` and all other entities of spaces. */
const SPACE = String.raw`&[a-z]{1,12}sp(?:ace|1[34])?;?`;
const BETWEEN = String.raw`(?:${SIGN}+|(?:${SIGN}|</?[a-z]{1,10}>|${SPACE}){1,64})`;
const NAME = String.raw`[\w.-]{1,100}`;
const REFERENCE = [
  String.raw`(?:${NAME}(?:/${NAME})?)?#\d+`,
  String.raw`gh-\d+`,
  // The wide colon is ours: it keeps an address from being a link.
  String.raw`(?:https?[:：]//)?${NAME}(?::\d{1,5})?/${NAME}/${NAME}/(?:issues|pull)/\d+`,
].join('|');
const CLOSING = new RegExp(`(${KEYWORD}${BETWEEN})(${REFERENCE})`, 'gi');

/** `allowed`: the one issue that the text may close, as `#number`. */
export const withoutClosing = (text: string, allowed: number | undefined): string =>
  text.replaceAll(CLOSING, (whole, before: string, reference: string) =>
    reference === `#${allowed}` ? whole : `${before}→ ${reference}`,
  );
