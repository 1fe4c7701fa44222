/** GitHub's names of emoji, as its own library `gemoji` has them. */
declare module 'markdown-it-emoji/lib/data/full.mjs' {
  const characters: Readonly<Record<string, string>>;
  export default characters;
}
