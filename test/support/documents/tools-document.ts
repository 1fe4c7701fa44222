// docs/tools.md, from what the tools say of themselves.
import { z } from 'zod';
import { TOOLS, type DocumentedTool } from '../../../src/tools/index.ts';
import { codes, kindOf, table, type Row, type Schema } from './markdown-table.ts';

export const TOOLS_DOCUMENT = 'docs/tools.md';

const HEAD = `# The tools

A model works by calling these tools, and can do nothing else. The session page shows each call with its result.
\`npm run docs\` writes this page from the tools' own descriptions.

Every tool is limited to the session's repository, and the file tools to the files in its clone
([security.md](security.md)). If a call fails, the model is told why, so that it can correct it.

## Which tools a run has

- **always**: no run can work without them.
- **default**: unless the repository removes them. A small set makes every request cheaper, and a
  model chooses from it more easily.
- **on request**: only if the repository asks for them.
- **without a shell**: by default, unless a command of the model's can do the same: \`run_shell_command\` is there, and
  \`commands.allow\` does not limit it.
- **with skills**: by default, in repositories that have [skills](using.md#skills).
- **to split**: by default, in runs for \`/issuewright split\`. Removing it turns that command off.

Choose tools in \`.github/issuewright.yml\`, on the default branch:

\`\`\`yaml
tools:
  git_diff: true              # adds a tool
  create_pull_request: false  # removes one
\`\`\`

The other names of a tool, such as \`bash\` or \`git_commit\`, work here too. If a tool is named twice, \`false\` counts.

The model does not know the tools that a run does not have. Unknown tool names are reported on the
issue. Removing a tool removes one way to work, not a permission: \`finish\` still commits what is left and
opens the pull request.

A tool is either **safe** or **dangerous**. Dangerous tools need the operator's
[permission](configuration.md#commands), whatever the repository says. If the repository closes files
(\`paths.deny\`), it has to name dangerous tools too, because a command can read every file.

## At a glance
`;

/** The whole document, in Markdown. */
export function toolsDocument(): string {
  const tools = TOOLS;
  const areas = Map.groupBy(tools, ({ area }) => area);
  const chapters = [...areas].map(([area, members]) =>
    [`## ${titled(area)}`, ...members.map(chapter)].join('\n\n'),
  );
  return `${[HEAD, overview(tools), ...chapters.map((text) => `\n${text}`)].join('\n').trimEnd()}\n`;
}

const overview = (tools: readonly DocumentedTool[]): string =>
  table(
    ['tool', 'what it does', 'in a run'],
    tools.map(({ name, description, offer, safety }) => [
      `[\`${name}\`](#${name})`,
      plain(description),
      safety === 'safe' ? offer : `${offer}, if [allowed](configuration.md#commands)`,
    ]),
  );

const only = (kind: DocumentedTool['worksOn']): string[] =>
  kind === undefined ? [] : [`only for ${kind.join(' and ')}`];

function chapter(tool: DocumentedTool): string {
  const { name, aliases, description, safety, offer, example, worksOn } = tool;
  const others = aliases.length === 0 ? [] : [`also called ${codes(aliases)}`];
  return [
    `### ${name}`,
    plain(description),
    [`**${offer}**`, safety, ...only(worksOn), ...others].join(' · '),
    argumentTable(tool),
    `\`\`\`json\n${JSON.stringify(example, null, 2)}\n\`\`\``,
    `On the session page: “${tool.title(tool.arguments.parse(example))}”`,
  ].join('\n\n');
}

function argumentTable(tool: DocumentedTool): string {
  const schema = z.toJSONSchema(tool.arguments, { io: 'input' }) as Schema;
  const rows = rowsOf(schema, '', tool.argumentAliases ?? {});
  return rows.length === 0 ? 'No arguments.' : table(['argument', 'type', 'description'], rows);
}

/** A row for each argument, followed by those for what it holds. */
function rowsOf(schema: Schema, place: string, aliases: Readonly<Record<string, string>>): Row[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, argument]) => {
    const path = `${place}${name}`;
    const others = Object.keys(aliases).filter((alias) => aliases[alias] === name);
    const also = others.length === 0 ? '' : ` (also ${codes(others)})`;
    const isRequired = schema.required?.includes(name) ?? false;
    const words = [plain(argument.description ?? ''), isRequired ? '' : optional(argument)];
    const row = [
      `\`${path}\`${also}`,
      kindOf(argument),
      words.filter((part) => part !== '').join('. '),
    ];
    return [row, ...rowsOf(argument.items ?? {}, `${path}[].`, {})];
  });
}

const optional = ({ default: value, untold = false }: Schema): string =>
  untold
    ? 'Accepted, although models are not told of it'
    : value === undefined || value === ''
      ? 'Optional'
      : `\`${JSON.stringify(value)}\` by default`;

/** As text, whatever Markdown it contains. */
const plain = (text: string): string => text.replaceAll(/[*<`]/g, String.raw`\$&`);

const titled = (area: string): string => area.charAt(0).toUpperCase() + area.slice(1);
