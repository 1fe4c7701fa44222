// docs/tools.md, from what the tools say of themselves.
import { z } from 'zod';
import { TOOLS, type ListedTool } from '../../src/tools/index.ts';
import { codes, kindOf, table, type Row, type Schema } from './markdown-table.ts';

export const TOOLS_DOCUMENT = 'docs/tools.md';

const HEAD = `# The tools

What the agent can do in a run, and all that it can do: a model works by calling these tools, and each
call stands on the session page with its result. Written by \`npm run docs\` from what the tools say
of themselves.

Every tool keeps to the repository of the session, and the file tools to the files in its clone
([security.md](security.md)). A call that cannot be done is answered with the reason, so that the model
can mend it.

## Which tools a run has

- **always**: no run can work without them.
- **default**: unless the repository takes them away. A small set costs less in every request and is
  easier for a model to choose from.
- **on request**: only where the repository asks for them.

A repository says so in \`.github/issuewright.yml\`, on its default branch:

\`\`\`yaml
tools:
  git_diff: true              # adds a tool
  create_pull_request: false  # takes one away
\`\`\`

For the model, a tool that a run does not have does not exist. A name that no tool has is answered on the
issue. Taking a tool away takes away one way to work, not a permission: \`finish\` commits what is left and
opens the pull request all the same.

A tool is **safe**, or it is **dangerous**: then it exists only where the operator
[allows it](configuration.md#commands), whatever the repository says. Where the repository closes files
(\`paths.deny\`), it has to ask for dangerous tools by name too: a command can read every file.

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

const overview = (tools: readonly ListedTool[]): string =>
  table(
    ['tool', 'what it does', 'in a run'],
    tools.map(({ name, description, offer, safety }) => [
      `[\`${name}\`](#${name})`,
      plain(description),
      safety === 'safe' ? offer : `${offer}, where [allowed](configuration.md#commands)`,
    ]),
  );

function chapter(tool: ListedTool): string {
  const { name, aliases, description, safety, offer, example } = tool;
  const others = aliases.length === 0 ? [] : [`also called ${codes(aliases)}`];
  return [
    `### ${name}`,
    plain(description),
    [`**${offer}**`, safety, ...others].join(' · '),
    argumentTable(tool),
    `\`\`\`json\n${JSON.stringify(example, null, 2)}\n\`\`\``,
    `On the session page: “${tool.title(tool.arguments.parse(example))}”`,
  ].join('\n\n');
}

function argumentTable(tool: ListedTool): string {
  const schema = z.toJSONSchema(tool.arguments, { io: 'input' }) as Schema;
  const rows = rowsOf(schema, '', tool.argumentAliases ?? {});
  return rows.length === 0 ? 'No arguments.' : table(['argument', 'kind', 'what it is'], rows);
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

const optional = ({ default: value }: Schema): string =>
  value === undefined || value === '' ? 'Optional' : `\`${JSON.stringify(value)}\` where not given`;

/** As text, whatever signs of Markdown stand in it. */
const plain = (text: string): string => text.replaceAll(/[*<`]/g, String.raw`\$&`);

const titled = (area: string): string => area.charAt(0).toUpperCase() + area.slice(1);
