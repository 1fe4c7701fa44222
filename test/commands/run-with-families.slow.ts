// `issuewright run`, the shipped program, with a stub server of every family, in ten situations each.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { PlayedModel } from '../../packages/local-github/src/model/played-model.ts';
import { ScriptedModel } from '../../packages/local-github/src/model/scripted-model.ts';
import { Script } from '../../packages/local-github/src/model/script.ts';
import { FAULTS } from '../../src/agent/prompts/replies.ts';
import { FAMILIES } from '../models/families.ts';
import type { Family } from '../models/family-shapes.ts';
import { FamilyServer, type FamilyTrouble } from '../models/family-server.ts';
import { nativeGit } from '../support/git-server.ts';
import { runProgram } from '../support/run-program.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { ask, ByHandScene, call, finish, say, write } from './by-hand-scene.ts';

let server: FamilyServer | undefined;
let scene: ByHandScene | undefined;
afterEach(async () => {
  await server?.close();
  await scene?.close();
  server = undefined;
  scene = undefined;
});

const WRITE = write('hi.txt', 'hi\n');
const LINE = 'A line of a file that is long enough to fill a small window.\n';
const LONG = LINE.repeat(500);
/** Characters that a server takes: no more than three of the files. */
const MOST = 90_000;
const FILES = ['one.txt', 'two.txt', 'three.txt', 'four.txt'];

function newFolder(files: readonly string[]): string {
  const folder = path.join(temporaryDirectory(), 'greetings');
  mkdirSync(folder);
  nativeGit(folder, 'init', '-q', '-b', 'main');
  writeFileSync(path.join(folder, 'readme.md'), 'Hello\n');
  for (const file of files) writeFileSync(path.join(folder, file), LONG);
  nativeGit(folder, 'add', '.');
  nativeGit(folder, 'commit', '-q', '-m', 'Begin');
  return folder;
}

const scripted = (script: Script): ScriptedModel => new ScriptedModel([Script.parse(script)]);

/** What all runs have, and prices, so that what a run costs is known. */
function environmentFor(families: readonly Family[], url: string): Record<string, string> {
  const file = path.join(temporaryDirectory(), 'prices.json');
  const price = { input: 10, output: 10 };
  const models = Object.fromEntries(families.map(({ model }) => [model, { price }]));
  writeFileSync(file, JSON.stringify({ models }));
  const variables = families.map((one) => one.variables(url));
  return Object.assign(
    {
      PATH: process.env['PATH'] ?? '',
      MODEL: families.map(({ model }) => model).join(','),
      MODEL_CATALOG: file,
      SELF_REVIEW: 'false',
    },
    ...variables,
  ) as Record<string, string>;
}

interface Situation {
  readonly script: Script;
  readonly trouble?: FamilyTrouble;
  readonly files?: readonly string[];
  readonly expected: object;
  /** What the branch has at the end; nothing if it was not made. */
  readonly made?: Readonly<Record<string, string>>;
  readonly check?: (bodies: string, family: Family, dollars: unknown) => void;
}

const DONE = { outcome: 'done', summary: expect.stringContaining('Add a greeting') };
const MADE = { 'hi.txt': 'hi' };

const SITUATIONS: Readonly<Record<string, Situation>> = {
  text: {
    script: { turns: [{ raw: 'The readme has a greeting already.' }] },
    expected: { outcome: 'nothing_to_do', summary: 'The readme has a greeting already.' },
  },
  call: { script: { turns: [say(WRITE), say(finish)] }, expected: DONE, made: MADE },
  'parallel calls': {
    script: { turns: [say(WRITE, write('ho.txt', 'ho\n')), say(finish)] },
    expected: DONE,
    made: { ...MADE, 'ho.txt': 'ho' },
  },
  question: {
    script: { turns: [say(ask), say(WRITE, finish)] },
    expected: DONE,
    made: MADE,
    check: (bodies) => expect(bodies).toContain('# What the person says'),
  },
  'a cut reply': {
    script: { turns: [{ ...say(WRITE), cut: true }, say(WRITE), say(finish)] },
    expected: DONE,
    made: MADE,
    check: (bodies) => expect(bodies).toContain(FAULTS.cut),
  },
  'a conversation that is too long': {
    script: {
      summary: 'The files have the same line again and again.',
      turns: [
        ...FILES.map((file) => say(call('read_file', { path: file }))),
        say(WRITE),
        say(finish),
      ],
    },
    trouble: { mostCharacters: MOST },
    files: FILES,
    expected: DONE,
    made: MADE,
    check: (_bodies, { name }) => {
      const requests = server?.requests ?? [];
      const tooLong = requests.filter(({ body }) => JSON.stringify(body).length > MOST);
      // The window of Ollama is a setting, and vLLM says its own at the first request. Unknown words cost two requests.
      const isKnown = ['Ollama', 'vLLM'].includes(name);
      expect(tooLong.length).toBeGreaterThanOrEqual(isKnown ? 0 : 1);
      expect(tooLong.length).toBeLessThanOrEqual(isKnown ? 0 : 2);
    },
  },
  'tokens that are not counted': {
    script: { turns: [say(WRITE), say(finish)] },
    trouble: { isUncounted: true },
    expected: { ...DONE, isPartial: false },
    made: MADE,
    // Two requests of some 3,000 tokens, at 10 dollars a million.
    check: (_bodies, _family, dollars) => expect(dollars).toBeGreaterThan(0.03),
  },
  'a server without tool calls': {
    script: { turns: [say(WRITE), say(finish)] },
    trouble: {
      rejects: ({ tools = [] }, { wire, model }) =>
        tools.length > 0 ? wire.errors.toolsUnsupported(model) : undefined,
    },
    expected: DONE,
    made: MADE,
  },
  'a model that the server does not know': {
    script: { turns: [say(finish)] },
    trouble: { rejects: () => ({ status: 404, message: 'There is no such model.' }) },
    expected: {
      code: 1,
      outcome: 'failed',
      why: expect.stringMatching(
        /Check MODEL and \w+_BASE_URL\.|Run `ollama pull stub-ollama` there\./,
      ),
    },
  },
};

/** What `--json` prints. */
interface Printed {
  readonly reason?: string;
  readonly dollars?: number | null;
}

const rows = Object.entries(SITUATIONS).flatMap(([name, situation]) =>
  FAMILIES.map((family) => ({ name, situation, family })),
);

describe('issuewright run', () => {
  it.each(rows)('ends well: $name, with $family.name', async ({ situation, family }) => {
    const { script, trouble, files = [], expected, made = {}, check } = situation;
    server = await FamilyServer.open([family], scripted(script), trouble);
    const folder = newFolder(files);
    const environment = environmentFor([family], server.url);
    const words = ['run', '--yes', '--json', 'Add a greeting'];
    const { code, stdout, stderr } = await runProgram(words, { directory: folder, environment });
    const { reason, dollars, ...ended } = JSON.parse(stdout || '{}') as Printed;
    expect({ code, why: reason ?? stderr, ...ended }).toMatchObject({
      code: 0,
      why: expect.any(String),
      ...expected,
    });
    for (const [file, text] of Object.entries(made))
      expect(nativeGit(folder, 'show', `issuewright/add-a-greeting:${file}`)).toBe(text);
    const bodies = server.requests.map(({ body }) => JSON.stringify(body)).join('\n');
    check?.(bodies, family, dollars);
  });
});

/** The family before this one that can be set up together with it. */
function before(family: Family): Family {
  const at = FAMILIES.indexOf(family);
  const others = [...FAMILIES.slice(0, at).toReversed(), ...FAMILIES.slice(at + 1).toReversed()];
  const provider = ({ model }: Family): string => model.replace(/:.*/s, '');
  return others.find((one) => provider(one) !== provider(family) || one.wire === family.wire)!;
}

const pairs = FAMILIES.map((to) => ({ from: before(to), to }));

describe('issuewright run on an issue', () => {
  it.each(pairs)('continues with $to.name what $from.name began', async ({ from, to }) => {
    const settings = '.github/issuewright.yml';
    const opened = await ByHandScene.open({
      'readme.md': 'Hello\n',
      [settings]: `model: ${from.model}\n`,
    });
    scene = opened;
    const script = scripted({
      turns: [say(call('read_file', { path: 'readme.md' })), say(ask), say(WRITE), say(finish)],
    });
    // The repository chooses another model while the first one asks its question.
    const switching: PlayedModel = {
      close: () => script.close(),
      answer: async (wire, where, body) => {
        if (server?.requests.filter(({ isAnswered }) => isAnswered).length === 1)
          await opened.write(settings, `model: ${to.model}\n`);
        return script.answer(wire, where, body);
      },
    };
    server = await FamilyServer.open([from, to], switching);
    const { code, stdout, stderr } = await scene.runWith(
      ['--yes', '--json', scene.urlOf(scene.openIssue())],
      { ...environmentFor([from, to], server.url), ...scene.access },
    );
    const { reason, outcome } = JSON.parse(stdout || '{}') as Record<string, unknown>;
    expect([code, outcome, reason ?? stderr]).toEqual([0, 'done', expect.any(String)]);
    const answered = server.requests.filter(({ isAnswered }) => isAnswered);
    expect(answered.map(({ family }) => family)).toEqual(
      [from, from, to, to].map(({ name }) => name),
    );
    expect(scene.pulls).toHaveLength(1);
  });
});
