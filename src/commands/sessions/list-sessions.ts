import stringWidth from 'string-width';
import { sharedTime } from '../../lib/clock.ts';
import { escapeUnseen } from '../../lib/text/invisible.ts';
import { age, dollars } from '../../session/texts/format.ts';
import type { Cost } from '../../session/parts/session-counts.ts';
import type { SessionQuery, SessionRow } from '../../store/store.ts';
import type { CommandContext } from '../command.ts';
import { onDatabase } from './find-session.ts';
import { STATE_WORDS, stateWord } from './state-words.ts';

export async function printSessions(context: CommandContext): Promise<number> {
  const { environment, options, print, terminal } = context;
  const found = await onDatabase(environment, async ({ sessions }) => {
    const within =
      typeof options['repo'] === 'string'
        ? await sessions.repositories(options['repo'])
        : undefined;
    return sessions.sessions({ ...queryOf(options), within });
  });
  if (options['json'] === true) print(escapeUnseen(JSON.stringify(found.map(plain), undefined, 2)));
  else if (found.length > 0) print(tableOf(found, sharedTime(), terminal.columns));
  // A script that counts lines gets none.
  else if (terminal.columns !== undefined) print('No such session.');
  return 0;
}

const stringOption = (given: unknown): string | undefined =>
  typeof given === 'string' ? given : undefined;

const USUAL_LIMIT = 50;

function queryOf(options: CommandContext['options']): SessionQuery {
  const [state] = [...STATE_WORDS].find(([, word]) => word === options['state']) ?? [];
  return {
    limit: Number(options['limit'] ?? USUAL_LIMIT),
    state,
    model: stringOption(options['model']),
    search: stringOption(options['search']),
  };
}

const plain = (row: SessionRow) => ({
  id: row.id,
  state: stateWord(row.state),
  outcome: row.outcome,
  repository: `${row.repository.owner}/${row.repository.name}`,
  issue: row.issue,
  pullRequest: row.pullRequest,
  title: row.title,
  model: row.model,
  cost: row.cost,
  createdAt: row.createdAt,
  updatedAt: row.updatedAt,
});

const HEAD = ['SESSION', 'STATE', 'ISSUE', 'AGE', 'COST', 'TITLE', 'OUTCOME'] as const;
/** On a terminal: what comes after it is to be seen too. */
const WIDEST_TITLE = 50;

/** In columns as wide as they need. `columns`: what a line may be wide; a terminal that does not know says 0. */
function tableOf(rows: readonly SessionRow[], now: Date, columns = 0): string {
  const mostTitle = columns > 0 ? WIDEST_TITLE : Infinity;
  const cells = [HEAD, ...rows.map((row) => cellsOf(row, now, mostTitle))];
  const widths = HEAD.slice(0, -1).map((_name, at) =>
    Math.max(...cells.map((line) => stringWidth(line[at] ?? ''))),
  );
  return cells
    .map((line) =>
      cut(
        line.map((cell, at) => padded(cell, widths[at] ?? 0)).join('  '),
        columns || Infinity,
      ).trimEnd(),
    )
    .join('\n');
}

const cellsOf = (row: SessionRow, now: Date, mostTitle: number): readonly string[] => [
  row.id,
  stateWord(row.state),
  `${row.repository.owner}/${row.repository.name}#${row.issue}`,
  age(now.getTime() - row.createdAt.getTime()),
  costOf(row.cost),
  cut(oneLine(row.title), mostTitle),
  oneLine(row.outcome),
];

/** `+`: some prices are not known. */
const costOf = ({ dollars: amount, isPartial }: Cost): string => {
  if (amount === 0) return isPartial ? '?' : '-';
  return `${dollars(amount).replace('less than ', '<')}${isPartial ? '+' : ''}`;
};

/** Whatever someone wrote stays on its line, and does nothing to a terminal. */
const oneLine = (text: string): string => escapeUnseen(text.replaceAll(/\s+/g, ' ').trim());

const padded = (text: string, width: number): string =>
  text + ' '.repeat(Math.max(0, width - stringWidth(text)));

const signs = new Intl.Segmenter();

function cut(text: string, columns: number): string {
  if (stringWidth(text) <= columns) return text;
  let kept = '';
  let width = 1;
  for (const { segment } of signs.segment(text)) {
    width += stringWidth(segment);
    if (width > columns) break;
    kept += segment;
  }
  return `${kept.trimEnd()}…`;
}
