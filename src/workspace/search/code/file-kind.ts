const TEST =
  /(?:^|\/)(?:tests?|specs?|__tests__|__mocks__|e2e|fixtures?|testdata|cypress)\/|(?:[._-](?:test|spec|cy|tst)\.\w+|_test\.\w+)$|(?:^|\/)test_[^/]*$/i;

export const isTest = (path: string): boolean => TEST.test(path);

const GENERATED = [
  /(?:[.-]lock(?:\.\w+)?|\.(?:min|bundle|generated|pb)\.\w+|(?:^|\/)(?:npm-shrinkwrap\.json|go\.sum)|\.(?:map|svg|snap|csv))$/i,
  /(?:^|\/)(?:dist|vendor|third_party|generated|__generated__)\//i,
] as const;

/** Made from other files, or copied from elsewhere: nobody changes it here. */
export const isGenerated = (path: string): boolean => GENERATED.some((kind) => kind.test(path));

/** Kinds of files, recognised by path, with their weight relative to source code. */
const KINDS: readonly {
  readonly path: RegExp;
  readonly weight: number;
  /** If the question matches, files of this kind get full weight. */
  readonly askedBy?: RegExp;
}[] = [
  { path: GENERATED[0], weight: 0.2 },
  { path: GENERATED[1], weight: 0.4 },
  {
    path: TEST,
    weight: 0.4,
    askedBy: /\b(?:tests?|tested|testing|specs?|fixtures?|mocks?|mocked|coverage)\b/i,
  },
  {
    path: /(?:^|\/)(?:examples?|samples?|demos?|bench(?:marks?)?|benchmark)\//i,
    weight: 0.6,
    askedBy: /\b(?:examples?|samples?|demos?|bench\w*)\b/i,
  },
  { path: /(?:^|\/)(?:changelog|changes|history|news|license)[^/]*$/i, weight: 0.3 },
  {
    path: /\.(?:md|mdx|rst|adoc|txt)$/i,
    weight: 0.5,
    askedBy: /\b(?:docs?|document\w*|guides?|readme|tutorials?|how (?:do|can|to))\b/i,
  },
  {
    path: /\.(?:json|ya?ml|toml|xml|html?|css|ini|cfg|conf)$/i,
    weight: 0.5,
    askedBy: /\b(?:config\w*|settings?|workflows?|styles?)\b/i,
  },
  {
    path: /\.d\.[cm]?ts$/i,
    weight: 0.5,
    askedBy: /\b(?:types?|typed|typing|typings|typescript)\b/i,
  },
];

export function kindWeight(path: string, question: string): number {
  const kind = KINDS.find((one) => one.path.test(path));
  if (kind === undefined || kind.askedBy?.test(question) === true) return 1;
  return kind.weight;
}
