// Arguments as a careless or hostile model may give them: by the schema, nearly so, and not at all.
import fc from 'fast-check';
import { type ToolDefinition, zodArguments } from '../../src/tools/define-tool.ts';

interface Schema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
}

const GOOD = [
  'a.txt',
  'src',
  'src/main.ts',
  'src/deep/er/b.json',
  'image.png',
  'latin.txt',
  'wide.txt',
  'link/',
  'new/file.ts',
  '.',
  '',
  'one',
  'two\n',
  '*.ts',
  '**',
  'branch',
  'main',
];
const BAD = [
  '/etc/passwd',
  'C:\\Windows\\win.ini',
  '\\\\server\\share',
  'file:///etc/passwd',
  'a\u0000b',
  'a\ud800',
  '\u202egnp.exe',
  'src//main.ts',
  './././a.txt',
  '~/.ssh/id_rsa',
  'a/'.repeat(500),
  'x'.repeat(300),
  'CON',
  '.github/workflows/ci.yml',
  '(a+)+$',
  '[',
  '(?=x)',
  '{'.repeat(100),
  '*'.repeat(100),
  '{a,'.repeat(30),
  '-rf',
  '$(id)',
  '; id',
  '../'.repeat(100),
  'refs/heads/main',
  'HEAD~1',
  '0'.repeat(40),
  '@{u}',
  '<!-- issuewright:1 -->',
  '@octo-maintainer fixes #1',
  '__proto__',
  'constructor',
];
const HUGE = ['x'.repeat(2_000_000), 'a\n'.repeat(50_000), '\u{1F600}'.repeat(20_000)];
const NUMBERS = [0, -1, 1.5, 1, 2, 8, 1e9, 2 ** 53, -(2 ** 31), 1e308, '3', '08', '1e3'];

const nested = (depth: number): unknown =>
  JSON.parse(`${'[{"a":'.repeat(depth)}1${'}]'.repeat(depth)}`);
const DEEP = [nested(10), nested(60), nested(1000)];

const json = fc.jsonValue({ maxDepth: 4 });

/** One argument at a time is what it can bear the least: with the rest of the example, and alone. */
export function spoiltExamples(tool: ToolDefinition, paths: readonly string[]): readonly unknown[] {
  const values: readonly unknown[] = [...HUGE, ...DEEP, ...paths, '', null, NUMBERS];
  return Object.entries(propertiesOf(tool)).flatMap(([name, { type }]) =>
    values
      .map((value) => ({ [name]: type === 'array' ? [value] : value }))
      .flatMap((spoilt) => [{ ...tool.example, ...spoilt }, spoilt]),
  );
}

const propertiesOf = (tool: ToolDefinition): Readonly<Record<string, Schema>> =>
  (zodArguments(tool.arguments).parameters as Schema).properties ?? {};

/** Arguments of a tool; `paths` are hostile ones that this workspace has. */
export function anyCall(tool: ToolDefinition, paths: readonly string[]): fc.Arbitrary<unknown> {
  const text = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...GOOD) },
    { weight: 4, arbitrary: fc.constantFrom(...BAD, ...paths) },
    { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 50 }) },
    { weight: 1, arbitrary: fc.constantFrom(...HUGE) },
  );
  const valueOf = (schema: Schema): fc.Arbitrary<unknown> =>
    fc.oneof(
      { weight: 12, arbitrary: fittingOf(schema) },
      { weight: 1, arbitrary: text },
      { weight: 1, arbitrary: json },
      { weight: 1, arbitrary: fc.constantFrom<unknown>(...DEEP, ...NUMBERS, null, true) },
    );
  const objectOf = (properties: Readonly<Record<string, Schema>>): fc.Arbitrary<unknown> =>
    fc.record(
      Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, valueOf(one)])),
      { requiredKeys: [] },
    );
  const fittingOf = (schema: Schema): fc.Arbitrary<unknown> => {
    if (schema.enum !== undefined) return fc.constantFrom<unknown>(...schema.enum, 'other');
    if (schema.anyOf !== undefined) return fc.oneof(...schema.anyOf.map(valueOf));
    const [type] = [schema.type ?? 'string'].flat();
    if (type === 'integer' || type === 'number') return fc.constantFrom<unknown>(...NUMBERS);
    if (type === 'boolean') return fc.boolean();
    if (type === 'array') return arrayOf(valueOf(schema.items ?? {}));
    return type === 'object' ? objectOf(schema.properties ?? {}) : text;
  };
  const properties = propertiesOf(tool);
  return fc.oneof(
    { weight: 10, arbitrary: objectOf(properties) },
    { weight: 3, arbitrary: fc.tuple(objectOf(properties), strangers(tool)).map(merged) },
    { weight: 1, arbitrary: json },
    { weight: 1, arbitrary: fc.constantFrom<unknown>(...HUGE, ...DEEP, null, undefined) },
  );
}

const arrayOf = (item: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.oneof(
    { weight: 8, arbitrary: fc.array(item, { maxLength: 4 }) },
    { weight: 1, arbitrary: item.map((one) => Array.from({ length: 1000 }, () => one)) },
  );

/** Names that are not its arguments, or aliases that it accepts for them. */
const strangers = ({ argumentAliases = {} }: ToolDefinition): fc.Arbitrary<unknown> =>
  fc.dictionary(
    fc.constantFrom('constructor', '__proto__', 'toString', 'a', ...Object.keys(argumentAliases)),
    json,
  );

const merged = ([one, other]: readonly [unknown, unknown]): unknown => {
  const all = { ...(one as object) };
  for (const [name, value] of Object.entries(other as object))
    Object.defineProperty(all, name, { value, enumerable: true, configurable: true });
  return all;
};
