import characters from 'markdown-it-emoji/lib/data/full.mjs';

const SHORTCODE = /:([\w+-]{1,50}):/g;

/** With characters in place of GitHub's names of emoji, such as `:robot:`. */
export const withoutShortcodes = (text: string): string =>
  text.replaceAll(SHORTCODE, (shortcode, name: string) =>
    Object.hasOwn(characters, name) ? (characters[name] ?? shortcode) : shortcode,
  );
