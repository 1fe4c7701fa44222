// Diagrams and formulas that hide text: as `READ`, the attack, the text, and what is left of it.
import type { Row } from './hostile-texts.ts';

export const DRAWN: readonly Row[] = [
  [
    'comments of a diagram behind other blanks',
    '```mermaid\ngraph\n\t%% SECRET\n\u00a0%% SECRET\nA-->B %% SECRET\n```',
    '```mermaid\ngraph\n\t\n\u00a0\nA-->B \n```',
  ],
  [
    'a directive of several lines',
    '```mermaid\n%%{init: {\n"x": "SECRET"\n}}%%\ngraph\n```',
    '```mermaid\n\ngraph\n```',
  ],
  [
    'a directive in a line',
    '```mermaid\ngraph\nA-->B %%{wrap: "SECRET"}%% x\n```',
    '```mermaid\ngraph\nA-->B  x\n```',
  ],
  [
    'a directive without an end',
    '```mermaid\ngraph\n%%{init: SECRET\nA-->B\n```',
    '```mermaid\ngraph\n\n```',
  ],
  [
    'what stands above a diagram',
    '```mermaid\n---\nnote: SECRET\n---\ngraph\n```',
    '```mermaid\ngraph\n```',
  ],
  [
    'the tooltip of a diagram, behind another line',
    '```mermaid\ngraph; A-->B; click A "x" "SECRET"\n```',
    '```mermaid\ngraph; A-->B;\n```',
  ],
  [
    'the menus of a diagram',
    '```mermaid\nsequenceDiagram\nlinks A: {"SECRET": "x"}\nproperties A: {"x": "SECRET"}\ndetails A: SECRET\nlink->>details: hi\n```',
    '```mermaid\nsequenceDiagram\n\n\n\nlink->>details: hi\n```',
  ],
  [
    'a diagram with color:#0000',
    '```mermaid\ngraph\nA[SECRET]\nstyle A color:#0000\n```',
    '```mermaid\n```',
  ],
  [
    'a diagram with color:#00000000',
    '```mermaid\ngraph\nA[SECRET]\nstyle A color:#00000000\n```',
    '```mermaid\n```',
  ],
  [
    'a diagram with color:rgba(0,0,0,0)',
    '```mermaid\ngraph\nA[SECRET]\nstyle A color:rgba(0,0,0,0)\n```',
    '```mermaid\n```',
  ],
  [
    'a diagram with visibility:hidden',
    '```mermaid\ngraph\nA[SECRET]\nstyle A visibility:hidden\n```',
    '```mermaid\n```',
  ],
  [
    'a diagram with font-size:1px',
    '```mermaid\ngraph\nA[SECRET]\nstyle A font-size:1px\n```',
    '```mermaid\n```',
  ],
  [
    'a diagram with fill:#333,stroke:#000,color:#333',
    '```mermaid\ngraph\nA[SECRET]\nstyle A fill:#333,stroke:#000,color:#333\n```',
    '```mermaid\n```',
  ],
  [
    'a diagram with color:#333,fill:#333',
    '```mermaid\ngraph\nA[SECRET]\nstyle A color:#333,fill:#333\n```',
    '```mermaid\n```',
  ],
  ['a formula with \\newenvironment{x}{SECRE', '$\\newenvironment{x}{SECRET}{}$', '$$'],
  ['a formula with \\DeclareMathOperator{\\x}', '$\\DeclareMathOperator{\\x}{SECRET}$', '$$'],
  ['a formula with \\gdef\\x{SECRET}', '$\\gdef\\x{SECRET}$', '$$'],
  ['a formula with \\newtagform{x}{SECRET}{}', '$\\newtagform{x}{SECRET}{}$', '$$'],
  ['a formula with \\definecolor{x}{rgb}{1,1', '$\\definecolor{x}{rgb}{1,1,1}SECRET$', '$$'],
  ['a formula with \\bbox[white]{SECRET}', '$\\bbox[white]{SECRET}$', '$$'],
  ['a formula with \\toggle{x}{SECRET}\\endto', '$\\toggle{x}{SECRET}\\endtoggle$', '$$'],
  ['a formula with \\mathtip{x}{SECRET}', '$\\mathtip{x}{SECRET}$', '$$'],
  ['a formula with \\texttip{x}{SECRET}', '$\\texttip{x}{SECRET}$', '$$'],
  ['a formula with \\moveleft9in{SECRET}', '$\\moveleft9in{SECRET}$', '$$'],
  ['a formula with \\raise99in{SECRET}', '$\\raise99in{SECRET}$', '$$'],
  ['a formula with \\kern - 9in SECRET', '$\\kern - 9in SECRET$', '$$'],
  [
    'a formula with \\hspace{-9em}\\hspace{-9e',
    '$\\hspace{-9em}\\hspace{-9em}\\hspace{-9em}\\hspace{-9em}\\hspace{-9em}\\hspace{-9em}SECRET$',
    '$$',
  ],
  ['a formula with \\!\\!\\!\\!\\!\\!SECRET', '$\\!\\!\\!\\!\\!\\!SECRET$', '$$'],
  ['a formula with \\sqrt{\\$4}\\phantom{SECRE', '$\\sqrt{\\$4}\\phantom{SECRET}$', '$$'],
  ['a formula with \\$\\color{white}{SECRET}', '$\\$\\color{white}{SECRET}$', '$$'],
  ['a formula with x\\eqref{say SECRET now}', '$x\\eqref{say SECRET now}$', '$$'],
  [
    'a formula with a dollar, on lines of its own',
    '$$\n\\$4\n\\color{white}{SECRET}\n$$',
    '$$\n\n\n$$',
  ],
  ['a formula around another', '$$\\text{$x$}\\phantom{SECRET}$$', '$$$$$$'],
];
