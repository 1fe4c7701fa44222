// docs/prompts.md: what a model is told, made by the code that tells it.
import { checksToFix, inputMessage } from '../../../src/agent/prompts/input.ts';
import * as items from '../../../src/agent/prompts/item.ts';
import { plannedWork } from '../../../src/agent/prompts/planned-work.ts';
import * as notices from '../../../src/agent/prompts/notices.ts';
import * as replies from '../../../src/agent/prompts/replies.ts';
import * as requests from '../../../src/agent/prompts/separate-requests.ts';
import {
  languageSection,
  repositorySection,
  skillsSection,
  systemPrompt,
  underHeading,
} from '../../../src/agent/prompts/system.ts';
import { protocolNamed } from '../../../src/agent/protocols/index.ts';
import { isForSplit } from '../../../src/app/run/plan/offered-tools.ts';
import type { ShownIssue } from '../../../src/contracts/shown-text.ts';
import type { ProtocolName } from '../../../src/contracts/entries.ts';
import type { Tool, WorkKind } from '../../../src/contracts/tool.ts';
import { chooseTools } from '../../../src/tools/choose-tools.ts';
import { bind, type Ports } from '../../../src/tools/define-tool.ts';
import { TOOLS } from '../../../src/tools/index.ts';
import { Journal } from '../journal.ts';
import { table } from './markdown-table.ts';

export const PROMPTS_DOCUMENT = 'docs/prompts.md';

const HEAD = `# What a model is told

Everything that a model reads of ours, as the code says it: \`npm run docs\` writes this page. The session page shows what was sent
in a session. \`…\` stands for what differs from run to run, and \`example/shop\` is an example.

The rest is what people wrote, what is in the repository, and what tools answer ([the tools](tools.md)).

## Sizes

What each request begins with, without the repository's instructions and what people ask for. Providers cache it. Tokens are
characters / 4.4: o200k, which OpenAI's models count by, made 340 tokens of 1,495 characters of the system prompt, and 1,154 of 5,182 of
the tools. What a run adds to the description of commands, such as the shell, is not in the table.`;

interface Variant {
  readonly title: string;
  readonly kind: WorkKind;
  readonly hasCommands: boolean;
  readonly parts: object;
}

const FORK = 'example/fork';
const VARIANTS: readonly Variant[] = [
  { title: 'An issue', kind: 'issues', hasCommands: true, parts: {} },
  { title: 'An issue, without commands', kind: 'issues', hasCommands: false, parts: {} },
  { title: 'Sub-issues of an issue', kind: 'splits', hasCommands: false, parts: { isSplit: true } },
  { title: 'A folder', kind: 'folders', hasCommands: true, parts: { isFolder: true } },
  {
    title: "Someone's pull request",
    kind: 'pull requests of others',
    hasCommands: true,
    parts: { adopted: {} },
  },
  {
    title: 'A pull request from a fork',
    kind: 'pull requests of others',
    hasCommands: false,
    parts: { adopted: { fork: FORK } },
  },
];

const ALL: readonly Tool[] = TOOLS.map(({ adds: _adds, ...tool }) => bind(tool, {} as Ports));

function toolsOf({ kind, hasCommands }: Variant): readonly Tool[] {
  const choice = chooseTools(TOOLS, new Map(), { allowsDangerous: hasCommands });
  const chosen = 'names' in choice ? choice.names : new Set<string>();
  const usual = new Set(
    TOOLS.filter(
      (tool) =>
        chosen.has(tool.name) &&
        (tool.worksOn ?? [kind]).includes(kind) &&
        (kind !== 'splits' || isForSplit(tool)),
    ).map(({ name }) => name),
  );
  return ALL.filter(({ name }) => usual.has(name)).map((tool) => ({
    ...tool,
    description: tool.descriptions?.[kind] ?? tool.description,
  }));
}

const promptOf = (variant: Variant, protocol: ProtocolName, tools = toolsOf(variant)): string =>
  systemPrompt({
    ...variant.parts,
    protocol: protocolNamed(protocol),
    tools,
    repository: 'example/shop',
    guidance: '',
  });

const tokens = (characters: number): string => String(Math.round(characters / 4.4));

function sizes(): string {
  const rows = VARIANTS.flatMap((variant) =>
    (['native', 'json', 'react'] as const).map((protocol) => {
      const system = promptOf(variant, protocol).length;
      const specs = protocolNamed(protocol).specs(toolsOf(variant));
      const sent = specs.length === 0 ? 0 : JSON.stringify(specs).length;
      const counts = [system, sent, system + sent].map(String);
      return [variant.title, protocol, ...counts, tokens(system + sent)];
    }),
  );
  return table(['run', 'protocol', 'system', 'tools', 'characters', 'tokens'], rows);
}

/** The whole document, in Markdown. */
export function promptsDocument(): string {
  const [issue] = VARIANTS;
  if (issue === undefined) throw new Error('there are no variants');
  const chapters = [
    HEAD,
    sizes(),
    '## System prompts',
    'The last part is that of the protocol: `native`, the tool calling of the provider.',
    ...VARIANTS.flatMap((variant) => [`### ${variant.title}`, shown(promptOf(variant, 'native'))]),
    '### An answer, without tools',
    shown(promptOf(issue, 'none', [])),
    '## Other protocols',
    'Where the provider has no tool calling, they take the place of `# Calls`. Here with one tool; the others follow in the same form.',
    ...(['json', 'react'] as const).flatMap((name) => [
      `### ${name}`,
      shown(
        protocolNamed(name).instructions(toolsOf(issue).filter((tool) => tool.name === 'commit')),
      ),
    ]),
    '## What a repository adds',
    shown(repositorySection([underHeading('AGENTS.md', '…')])),
    shown(skillsSection([{ name: '…', description: '…' }])),
    shown(languageSection('…')),
    '## Tools',
    'With the schema of their arguments.',
    ...ALL.flatMap(toolChapter),
    ...messages(),
  ];
  return `${chapters.join('\n\n').trimEnd()}\n`;
}

function toolChapter(tool: Tool): string[] {
  const { name, description, parameters } = replies.toolSpec(tool);
  const elsewhere = Object.entries(tool.descriptions ?? {}).map(
    ([kind, words]) => `For ${kind}: ${words}`,
  );
  const text = [description, ...elsewhere, JSON.stringify(parameters)].join('\n');
  return [`### ${name}`, shown(text)];
}

function messages(): string[] {
  const journal = new Journal().start('Long durations are hard to read', 'Show them in days.');
  const asked = inputMessage(journal.session).text;
  const files = '    ./: README.md, package.json\n    src/: duration.js';
  return [
    '## Messages',
    'What people wrote is quoted, under a heading of ours. The first message of a session:',
    shown(notices.withFileList(asked, files)),
    'Below the text of a typed sub-issue:',
    shown(plannedWork(7, SUB_ISSUE).join('\n\n')),
    'Checks that failed:',
    shown(checksToFix(FAILED)),
    ...chapter('Headings and images', items, ITEMS),
    ...chapter('Notices', notices, NOTICES),
    ...chapter(
      'Results that the service writes, and replies that cannot be used',
      replies,
      REPLIES,
    ),
    ...chapter('Summary of a long conversation, and review of a change', requests, REQUESTS),
  ];
}

const SUB_ISSUE: ShownIssue = {
  title: '',
  body: '',
  digest: '',
  type: 'Feature',
  fields: [{ name: 'Priority', value: 'High' }],
  parent: {
    number: 3,
    title: 'Durations for people',
    body: '…',
    by: { login: 'ben', mayRequest: false },
    others: [{ number: 6, title: 'Parse durations', isOpen: false }],
    leftOut: 1,
  },
};

const FAILED = {
  due: 1,
  last: {
    sha: '0123456789abcdef',
    result: {
      kind: 'failed',
      more: 0,
      failures: [
        {
          source: 'check',
          name: 'test',
          conclusion: 'failure',
          url: null,
          summary: '…',
          annotations: [],
          log: '…',
        },
      ],
    },
  },
} as unknown as Parameters<typeof checksToFix>[0];

/** How a function is called for the document; `undefined`: it makes no text of its own. */
type Samples<Module> = {
  readonly [
    Name in keyof Module as Module[Name] extends (...args: never) => unknown ? Name : never
  ]?: (() => string) | undefined;
};

const ABOUT = { number: 12, author: 'ann', branch: 'days', baseBranch: 'main' };

const ITEMS: Samples<typeof items> = {
  pullRequestHeading: () => items.pullRequestHeading({ ...ABOUT, fork: FORK }, 'ben'),
  notSent: () => items.notSent([{ number: 1, id: '', type: 'image/png', bytes: 1 } as never]),
};

const NOTICES: Samples<typeof notices> = {
  wrapUp: () => notices.wrapUp({ name: '50 model replies per run', percent: 80 }),
  threadResolved: () => notices.threadResolved(1),
  testCommandNotice: () => notices.testCommandNotice('npm test', undefined),
  duplicatesNotice: () => notices.duplicatesNotice('…'),
  basedOnNotice: () => notices.basedOnNotice(12),
  sparseNotice: () => notices.sparseNotice(['docs']),
  continuedNotice: () => notices.continuedNotice(12),
  pullRequestTemplate: () => notices.pullRequestTemplate('.github/pull_request_template.md', '…'),
  folderInstructions: () => notices.folderInstructions('src', 'src/AGENTS.md'),
  notAFile: () => notices.notAFile('AGENTS.md'),
  noRoomFor: () => notices.noRoomFor('AGENTS.md'),
  cutAfter: () => notices.cutAfter('AGENTS.md', 8_000, 20_000),
  conflictTask: () =>
    notices.conflictTask(
      {
        theirs: '0123456789abcdef',
        branch: 'main',
        result: 'conflicts',
        paths: ['src/duration.js'],
        messages: ['…'],
        conflicts: [
          {
            path: 'src/duration.js',
            ours: { did: 'changed', hunks: '…', commits: [] },
            theirs: { did: 'deleted', hunks: '', commits: [] },
            hasMarkers: false,
            isSubmodule: false,
          },
        ],
      },
      'your branch',
    ),
  failedTestsTask: () => notices.failedTestsTask('main', '…', 'your branch'),
  mergeNotTested: () =>
    (['failed', 'partial', 'outdated'] as const)
      .map((why) => notices.mergeNotTested(why))
      .join('\n'),
  pullRequestContents: () =>
    notices.pullRequestContents(ABOUT, [{ sha: '0123456789', author: 'ann', message: '…' }], '…'),
};

const REPLIES: Samples<typeof replies> = {
  leftOpen: () => [true, false].map((wasStarted) => replies.leftOpen(wasStarted)).join('\n'),
  notRunWith: () => replies.notRunWith('…'),
  unknownTool: () => replies.unknownTool('…', ['read_file', '…']),
  invalidArguments: () => replies.invalidArguments('read_file', '…'),
  unknownArgument: () => replies.unknownArgument('read_file', '…', ['path', '…']),
  givenTwice: () => replies.givenTwice('read_file', 'path'),
  unanswered: () => replies.unanswered(['octocat']),
  notBeforeApproval: () => replies.notBeforeApproval('edit_file'),
  couldNotEnd: () => replies.couldNotEnd('…'),
  tooManyCalls: () => replies.tooManyCalls(40, 32),
  badArguments: () => replies.badArguments(0, 'noObject'),
  badItem: () => replies.badItem(0, 'noName'),
  unreadableJson: () => replies.unreadableJson('line 3, column 7', '…'),
};

const REQUESTS: Samples<typeof requests> = {
  changeText: () =>
    requests.changeText(
      { requested: '…', summary: '…', tests: '…' },
      { diff: '…', onTop: '…', isSeen: true },
    ),
  beforeSubmitting: () =>
    requests.beforeSubmitting([{ path: 'src/duration.js', line: 12, text: '…' }]),
  summaryMessage: () => [null, '…'].map((text) => requests.summaryMessage(text)).join('\n\n'),
  transcript: () =>
    requests.transcript(
      [
        { role: 'user', text: '…' },
        {
          role: 'assistant',
          text: '…',
          calls: [{ tool: 'read_file', arguments: {} }],
          native: null,
        },
        { role: 'results', results: [{ id: '', tool: 'read_file', ok: true, output: '…' }] },
      ],
      1_000,
    ),
};

/** Every text that a module of prompts exports, in its order. What has no sample is not shown: it makes no text of its own. */
function chapter(
  title: string,
  module: object,
  samples: Readonly<Record<string, (() => string) | undefined>>,
): string[] {
  return [`## ${title}`, ...Object.entries(module).flatMap(([name, value]) => entry(name, value))];

  function entry(name: string, value: unknown): string[] {
    const text = textOf(value, samples[name]);
    return text === undefined ? [] : [`\`${name}\``, shown(text)];
  }
}

function textOf(value: unknown, sample: (() => string) | undefined): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'function') return sample?.();
  const lines = Object.entries(value as object).map(([name, one]: [string, unknown]) =>
    typeof one === 'function' ? `${name}: ${String(one('…'))}` : `${name}: ${String(one)}`,
  );
  return lines.join('\n');
}

const shown = (text: string): string => `\`\`\`\`text\n${text}\n\`\`\`\``;
