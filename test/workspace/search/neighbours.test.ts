import { describe, expect, it } from '@jest/globals';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { FoundFile } from '../../../src/contracts/files.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { never, searchIn, write, type Seed } from './support.ts';

type Options = Parameters<typeof searchIn>[1];

/** What is found, with the names of definitions and their neighbours. */
async function askIn(
  seed: Seed,
  text: string,
  options: Options = {},
): Promise<readonly FoundFile[]> {
  const { search } = searchIn(seed, options);
  return search
    .rank({ text, paths: ['.'], maxFiles: 20, maxPassages: 1, span: 10, names: true }, never)
    .then(({ files }) => files);
}

const SHOP = {
  'src/price/discount.ts':
    "import { now } from '../clock.ts';\n\n/** Lowers the price by a voucher. */\nexport function applyVoucher(price: number): number {\n  return price - applyVoucher.length * now();\n}\n",
  'src/price/cart.ts':
    "import { applyVoucher } from './discount.ts';\n\nexport const total = (): number => applyVoucher(3);\n",
  'src/pages/home.ts':
    "import { applyVoucher } from '../price/discount.ts';\nexport { applyVoucher };\n",
  'test/discount.test.ts':
    "import { applyVoucher } from '../src/price/discount.ts';\n\nit('lowers', () => applyVoucher(1));\n",
  'secrets/plan.ts': 'applyVoucher(1);\n',
  'out/built.ts': 'applyVoucher(1);\n',
  '.gitignore': 'out/\n',
};

describe('a found definition', () => {
  it('comes with its line, and with those who call and test it, the nearest first', async () => {
    const [best] = await askIn(SHOP, 'lower the price by a voucher', {
      paths: { deny: ['secrets'] },
    });
    expect(best).toMatchObject({
      path: 'src/price/discount.ts',
      definitions: [
        {
          name: 'applyVoucher',
          line: 4,
          from: 3,
          to: 6,
          text: 'export function applyVoucher(price: number): number {',
        },
      ],
      neighbours: {
        name: 'applyVoucher',
        callers: ['src/price/cart.ts:3', 'src/pages/home.ts:1'],
        tests: ['test/discount.test.ts:3'],
      },
    });
  });

  it('never leads to a file behind a link, nor to one that is denied or ignored', async () => {
    const outside = temporaryDirectory();
    write(outside, { 'file.ts': 'applyVoucher(1);\n' });
    const { root, search } = searchIn(SHOP, { paths: { deny: ['secrets'] } });
    symlinkSync(join(outside, 'file.ts'), join(root, 'src/price/link.ts'));
    symlinkSync(outside, join(root, 'src/price/linked'));
    const question = {
      text: 'voucher',
      paths: ['.'],
      maxFiles: 20,
      maxPassages: 1,
      span: 10,
      names: true,
    };
    expect(JSON.stringify(await search.rank(question, never))).not.toMatch(/secrets|out\/|link/);
  });

  it('tells nothing of a name that many files use', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 41 }, (_, index) => [`src/f${index}.ts`, 'applyVoucher(1);\n']),
    );
    const [best] = await askIn({ ...SHOP, ...many }, 'lower the price by a voucher');
    expect(best?.definitions[0]?.name).toBe('applyVoucher');
    expect(best?.neighbours).toBeUndefined();
  });
});

it.each([
  ['a.ts', 'class A {\n  async frobnicate(): Promise<void> {}\n}'],
  ['b.tsx', 'const frobnicate = () => <b>1</b>;'],
  ['c.js', 'Thing.prototype.frobnicate = function () { return 1 }'],
  ['d.cjs', 'module.exports = { frobnicate: function () {} }'],
  ['e.py', '@cached\nasync def frobnicate(self):\n    pass'],
  ['f.go', 'package a\n\nfunc (t *Thing) frobnicate(n int) error {\n\treturn nil\n}'],
  ['g.rs', 'impl Thing {\n    pub fn frobnicate(&self) {}\n}'],
  ['h.java', 'class A {\n  @Override public <T> List<T> frobnicate(int n) {\n    return null;\n  }\n}'],
  ['i.cs', 'class A {\n  public async Task frobnicate() {}\n}'],
  ['j.cpp', 'int *A::frobnicate(void) {\n  return 0;\n}'],
  ['k.c', 'static char *frobnicate(int n) {\n  return 0;\n}'],
  ['l.rb', 'class A\n  def self.frobnicate(n)\n  end\nend'],
  ['m.php', '<?php class A { public static function frobnicate() {} }'],
  ['n.sh', 'frobnicate() {\n  true\n}'],
])('a function is known by its name in %s', async (path, text) => {
  const [file] = await askIn({ [path]: `${text}\n` }, 'frobnicate');
  expect(file?.definitions.map(({ name }) => name.replace(/^A::/, ''))).toContain('frobnicate');
}); // prettier-ignore

it.each([
  ['brackets without end', '('.repeat(190_000)],
  ['nested functions', 'function f(){'.repeat(10_000)],
  ['half a text', 'class apple { banana('],
  [
    'names of other things',
    'const __proto__ = () => 1; function constructor() {} function $1() {}',
  ],
])('%s do no harm', async (_what, text) => {
  const files = await askIn(
    { 'a.ts': `apple\n${text}`, 'b.ts': 'apple' },
    'apple constructor proto',
  );
  expect(files.map(({ path }) => path).toSorted()).toEqual(['a.ts', 'b.ts']);
});
