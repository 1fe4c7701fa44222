// The timeline for a terminal: the same words as on the page, entry after entry, as they come.
import { html, type Html } from '../../lib/text/html.ts';
import type { Entry } from '../../session/entry.ts';
import { entryAt } from '../../session/kept-entries.ts';
import type { Session } from '../../session/session.ts';
import { indexJournal, type JournalIndex } from './journal-index.ts';
import { item } from './layout.ts';
import { linksOf } from './links.ts';
import { lineComments } from './message.ts';
import { callOf, replyWords } from './reply.ts';
import { itemOf } from './story.ts';
import { asText, type Look } from './as-text.ts';
import type { Renderings } from './value.ts';

/** A whole journal up to some entry. */
interface Journal {
  readonly session: Session;
  readonly entries: readonly Entry[];
}

/** The text of the entries after `after`, each on lines of its own. Entries without words are left out. */
export function storyText(
  { session, entries }: Journal,
  after: number,
  renderings: Renderings,
  look: Look,
): readonly string[] {
  const part = { session, entries, marks: entries, repliesBefore: 0 };
  const index = indexJournal(part, linksOf('', session, ''));
  return entries
    .filter(({ seq }) => seq > after)
    .map((entry) => shown(entry, entries, index, renderings))
    .filter((one) => one !== undefined)
    .map((one) => asText(one, look));
}

/** A page shows what comes later within what came before; a terminal shows it when it comes. */
function shown(
  entry: Entry,
  entries: readonly Entry[],
  index: JournalIndex,
  renderings: Renderings,
): Html | undefined {
  if (entry.type === 'admitted')
    return entry.lineComments.length === 0
      ? undefined
      : item(entry, '', html`${lineComments(entry.seq, entry.lineComments)}`);
  if (entry.type === 'reply') return item(entry, 'from-model', replyWords(entry, index));
  if (entry.type !== 'call_finished') return itemOf(entry, index, renderings);
  const reply = entryAt(entries, entry.reply);
  return reply?.type === 'reply'
    ? item(entry, '', callOf(reply, entry.index, index, renderings))
    : undefined;
}
