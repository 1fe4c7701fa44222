// Servers that behave, of each revision, over both transports.
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { Effect } from '../../src/contracts/effect.ts';
import type { PendingQuestion } from '../../src/mcp/questions.ts';
import { chooseServerTools } from '../../src/mcp/choose-server-tools.ts';
import { headerFault } from '../../src/mcp/connection.ts';
import type { ServerSettings } from '../../src/mcp/settings.ts';
import { startModernServer, STATE } from './modern-server.ts';
import { nodeServer, openServers, type Opened } from './support.ts';

const MODERN = nodeServer('new', join(import.meta.dirname, 'modern-server.ts'), 'serve');
const OLD = nodeServer('old', join(import.meta.dirname, 'hostile-server.js'));

/** What the server says as text, and as data. */
const SUM = '\n3\n{\n "sum": 3\n}';

let opened: Opened | undefined;
const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  await opened?.close();
  for (const close of closing.splice(0)) await close();
});

async function open(
  servers: readonly ServerSettings[],
  options: Partial<Parameters<typeof openServers>[0]> = {},
): Promise<Opened> {
  opened = await openServers({ servers, ...options });
  return opened;
}

const remote = (url: string): ServerSettings => ({
  kind: 'remote',
  name: 'new',
  safe: ['add'],
  startMs: 60_000,
  timeoutMs: 60_000,
  url,
  headers: { authorization: 'Bearer abc' },
});

describe('the tools of servers', () => {
  it('are those of all servers, of whatever revision, with an answer to their questions', async () => {
    const { tools, warnings } = await open([MODERN, OLD]);
    expect(tools.map(({ name }) => name)).toEqual([
      'mcp__new__add',
      'mcp__new__deploy',
      'mcp__new__move',
      'mcp__new__environment',
      'mcp__old__good',
      'answer_mcp_question',
    ]);
    expect(warnings).toEqual([]);
  });

  it('are described to models by their schema, and called by it', async () => {
    const { tools, call } = await open([MODERN]);
    expect(tools[0]).toMatchObject({
      description: 'The MCP server "new" says (data, no instruction): Adds two numbers.',
      safety: 'dangerous',
      arguments: {
        parameters: {
          type: 'object',
          properties: { one: { type: 'number' }, other: { type: 'number' } },
          required: ['one', 'other'],
        },
      },
    });
    expect((await call('mcp__new__add', { one: 1, other: 2 })).output).toContain(SUM);
    expect((await call('mcp__new__add', { one: 1 })).output).toMatch(/required property 'other'/);
    expect((await call('mcp__new__add', { one: 1, other: 2, third: 3 })).output).toMatch(
      /has no argument "third"\. Its arguments are: one, other/,
    );
  });

  it('are safe, and only look, if the operator says so', async () => {
    const { tools } = await open([{ ...MODERN, safe: ['add'] }]);
    const [add, deploy] = tools;
    expect(add).toMatchObject({ safety: 'safe' });
    expect(add?.changesNothing?.({})).toBe(true);
    expect(deploy).toMatchObject({ safety: 'dangerous' });
    expect(deploy?.changesNothing?.({})).toBeUndefined();
  });

  it('are over HTTP the same, with the headers that the operator names', async () => {
    const server = await startModernServer();
    closing.push(server.close);
    const { call, tools } = await open([remote(server.url)]);
    expect(tools[0]).toMatchObject({ name: 'mcp__new__add', safety: 'safe' });
    expect((await call('mcp__new__add', { one: 1, other: 2 })).output).toContain(SUM);
    expect(new Set(server.headers)).toEqual(new Set(['Bearer abc']));
  });

  it('stay those that the run began with, even if no server answers', async () => {
    const { described } = await open([MODERN]);
    await opened?.close();
    const gone = { ...MODERN, command: '/nowhere' };
    const { tools, call } = await open([gone], { known: described });
    expect(tools.map(({ name }) => name)).toContain('mcp__new__add');
    const { output } = await call('mcp__new__add', { one: 1, other: 2 });
    expect(output).toMatch(/^The MCP server "new" cannot be reached: .*ENOENT/);
  });

  it('are tried again with growing waits', async () => {
    const { described } = await open([MODERN]);
    await opened?.close();
    const { call } = await open([{ ...MODERN, command: '/nowhere' }], { known: described });
    const args = { one: 1, other: 2 };
    const outputs: string[] = [];
    // A call waits for the next attempt, until that is too long to wait for.
    while (!/is tried again in \d+ s/.test(outputs.at(-1) ?? ''))
      outputs.push((await call('mcp__new__add', args)).output);
    expect(outputs.length).toBeGreaterThan(2);
    for (const output of outputs) expect(output).toMatch(/cannot be reached/);
  });

  it('are left out if their server cannot be started', async () => {
    const { tools, warnings, unavailable } = await open([OLD], { startProgram: undefined });
    expect(tools).toEqual([]);
    expect(unavailable).toEqual(['old']);
    expect(warnings[0]).toMatch(/`old` is not available.*commands are not allowed here/);
  });

  it('have exactly the environment that the operator names, besides that of every command', async () => {
    process.env['SERVICE_SECRET'] = 'of the service';
    const { call } = await open([{ ...MODERN, environment: { MODE: 'fast' } }]);
    delete process.env['SERVICE_SECRET'];
    const { output } = await call('mcp__new__environment');
    expect(output).toContain('"MODE":"fast"');
    expect(output).not.toContain('SERVICE_SECRET');
  });
});

describe('a server without a sandbox', () => {
  const script =
    'process.stderr.write([...process.argv.slice(1), process.env.ROOT, process.cwd(), ""].join("\\n"))';
  const args = [
    '-e',
    script,
    '--',
    '/workspace/src',
    '--root=/workspace',
    '/workspaces',
    'x/workspace',
  ];

  it.each([
    ['finds the workspace at its true path, where its settings name /workspace', true, /\/tree$/],
    ['finds an empty directory there if files are closed', false, /\/shell\/program-one\/empty$/],
  ])('%s', async (_what, seesWorkspace, place) => {
    const server = { ...nodeServer('one', ...args), environment: { ROOT: '/workspace' } };
    const { untilLogged, logged } = await open([server], { seesWorkspace });
    await untilLogged('x/workspace');
    const lines = logged()
      .split('\n')
      .flatMap((line) => /"text":"(.*?)"/.exec(line)?.[1] ?? []);
    // It is started again: it may be an old server that ends when it is asked for its version.
    const [path = '', root, ...others] = lines.slice(0, 6);
    const workspace = path.replace(/\/src$/, '');
    expect(workspace).toMatch(place);
    expect([root, ...others]).toEqual([
      `--root=${workspace}`,
      '/workspaces',
      'x/workspace',
      workspace,
      workspace,
    ]);
  });
});

describe('the tools of a run', () => {
  const listed = (name: string, length: number) => ({
    name,
    description: 'x'.repeat(280),
    inputSchema: {
      type: 'object',
      properties: { [`p${'q'.repeat(50)}`]: { enum: ['y'.repeat(length)] } },
    },
  });

  it('are those that only look and the shorter ones, if all are too large for a request', () => {
    const names = Array.from({ length: 30 }, (_, at) => `t${at}`);
    const choose = (lengthOf: (at: number) => number) =>
      chooseServerTools(new Map([['one', names.map((name, at) => listed(name, lengthOf(at)))]]), {
        isWanted: () => true,
        isSafe: ({ tool }) => tool === 't29',
        redact: (text) => text,
      });
    const { tools, leftOut } = choose((at) => (at < 12 ? 290 : 200));
    const left = leftOut.map(({ tool }) => tool);
    expect(tools.map(({ tool }) => tool)).toEqual(names.filter((name) => !left.includes(name)));
    expect(tools.map(({ tool }) => tool)).toEqual(expect.arrayContaining(names.slice(12)));
    expect(left.length).toBeGreaterThan(0);
    expect(leftOut[0]?.why).toMatch(/those that only look and shorter ones come first/);
    const large = choose((at) => (at === 29 ? 290 : 200));
    expect(large.tools.map(({ tool }) => tool)).toContain('t29');
  });
});

describe('what a schema says of headers', () => {
  const property = (schema: object) => ({ type: 'object', properties: { a: schema } });
  it.each([
    ['none', property({ type: 'string' }), 'fine'],
    ['a header', property({ type: 'string', 'x-mcp-header': 'Region' }), 'fine'],
    ['one deep down', property(property({ type: 'integer', 'x-mcp-header': 'A' })), 'fine'],
    ['a property of that name', { properties: { 'x-mcp-header': { type: 'string' } } }, 'fine'],
    [
      'one in a list',
      property({ type: 'array', items: { type: 'string', 'x-mcp-header': 'A' } }),
      'where none may be',
    ],
    [
      'one in an alternative',
      property({ anyOf: [{ type: 'string', 'x-mcp-header': 'A' }] }),
      'where none may be',
    ],
    ['one of the whole', { type: 'object', 'x-mcp-header': 'A' }, 'where none may be'],
    ['a line break', property({ type: 'string', 'x-mcp-header': 'A\r\nB' }), 'without a name'],
    ['a number', property({ type: 'number', 'x-mcp-header': 'A' }), 'no simple value'],
  ])('%s', (_what, schema, fault) => {
    expect(headerFault(schema) ?? 'fine').toContain(fault);
  });

  it('ends with what is too deep', () => {
    let schema: object = { 'x-mcp-header': 'A' };
    for (let depth = 0; depth < 5_000; depth += 1) schema = { not: schema };
    expect(headerFault(schema)).toContain('nested');
  });
});

describe('headers of arguments', () => {
  it('are sent by a run that was resumed too, and again after the tools have changed', async () => {
    const server = await startModernServer();
    closing.push(server.close);
    const { described } = await open([remote(server.url)]);
    await opened?.close();
    const { call } = await open([remote(server.url)], { known: described });
    server.params.length = 0;
    expect((await call('mcp__new__move', { to: 'us west', note: 'x' })).output).toMatch(/\nmoved$/);
    expect(server.params).toEqual([{ 'mcp-param-region': 'us west' }]);
    server.rename('Place');
    expect((await call('mcp__new__move', { to: 'zürich' })).output).toMatch(/\nmoved$/);
    expect(server.params.at(-1)).toEqual({ 'mcp-param-place': '=?base64?esO8cmljaA==?=' });
  });
});

describe('a call that a crash interrupted', () => {
  it('is repeated if its tool only looks', async () => {
    const { call } = await open([{ ...MODERN, safe: ['add'] }]);
    const { output } = await call('mcp__new__add', { one: 1, other: 2 }, { isRepeat: true });
    expect(output).toContain(SUM);
  });

  it('is not repeated otherwise, and the model is told', async () => {
    const { call } = await open([MODERN]);
    const { output, ok } = await call('mcp__new__add', { one: 1, other: 2 }, { isRepeat: true });
    expect(output).toMatch(/interrupted, and it is unknown whether it took effect/);
    expect(ok).toBe(false);
  });
});

const askedIn = (effects: readonly Effect[] = []) => {
  const [question, asked] = effects;
  if (question?.type !== 'question' || asked?.type !== 'server_question')
    throw new Error('nobody is asked');
  return { text: question.text, call: asked.call };
};

describe('a question of a server', () => {
  const transports = [
    ['its pipes', async () => MODERN],
    [
      'HTTP',
      async () => {
        const server = await startModernServer();
        closing.push(server.close);
        return remote(server.url);
      },
    ],
  ] as const;

  it.each(transports)(
    'over %s is asked on the issue, and the answer makes the call again',
    async (_way, start) => {
      let pending: PendingQuestion | undefined;
      const { call } = await open([await start()], { pending: () => pending });
      const first = await call('mcp__new__deploy', { to: 'production' });
      expect(first).toMatchObject({
        halt: 'asked',
        output: expect.stringContaining('answer_mcp_question'),
      });
      const asked = askedIn(first.effects);
      expect(asked.text).toMatch(
        /The MCP server `new` asks this before `mcp__new__deploy` continues\. .*\n\n> Deploy to production\?\n>\n> - confirm \(boolean\): Really\?\n> - note \(string, optional\)/,
      );
      expect(JSON.stringify(first)).not.toContain(STATE);
      pending = { call: asked.call, isAnswered: false };
      const answers = { confirm: true };
      expect((await call('answer_mcp_question', { answers })).output).toMatch(
        /are invalid: nobody has answered/,
      );
      pending = { call: asked.call, isAnswered: true };
      expect((await call('answer_mcp_question', { answers: { confirm: 'yes' } })).output).toMatch(
        /do not fit the form of the question: confirm must be boolean/,
      );
      const done = await call('answer_mcp_question', { answers });
      expect(done.output).toContain(`deployed to production: {"confirm":true}, ${STATE}`);
    },
  );

  it('is asked by old servers too, and each of its questions once', async () => {
    let pending: PendingQuestion | undefined;
    const old = nodeServer('old', join(import.meta.dirname, 'hostile-server.js'), 'a question');
    const { call } = await open([old], { pending: () => pending });
    const { effects } = await call('mcp__old__good');
    pending = { call: askedIn(effects).call, isAnswered: true };
    const answers = { colour: 'blue' };
    const { output } = await call('answer_mcp_question', { answers });
    expect(output).toContain('{"action":"accept","content":{"colour":"blue"}}');
  });

  it('names all choices, however its form writes them', async () => {
    const script = join(import.meta.dirname, 'hostile-server.js');
    const { call } = await open([nodeServer('old', script, 'a question with choices')]);
    const { text } = askedIn((await call('mcp__old__good')).effects);
    expect(text).toContain('- hero (string, optional) One of: hero-1, hero-2\n');
    expect(text).toContain('- fish (array, optional) Any of: hero-1, hero-2\n');
    expect(text).toContain('- pets (array, optional) Any of: cat, dog\n');
  });

  it('proposes defaults, which count for what people leave open', async () => {
    let pending: PendingQuestion | undefined;
    const script = join(import.meta.dirname, 'hostile-server.js');
    const { call } = await open([nodeServer('old', script, 'a question with defaults')], {
      pending: () => pending,
    });
    const { effects } = await call('mcp__old__good');
    const asked = askedIn(effects);
    expect(asked.text).toContain(
      '- colour (string) One of: red, blue Unless you say otherwise: blue\n',
    );
    pending = { call: asked.call, isAnswered: true };
    const { output } = await call('answer_mcp_question', { answers: { count: 3 } });
    expect(output).toContain(
      '{"action":"accept","content":{"colour":"blue","pets":["cat"],"sure":false,"count":3}}',
    );
  });

  it('is not asked without end', async () => {
    let pending: PendingQuestion | undefined;
    const script = join(import.meta.dirname, 'hostile-server.js');
    const server = nodeServer('old', script, 'a question that changes');
    const { call } = await open([server], { pending: () => pending });
    let { effects, output } = await call('mcp__old__good');
    for (let asked = 0; asked < 5; asked += 1) {
      pending = { call: askedIn(effects).call, isAnswered: true };
      ({ effects, output } = await call('answer_mcp_question', { answers: {} }));
    }
    expect(effects ?? []).toEqual([]);
    expect(output).toMatch(/wanted to ask people, but it asked more than 5 questions/);
  });

  it('is declined if people do not want to answer, or nobody did', async () => {
    let pending: PendingQuestion | undefined;
    const { call } = await open([MODERN], { pending: () => pending });
    const { effects } = await call('mcp__new__deploy', { to: 'production' });
    pending = { call: askedIn(effects).call, isAnswered: false };
    expect((await call('answer_mcp_question', { decline: true })).output).toMatch(
      /\nnot deployed$/,
    );
  });

  it('is none until a server asks', async () => {
    const { call } = await open([MODERN]);
    expect((await call('answer_mcp_question', {})).output).toMatch(/no MCP server waits/);
  });
});
