// Runs third-party parsers on untrusted text: only for search threads, which end when they hang.
import { createRequire } from 'node:module';
import { posix } from 'node:path';
import treeSitter, { type Node, type Tree } from '@vscode/tree-sitter-wasm';

const MAX_CHARACTERS = 200_000;
/** Processor time, so that the answer does not depend on what else the machine does. */
const MAX_PARSE_MS = 500;

const GRAMMARS: ReadonlyMap<string, readonly string[]> = new Map([
  ['typescript', ['.ts', '.mts', '.cts']],
  ['tsx', ['.tsx', '.jsx']],
  ['javascript', ['.js', '.mjs', '.cjs']],
  ['python', ['.py', '.pyi']],
  ['go', ['.go']],
  ['rust', ['.rs']],
  ['java', ['.java']],
  ['c-sharp', ['.cs']],
  ['cpp', ['.c', '.h', '.cc', '.cpp', '.cxx', '.hh', '.hpp']],
  ['ruby', ['.rb']],
  ['php', ['.php']],
  ['bash', ['.sh', '.bash']],
]);

/** Nodes that define a name, of all grammars. */
const DEFINING = (
  'function_declaration generator_function_declaration function_expression function_definition function_item ' +
  'method_declaration method_definition constructor_declaration method singleton_method ' +
  'class_declaration abstract_class_declaration class_definition class_specifier class ' +
  'interface_declaration struct_declaration struct_specifier struct_item record_declaration ' +
  'enum_declaration enum_specifier enum_item trait_declaration trait_item type_spec type_item type_alias_declaration ' +
  'mod_item module macro_definition variable_declarator assignment_expression public_field_definition pair'
).split(' ');
/** These define a function only if their value is one. */
const HOLDERS = /^(?:variable_declarator|assignment_expression|public_field_definition|pair)$/;
const FUNCTION = /^(?:arrow_function|function_expression|generator_function|class)$/;
const COMMENT = /^\s*(?:\/\/|\/?\*|#|@|"""|--)/;

/** A named piece of a file. Line numbers from 0. */
export interface Definition {
  readonly name: string;
  /** The line of the name. */
  readonly line: number;
  /** The first line, that of comments above included. */
  readonly from: number;
  /** Exclusive. */
  readonly to: number;
}

/** The definitions in a file, by their first lines; empty if there is no parser or it takes too long. */
export async function definitionsIn(path: string, text: string): Promise<Definition[]> {
  const extension = posix.extname(path).toLowerCase();
  const [grammar] = [...GRAMMARS].find(([, extensions]) => extensions.includes(extension)) ?? [];
  if (grammar === undefined || text.length > MAX_CHARACTERS) return [];
  const parser = await parserOf(grammar);
  const startedAt = computedMs();
  const isTooSlow = (): boolean => computedMs() - startedAt > MAX_PARSE_MS;
  const tree = parser.parse(text, null, { progressCallback: isTooSlow });
  if (tree === null) return [];
  try {
    return readTree(tree, text.split('\n'));
  } finally {
    tree.delete();
  }
}

type Parser = InstanceType<typeof treeSitter.Parser>;

let initialized: Promise<void> | undefined;
const parsers = new Map<string, Promise<Parser>>();

async function parserOf(grammar: string): Promise<Parser> {
  const known = parsers.get(grammar) ?? loadParser(grammar);
  parsers.set(grammar, known);
  return known;
}

async function loadParser(grammar: string): Promise<Parser> {
  await (initialized ??= treeSitter.Parser.init());
  const file = `@vscode/tree-sitter-wasm/wasm/tree-sitter-${grammar}.wasm`;
  const language = await treeSitter.Language.load(createRequire(import.meta.url).resolve(file));
  return new treeSitter.Parser().setLanguage(language);
}

function computedMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

function readTree(tree: Tree, lines: readonly string[]): Definition[] {
  return tree.rootNode.descendantsOfType(DEFINING).flatMap((node) => {
    const name = node === null ? undefined : nameOf(node);
    if (node === null || name === undefined) return [];
    const line = name.startPosition.row;
    let from = node.startPosition.row;
    while (from > 0 && COMMENT.test(lines[from - 1] ?? '')) from -= 1;
    return [{ name: name.text, line, from, to: node.endPosition.row + 1 }];
  });
}

function nameOf(node: Node): Node | undefined {
  if (HOLDERS.test(node.type)) {
    const value = node.childForFieldName('value') ?? node.childForFieldName('right');
    if (value === null || !FUNCTION.test(value.type)) return undefined;
  }
  let name =
    node.childForFieldName('name') ??
    node.childForFieldName('key') ??
    node.childForFieldName('left');
  // `int *name(void)`, in C
  for (let inner = name ?? node.childForFieldName('declarator'); inner !== null;) {
    name = inner;
    inner = inner.childForFieldName('declarator') ?? inner.childForFieldName('property');
  }
  return name ?? undefined;
}
