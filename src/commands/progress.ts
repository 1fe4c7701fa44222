// What a session by hand does, line by line as it happens. On a terminal, the last line says what it does now.
import { escapeUnseen } from '../lib/text/invisible.ts';
import { cutCharacters } from '../lib/text/text.ts';
import type { Effect } from '../contracts/effect.ts';
import type { CallPlace } from '../contracts/entries.ts';
import { dollarsOf, isPriceUnknown } from '../session/kept-entries.ts';
import { cost, duration } from '../session/texts/format.ts';
import type { Entry, EntryOf } from '../session/entry.ts';
import { callName, exitWords } from '../session/texts/runs.ts';
import type { Terminal } from './command.ts';

type Output = Pick<NodeJS.WriteStream, 'write' | 'isTTY' | 'columns'>;

const CLEAR = '\r\u001b[2K';
const EVERY_MS = 1000;

export class ProgressPrinter {
  readonly #output: Output;
  readonly #paint: Terminal['paint'];
  readonly #begun = performance.now();
  /** By call: what it does, or the tool if that is not known. */
  readonly #titles = new Map<string, string>();
  /** Calls whose output has been mentioned. */
  readonly #heard = new Set<string>();
  #now = 'Preparing';
  #prepared = '';
  #dollars = 0;
  /** A reply came whose price is not known. */
  #isPartial = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(output: Output, paint: Terminal['paint']) {
    this.#output = output;
    this.#paint = output.isTTY ? paint : (_style, text) => text;
  }

  /** Shows what it does now, if anyone looks, until `rest`. */
  begin(): void {
    if (!this.#output.isTTY || this.#timer !== undefined) return;
    this.#timer = setInterval(() => this.#show(), EVERY_MS).unref();
    this.#show();
  }

  rest(): void {
    if (this.#timer === undefined) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#output.write(CLEAR);
  }

  /** A line that stays. What others wrote cannot act on the terminal. */
  say(text: string): void {
    const lines = text.split('\n').map((line) => `${escapeUnseen(line)}\n`);
    this.#output.write(`${this.#timer === undefined ? '' : CLEAR}${lines.join('')}`);
    if (this.#timer !== undefined) this.#show();
  }

  readonly hear = (entries: readonly Entry[]): void => {
    for (const entry of entries) this.#hear(entry);
  };

  #hear(entry: Entry): void {
    this.#dollars += dollarsOf(entry) ?? 0;
    this.#isPartial ||= isPriceUnknown(entry);
    if (entry.type === 'run_prepared') this.#describe(entry);
    if (entry.type === 'image_fetch_started') this.#now = `Fetching the image ${entry.image}`;
    if (entry.type === 'image_fetched') this.#now = 'Preparing';
    if (entry.type === 'input_read' || entry.type === 'reply') this.#now = 'Thinking';
    if (entry.type === 'reply')
      for (const [index, made] of entry.calls.entries())
        this.#titles.set(keyOf({ reply: entry.seq, index }), callName(made));
    if (entry.type === 'call_started') {
      this.#now = entry.title;
      this.#titles.set(keyOf(entry), entry.title);
    }
    if (entry.type === 'call_output') this.#printed(entry);
    if (entry.type === 'call_finished') this.#finished(entry);
    if (entry.type === 'work_saved') for (const effect of entry.effects) this.#effect(effect);
    if (entry.type === 'run_deferred')
      this.say(`Waiting until ${new Date(entry.until).toLocaleTimeString()}: ${entry.reason}`);
  }

  #describe({ model, effort, destination, warnings = [] }: EntryOf<'run_prepared'>): void {
    const thinking = effort === undefined ? '' : ` (effort ${effort})`;
    const words = `${model}${thinking}. What the agent reads goes to ${destination}.`;
    if (words !== this.#prepared) this.say(words);
    this.#prepared = words;
    for (const warning of warnings) this.say(`Note: ${warning}`);
  }

  /** What a call that takes its time says, such as the commands that prepare a workspace. */
  #printed(entry: EntryOf<'call_output'>): void {
    const lines = entry.text.split('\n').filter((line) => line.trim() !== '');
    const title = this.#titles.get(keyOf(entry)) ?? '';
    this.#now = `${title}: ${lines.at(-1) ?? ''}`;
    if (this.#output.isTTY || this.#heard.has(keyOf(entry))) return;
    this.#heard.add(keyOf(entry));
    this.#output.write(`… ${onOneLine(`${title}: ${lines[0] ?? ''}`)}\n`);
  }

  #finished(entry: EntryOf<'call_finished'>): void {
    const { ok, title, effects, output } = entry;
    const shown = title ?? this.#titles.get(keyOf(entry)) ?? '';
    const sign = ok ? this.#paint('green', '✓') : this.#paint('red', '✗');
    this.#now = 'Thinking';
    const reason = output.trimStart().split('\n', 1)[0] ?? '';
    const line = onOneLine(ok || reason === '' ? shown : `${shown}: ${reason}`);
    this.#output.write(`${this.#timer === undefined ? '' : CLEAR}${sign} ${line}\n`);
    for (const effect of effects) this.#effect(effect);
    if (entry.halt !== null) this.#tidies();
    if (this.#timer !== undefined) this.#show();
  }

  /** A run that has ended removes its copy of the repository before anything else is said. */
  #tidies(): void {
    this.#now = TIDIES;
    if (!this.#output.isTTY) this.#output.write(`… ${TIDIES}\n`);
  }

  #effect(effect: Effect): void {
    if (effect.type === 'commit')
      this.say(`  commit ${effect.sha.slice(0, 10)}: ${effect.message.split('\n', 1)[0] ?? ''}`);
    if (effect.type === 'pull_request') this.say(`  pull request #${effect.number}: ${effect.url}`);
    if (effect.type === 'self_reviewed')
      for (const { path = '', text } of effect.findings) this.say(`  review: ${path} ${text}`);
    if (effect.type === 'setup') this.#setUp(effect);
    if (effect.type === 'plan')
      for (const { title, done } of effect.items) this.say(`  [${done ? 'x' : ' '}] ${title}`);
  }

  #setUp({ command, output, ...run }: Extract<Effect, { type: 'setup' }>): void {
    this.say(`  setup: ${command}: ${exitWords(run)}, after ${duration(run.durationMs)}`);
    if (run.exitCode === 0) return;
    for (const line of output.trim().split('\n').slice(-LINES_OF_FAILURE)) this.say(`    ${line}`);
  }

  #show(): void {
    const seconds = Math.round((performance.now() - this.#begun) / 1000);
    const facts = ` · ${seconds} s · ${cost({ dollars: this.#dollars, isPartial: this.#isPartial })}`;
    const room = Math.max(10, (this.#output.columns || USUAL_COLUMNS) - facts.length - 4);
    const now = cutCharacters(escapeUnseen(this.#now).replaceAll(/\s+/g, ' '), room, '…');
    this.#output.write(`${CLEAR}… ${now}${this.#paint('dim', facts)}`);
  }
}

/** For a terminal that does not know its width. */
const USUAL_COLUMNS = 80;
const LINES_OF_FAILURE = 10;
const TIDIES = 'Removing the copy that the agent worked in';

const keyOf = ({ reply, index }: CallPlace): string => `${reply} ${index}`;

const onOneLine = (text: string): string =>
  cutCharacters(escapeUnseen(text).replaceAll(/\s+/g, ' '), 200, '…');
