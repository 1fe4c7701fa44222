const FENCE = '```';

/** Texts as people and models write them. Nothing in them may change, whichever way they go. */
export const INNOCENT: readonly (readonly [what: string, text: string])[] = [
  ['prose', '# Title\n\nSome *text* with `code` and **bold**.\n\nLine one  \nline two<br>three'],
  ['lists', '- a\n  - b\n\n1. one\n2. two\n\n- [ ] open\n- [x] done: `x`'],
  ['code', `${FENCE}ts\nconst a: Map<string, number> = b && c;\n// @someone ![x](y "z")\n${FENCE}`],
  ['code in a list', `1. Run:\n   ${FENCE}sh\n   npm i @scope/name <x>\n   ${FENCE}\n2. Done.`],
  ['code in a quotation', `> ${FENCE}ts\n> a<b>(c) // @someone\n> ${FENCE}\n\nYes.`],
  ['spans', 'Use `Map<string>`, ``a ` b``, `@scope/name` and `$HOME`; a < b, c > d; x<1. Ok'],
  ['tables', '| a | b |\n|---|:-:|\n| `x` | @ |\n| c \\| d | `@scope/e` |'],
  ['emoji', '👩‍💻 👨‍👩‍👧 🏴󠁧󠁢󠁥󠁮󠁧󠁿 1️⃣ ❤️ 👍🏽 🏳️‍🌈 ☺︎'],
  ['Arabic', 'مرحبا بالعالم، كيف الحال؟'],
  ['Hebrew', 'שָׁלוֹם עולם'],
  ['Persian', 'می‌خواهم'],
  ['scripts of Asia', '日本語のテキスト。한국어 हिन्दी ไทย'],
  [
    'formulas',
    `$a^2 + b^2 = c^2$ and $$\\int_0^1 x\\,dx$$\n\n${FENCE}math\n\\frac{a}{b}\n${FENCE}`,
  ],
  ['money', 'It costs $5 and 10% of $6.'],
  ['links', 'See [docs](docs/a_(b).md#c), [there](https://github.com/o/r?q=1) and [it](#x).'],
  ['addresses', 'At <https://github.com/o/r>, or https://github.com/o/r/issues/3.'],
  ['a link by its label', '[link][ref]\n\n[ref]: https://github.com/o/r'],
  ['what folds', '<details><summary>Log</summary>\n\ntext `@x`\n\n</details>'],
  ['a footnote', 'Text[^1].\n\n[^1]: The note.'],
  ['a quotation', '> quote\n> more'],
  ['a note in brackets', '[Note]: this is important text'],
  ['escaped HTML', 'a &amp; b &lt;b&gt; <kbd>Ctrl</kbd>+<kbd>C</kbd> E = mc²'],
  ['an image', '![](a.png) <img src="a.png" width="300">'],
  ['a diagram', `${FENCE}mermaid\ngraph TD\nA-->B\n${FENCE}`],
  ['a reference', 'see #3, o/r#4 and mail a@example.com'],
  ['a trailer', 'Co-authored-by: A <a@example.com>'],
];
