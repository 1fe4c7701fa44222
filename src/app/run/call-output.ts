import type { CallPlace } from '../../contracts/entries.ts';
import type { JournalWriter } from '../service/journal-tracker.ts';

const EVERY_MS = 1_000;
/** Characters of one entry, and of all entries of a call. */
const MOST_AT_ONCE = 8_000;
const MOST = 64_000;
const FULL = '\n… (more output is not shown)\n';

/**
 * What a call puts out while it runs, for the session page: entries at most once a second, bounded. It
 * writes the journal beside the run, so the run has to wait for `settle` before it writes itself.
 */
export class CallOutput {
  readonly #journal: JournalWriter;
  readonly #redact: (text: string) => string;
  readonly #everyMs: number;
  #place: CallPlace | undefined;
  #pending = '';
  #left = MOST;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<unknown> = Promise.resolve();

  constructor(journal: JournalWriter, redact: (text: string) => string, everyMs = EVERY_MS) {
    this.#journal = journal;
    this.#redact = redact;
    this.#everyMs = everyMs;
  }

  /** Must not throw. */
  hear(place: CallPlace, text: string): void {
    this.#place = place;
    if (this.#left <= 0) return;
    this.#pending = shortened(this.#pending + text);
    this.#timer ??= setTimeout(() => this.#write(), this.#everyMs);
  }

  /**
   * The call has ended; output that was not written yet is in its result.
   * @throws what the journal threw
   */
  async settle(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#pending = '';
    this.#left = MOST;
    const writing = this.#writing;
    this.#writing = Promise.resolve();
    await writing;
  }

  #write(): void {
    this.#timer = undefined;
    const place = this.#place;
    const [text, rest] = wholeLines(this.#pending);
    this.#pending = rest;
    if (place === undefined || text === '') return;
    this.#left -= text.length;
    const shown = this.#redact(text) + (this.#left <= 0 ? FULL : '');
    const entry = { type: 'call_output', ...place, text: shown } as const;
    this.#writing = this.#writing.then(() => this.#journal.append(entry));
    // It is thrown by `settle`.
    this.#writing.catch(() => {});
  }
}

/** Half a line may be half a secret, which redaction would miss. A line that never ends is passed on in parts. */
function wholeLines(text: string): [lines: string, rest: string] {
  const end = text.lastIndexOf('\n') + 1;
  return end === 0 && text.length >= MOST_AT_ONCE / 2
    ? [text, '']
    : [text.slice(0, end), text.slice(end)];
}

function shortened(text: string): string {
  if (text.length <= MOST_AT_ONCE) return text;
  const end = text.slice(-MOST_AT_ONCE / 2);
  const tail = end.slice(end.indexOf('\n') + 1);
  return `… (${text.length - tail.length} characters left out)\n${tail}`.toWellFormed();
}
