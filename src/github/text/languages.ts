// The language that GitHub names for a block of code. People do not see that name, so that only those are
// passed on that are known.

const KNOWN: ReadonlySet<string> = new Set(
  `asm astro awk bash bat batch bazel bibtex c c# c++ clojure cmake cmd coffeescript console cpp cs csharp cshtml
  css csv d dart diff dockerfile dotenv elixir elm erlang f# fish fortran fsharp gherkin git glsl go golang
  gradle graphql groovy haml handlebars haskell hcl html http ini java javascript jinja js json json5 jsonc
  jsx julia kotlin latex less log lua make makefile markdown matlab md nginx nim nix objc objective-c ocaml
  pascal patch perl php plaintext powershell prolog properties protobuf ps1 py python r rb react ruby rs rust
  sass scala scheme scss sh shell shellscript solidity sql stylus suggestion svelte swift tcl terraform tex
  text toml ts tsx txt typescript vb vim vue wasm xml yaml yml zig zsh`.split(/\s+/),
);

/** Grammars whose name is not the language's. */
const GRAMMARS: ReadonlyMap<string, string> = new Map([
  ['shell', 'sh'],
  ['html-basic', 'html'],
  ['python-traceback', 'text'],
  ['shell-session', 'console'],
  ['batchfile', 'bat'],
  ['gfm', 'md'],
  ['md', 'md'],
  ['json-comments', 'jsonc'],
  ['css-scss', 'scss'],
  ['css-less', 'less'],
]);

/** Languages that GitHub draws: people see the picture, and not its source. */
const DRAWN: ReadonlySet<string> = new Set(['mermaid', 'geojson', 'topojson', 'stl']);

export const isDrawn = (language: string): boolean => DRAWN.has(language.toLowerCase());

/** Empty for one that is not known. */
export function knownLanguage(name: string): string {
  const lower = name.toLowerCase();
  const language = GRAMMARS.get(lower) ?? lower;
  return KNOWN.has(language) ? language : '';
}

const GRAMMAR_CLASS = /^highlight-(?:source|text)-([\w#+-]+)$/;
const LANGUAGE_CLASS = /^language-(.+)$/;

/** As a class of GitHub's highlighting, or of a renderer of Markdown, says it. */
export const languageOfClass = (name: string): string | undefined =>
  GRAMMAR_CLASS.exec(name)?.[1] ?? LANGUAGE_CLASS.exec(name)?.[1];
