// The ranks of ARCHITECTURE.md: imports go down this list only, and folders of one rank never
// import each other. Type imports count.
const RANKS = [
  ['contracts', 'lib'],
  ['agent', 'session'],
  ['events', 'github', 'mcp', 'models', 'tools', 'workspace', 'store', 'telemetry', 'web'],
  ['app'],
];

const folder = (name) => `^src/${name}/`;
const SANDBOX = '^packages/sandbox/';
const forbiddenFrom = (name, rank) => [
  ...(name === 'app' ? [] : [SANDBOX]),
  ...RANKS[rank].filter((peer) => peer !== name).map(folder),
  ...RANKS.slice(rank + 1)
    .flat()
    .map(folder),
  '^src/(commands|config)/',
  '^src/[^/]+\\.ts$',
];
const ranks = RANKS.flatMap((names, rank) =>
  names.map((name) => ({
    name: `rank-${name}`,
    severity: 'error',
    from: { path: folder(name) },
    to: { path: forbiddenFrom(name, rank) },
  })),
);

// The rooms of app/, each of which imports only those before it.
const ROOMS = ['service', 'admission', 'run', 'replay', 'by-hand', 'advance', 'publish', 'receive'];
const rooms = ROOMS.map((name, place) => ({
  name: `room-${name}`,
  severity: 'error',
  from: { path: `^src/app/${name}/` },
  to: {
    path: [...ROOMS.slice(place + 1).map((later) => `^src/app/${later}/`), '^src/app/[^/]+\\.ts$'],
  },
}));

const onlyIn = (home, packages) => ({
  name: `only-${home.replaceAll(/\W+/g, '-')}`,
  severity: 'error',
  from: { path: '^src/', pathNot: `^src/${home}` },
  to: { path: `node_modules/(${packages.join('|')})/`, dependencyTypesNot: ['type-only'] },
});

module.exports = {
  forbidden: [
    { name: 'no-circular', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'unresolved',
      comment: 'hast is types only (@types/hast), which no module resolution finds',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true, pathNot: '^hast$' },
    },
    {
      name: 'src-alone',
      comment: 'the service knows nothing of what runs beside it on a developer’s machine',
      severity: 'error',
      from: { path: '^(src|packages/sandbox/src)/' },
      to: { path: '^(packages/local-github|bench|test)/' },
    },
    {
      name: 'sandbox-alone',
      comment: 'packages/sandbox knows nothing of what runs in it; rank 2',
      severity: 'error',
      from: { path: `${SANDBOX}src/` },
      to: { path: '^src/', pathNot: '^src/(contracts|lib)/' },
    },
    ...ranks,
    ...rooms,
    {
      name: 'pure-core',
      comment: 'agent/ and session/ do no I/O and know no SDK; these read texts and schemas',
      severity: 'error',
      from: { path: '^src/(agent|session)/' },
      to: { dependencyTypes: ['core', 'npm'], pathNot: 'node_modules/(zod|yaml|jsonc-parser)/' },
    },
    {
      name: 'tools-by-ports',
      comment:
        'a tool reaches files, processes and the network only through its ports (src/tools/define-tool.ts); lint keeps it from globals that reach them',
      severity: 'error',
      from: { path: '^src/tools/', pathNot: '^src/tools/syntax/check\\.ts$' },
      to: {
        dependencyTypes: ['core', 'npm'],
        pathNot: '^(node:)?(path|util)$|node_modules/(zod|yaml|unbash)/',
      },
    },
    {
      name: 'tools-by-ports-of-syntax',
      comment: 'the parsers of Node, which run nothing; they hang on some texts, so in a thread',
      severity: 'error',
      from: { path: '^src/tools/syntax/check\\.ts$' },
      to: {
        dependencyTypes: ['core', 'npm'],
        pathNot: '^(node:)?(path|vm|module)$|node_modules/yaml/',
      },
    },
    {
      name: 'tools-by-ports-of-lib',
      comment: 'the helpers that open nothing; threads are for the parsers',
      severity: 'error',
      from: { path: '^src/tools/' },
      to: {
        path: '^src/lib/',
        pathNot:
          '^src/lib/(errors|fingerprint|glob|lfs-pointer|without-undefined|text/[^/]+|threads/(time-slice|task-thread))\\.ts$',
      },
    },
    {
      name: 'tools-without-threads',
      comment: 'but for the parsers',
      severity: 'error',
      from: { path: '^src/tools/', pathNot: '^src/tools/syntax/' },
      to: { path: '^src/lib/threads/task-thread\\.ts$' },
    },
    {
      name: 'text-opens-nothing',
      comment: 'lib/text works on what it is given',
      severity: 'error',
      from: { path: '^src/lib/text/' },
      to: { dependencyTypes: ['core'], pathNot: '^(node:)?util$' },
    },
    {
      name: 'contracts-import-nothing',
      comment: 'contracts/ holds types only (test/contracts)',
      severity: 'error',
      from: { path: '^src/contracts/' },
      to: { pathNot: '^src/contracts/' },
    },
    onlyIn('github/', ['probot', '@octokit/[^/]+']),
    onlyIn('models/', ['openai', '@anthropic-ai/sdk', '@google/genai', 'google-auth-library']),
    onlyIn('mcp/', ['@modelcontextprotocol/client', 'ajv']),
    onlyIn('store/', ['pg', 'pg-boss', 'kysely']),
    onlyIn('workspace/', ['isomorphic-git']),
    onlyIn('web/', ['fastify']),
    onlyIn('telemetry/', ['prom-client', '@opentelemetry/[^/]+']),
    {
      name: 'telemetry-when-asked',
      comment: 'the libraries of telemetry are loaded only where the operator asks for them',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/telemetry/' },
      to: {
        path: '^src/telemetry/',
        dependencyTypesNot: ['dynamic-import', 'type-only'],
      },
    },
    onlyIn('(command-line|commands/program)', ['commander']),
  ],
  options: {
    parser: 'swc',
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: {
      extensions: ['.ts', '.js', '.json'],
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
    },
  },
};
