import {
  replayJournal,
  type ReplayDifference,
  type ReplayResult,
} from '../../app/replay/replay.ts';
import { askOtherModel, type ReplyComparison } from '../../app/replay/other-model.ts';
import { readModel } from '../../config.ts';
import { escapeUnseen } from '../../lib/text/invisible.ts';
import { cutCharacters } from '../../lib/text/text.ts';
import { openModel } from '../../models/index.ts';
import type { Entry } from '../../session/entry.ts';
import { cost, plural, tokens } from '../../session/texts/format.ts';
import type { CommandContext } from '../command.ts';
import { findNamedSession, onDatabase } from './find-session.ts';

/** Resolves with the exit code: 1 if the replay differs. */
export async function replaySession(context: CommandContext): Promise<number> {
  const { environment, options } = context;
  const { id, entries } = await onDatabase(environment, async (service) => {
    const row = await findNamedSession(service, context.arguments[0] ?? '');
    return { id: row.id, entries: await service.sessions.journal(row.id) };
  });
  if (typeof options['model'] === 'string') return compareModel(context, options['model'], entries);
  const replayed = await replayJournal(id, entries);
  const { runs, compared, differences } = replayed;
  const isSame = differences.length === 0;
  if (options['json'] === true) {
    const result = { session: id, same: isSame, runs, compared, differences };
    context.print(escapeUnseen(JSON.stringify(result, undefined, 2)));
  } else context.print(reportOf(id, replayed));
  return isSame ? 0 : 1;
}

function reportOf(id: string, { runs, compared, differences }: ReplayResult): string {
  const what = `${plural(compared, 'step')} of ${plural(runs, 'run')} of session ${id}`;
  if (differences.length === 0) return `Replayed ${what}: all are the same.`;
  const shown = differences.slice(0, MOST_SHOWN).map(differenceText);
  const more = differences.length - shown.length;
  return [
    ...shown,
    ...(more === 0 ? [] : [`… and ${more} more (--json has all).`]),
    '',
    `Replayed ${what}: ${plural(differences.length, 'difference')}.`,
  ].join('\n');
}

const MOST_SHOWN = 20;
const MOST_CHARACTERS = 500;

const differenceText = ({ seq, type, field, recorded, replayed }: ReplayDifference): string =>
  [
    `Entry ${seq}, ${type}${field === undefined ? '' : `: ${field}`}`,
    `  recorded: ${brief(recorded)}`,
    `  replayed: ${brief(replayed)}`,
  ].join('\n');

const brief = (value: unknown): string =>
  value === undefined
    ? 'nothing'
    : escapeUnseen(cutCharacters(JSON.stringify(value), MOST_CHARACTERS, '…'));

/** Models that reply at length are rare, and rates are by token. */
const OUTPUT_TOKENS = 32_000;

/** It costs what the model costs; differences are what is looked for, and no failure. */
async function compareModel(
  { environment, options, print }: CommandContext,
  name: string,
  entries: readonly Entry[],
): Promise<number> {
  const { settings, catalog } = readModel(environment, name);
  const model = await openModel(name, settings, catalog);
  const asked = { from: Number(options['from'] ?? 1), most: Number(options['turns'] ?? Infinity) };
  const all: ReplyComparison[] = [];
  for await (const one of askOtherModel(model, entries, {
    ...asked,
    outputTokens: OUTPUT_TOKENS,
  })) {
    all.push(one);
    if (options['json'] === true) print(escapeUnseen(JSON.stringify(one)));
    else print(comparedText(name, one));
  }
  if (options['json'] !== true) print(summaryOf(name, all));
  return 0;
}

function comparedText(name: string, { turn, recorded, other, isSame }: ReplyComparison): string {
  if (isSame) return `Turn ${turn}: the same. ${recordedWords(recorded)}`;
  return [
    `Turn ${turn} differs.`,
    `  recorded: ${recordedWords(recorded)}`,
    `  ${escapeUnseen(name)}: ${recordedWords(other)}`,
  ].join('\n');
}

function recordedWords({ calls, answer, fault }: ReplyComparison['recorded']): string {
  if (answer !== null) return `answer ${brief(answer)}`;
  if (fault !== null) return `unreadable: ${brief(fault)}`;
  return calls
    .map(({ tool, arguments: args }) => `${escapeUnseen(tool)} ${brief(args)}`)
    .join(' · ');
}

function summaryOf(name: string, all: readonly ReplyComparison[]): string {
  const same = all.filter(({ isSame }) => isSame).length;
  const sum = (of: (one: ReplyComparison) => number): number =>
    all.reduce((total, one) => total + of(one), 0);
  const spent = {
    dollars: sum((one) => one.cost ?? 0),
    isPartial: all.some((one) => one.cost === null),
  };
  const used = `${tokens(sum(({ usage }) => usage.input + usage.output))} tokens, ${cost(spent)}`;
  return `${escapeUnseen(name)} replied the same in ${same} of ${plural(all.length, 'turn')}: ${used}.`;
}
