// What a session by hand does, line by line as it happens. On a terminal, the last line says what it does now.
import { escapeUnseen } from '../lib/text/invisible.ts';
import { cutCharacters } from '../lib/text/text.ts';
import type { Effect } from '../contracts/effect.ts';
import { dollarsOf } from '../session/dollars-of.ts';
import { cost } from '../session/texts/format.ts';
import type { Entry, EntryOf } from '../session/entry.ts';
import type { Terminal } from './command.ts';

type Output = Pick<NodeJS.WriteStream, 'write' | 'isTTY' | 'columns'>;

const CLEAR = '\r\u001b[2K';
const EVERY_MS = 1000;

export class Progress {
  readonly #output: Output;
  readonly #paint: Terminal['paint'];
  readonly #begun = performance.now();
  readonly #titles = new Map<string, string>();
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
    this.#isPartial ||= entry.type === 'reply' && entry.cost === null;
    if (entry.type === 'run_prepared') this.#describe(entry);
    if (entry.type === 'input_read' || entry.type === 'reply') this.#now = 'Thinking';
    if (entry.type === 'call_started') {
      this.#now = entry.title;
      this.#titles.set(`${entry.reply} ${entry.index}`, entry.title);
    }
    if (entry.type === 'call_finished') this.#finished(entry);
    if (entry.type === 'work_saved') for (const effect of entry.effects) this.#effect(effect);
    if (entry.type === 'run_deferred')
      this.say(`Waiting until ${timeOf(entry.until)}: ${entry.reason}`);
  }

  #describe({ model, destination, warnings = [] }: EntryOf<'run_prepared'>): void {
    const words = `${model}. What the agent reads goes to ${destination}.`;
    if (words !== this.#prepared) this.say(words);
    this.#prepared = words;
    for (const warning of warnings) this.say(`Note: ${warning}`);
  }

  #finished({ reply, index, ok, title, effects }: EntryOf<'call_finished'>): void {
    const shown = title ?? this.#titles.get(`${reply} ${index}`) ?? 'A call';
    const sign = ok ? this.#paint('green', '✓') : this.#paint('red', '✗');
    this.#now = 'Thinking';
    const line = cutCharacters(escapeUnseen(shown).replaceAll(/\s+/g, ' '), 200, '…');
    this.#output.write(`${this.#timer === undefined ? '' : CLEAR}${sign} ${line}\n`);
    for (const effect of effects) this.#effect(effect);
    if (this.#timer !== undefined) this.#show();
  }

  #effect(effect: Effect): void {
    if (effect.type === 'commit')
      this.say(`  commit ${effect.sha.slice(0, 10)}: ${effect.message.split('\n', 1)[0] ?? ''}`);
    if (effect.type === 'pull_request') this.say(`  pull request #${effect.number}: ${effect.url}`);
    if (effect.type === 'self_reviewed')
      for (const { path = '', text } of effect.findings) this.say(`  review: ${path} ${text}`);
    if (effect.type === 'plan')
      for (const { title, done } of effect.items) this.say(`  [${done ? 'x' : ' '}] ${title}`);
  }

  #show(): void {
    const seconds = Math.round((performance.now() - this.#begun) / 1000);
    const facts = ` · ${seconds} s · ${cost({ dollars: this.#dollars, isPartial: this.#isPartial })}`;
    const room = Math.max(10, this.#output.columns - facts.length - 4);
    const now = cutCharacters(escapeUnseen(this.#now).replaceAll(/\s+/g, ' '), room, '…');
    this.#output.write(`${CLEAR}… ${now}${this.#paint('dim', facts)}`);
  }
}

const timeOf = (at: string | Date): string => new Date(at).toLocaleTimeString();
