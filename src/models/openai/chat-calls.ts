// Assembles the calls of a streamed reply from their pieces. What servers send differs more here than anywhere else:
// `test/models/stream-shapes.ts` has every form that is known, with its source.
import { randomUUID } from 'node:crypto';
import type { Call } from '../../contracts/model.ts';
import { readArguments } from '../wire/calls.ts';
import { JsonEnd } from '../wire/server-events.ts';

/** A piece of a call. Any field may be missing or of another type. */
export interface CallPiece {
  readonly id?: unknown;
  readonly index?: unknown;
  readonly function?: { readonly name?: unknown; readonly arguments?: unknown } | null;
}

/** What a piece says, with '' for what it does not say. */
interface PieceWords {
  readonly index: number | undefined;
  readonly id: string;
  readonly name: string;
  readonly text: string;
}

const FIELDS = new Set(['id', 'index', 'type', 'function']);

/**
 * The calls of one reply. A piece belongs to a call by its index and its place; an id is only a label: some servers give each
 * piece a new one, or several calls the same. No call is made up, and no arguments are corrected.
 */
export class ChatCalls {
  readonly #calls: Draft[] = [];
  /** The last call of each index, and of each id. */
  readonly #ofIndex = new Map<number, Draft>();
  readonly #ofId = new Map<string, Draft>();
  readonly #tools: ReadonlySet<string>;

  /** `tools`: the names of the tools that the request offered. They decide what a name in pieces is. */
  constructor(tools: ReadonlySet<string>) {
    this.#tools = tools;
  }

  add(piece: CallPiece): void {
    const said: PieceWords = {
      index: typeof piece.index === 'number' ? piece.index : undefined,
      id: stringOrNothing(piece.id),
      name: stringOrNothing(piece.function?.name),
      text: argumentsOf(piece.function?.arguments),
    };
    const before = this.#before(said);
    const call =
      before === undefined || this.#isAnother(before, said) ? this.#begin(said, before) : before;
    call.add(said, this.#tools);
    if (said.id !== '') this.#ofId.set(said.id, call);
    for (const [name, value] of Object.entries(piece)) {
      if (!FIELDS.has(name) && !isEmptyField(value)) call.opaque.set(name, value);
    }
  }

  calls(): readonly Call[] {
    const taken = new Set<string>();
    return this.#calls.map((call) => {
      const id = call.id === '' || taken.has(call.id) ? call.ownId : call.id;
      taken.add(id);
      return { tool: bareName(call.name, this.#tools), id, ...call.arguments };
    });
  }

  /** The extra fields of each call, in order. */
  opaque(): readonly Readonly<Record<string, unknown>>[] {
    return this.#calls.map((call) => Object.fromEntries(call.opaque));
  }

  get isEmpty(): boolean {
    return this.#calls.length === 0;
  }

  /** Whether there are calls, all with arguments that are whole. */
  get areWhole(): boolean {
    return this.#calls.length > 0 && this.#calls.every((call) => call.isWhole);
  }

  /** The call that a piece may continue: of its id, else the last one of its index, else the last one. */
  #before({ index, id }: PieceWords): Draft | undefined {
    const labelled = this.#ofId.get(id);
    const isOfIndex = index === undefined || [index, undefined].includes(labelled?.index);
    if (labelled !== undefined && isOfIndex) return labelled;
    return index === undefined ? this.#calls.at(-1) : this.#ofIndex.get(index);
  }

  /** Whether a piece begins a call of its own, rather than continuing the one before. */
  #isAnother(before: Draft, { id, name, text }: PieceWords): boolean {
    const { state } = before;
    const isResent = before.repeats(text);
    if (name === '') return before.isNamedAgain && state === 'whole' && opens(text) && !isResent;
    const hasNewId = id !== '' && before.id !== '' && before.id !== id;
    const isSameName = name === before.name;
    if (state === 'open') return !isSameName || (hasNewId && opens(text) && !isResent);
    if (hasNewId) return true;
    if (state === 'whole') return !isSameName || (opens(text) && !isResent);
    // Nothing but a name until now: the next one is its other half, or that of the next call.
    const areBothTools = this.#tools.has(before.name) && this.#tools.has(name);
    return !isSameName && areBothTools && !this.#tools.has(before.name + name);
  }

  /** A piece without a name that begins a call has the name that was announced last. */
  #begin({ index, name }: PieceWords, before: Draft | undefined): Draft {
    const call = new Draft(index, name === '' ? (before?.name ?? '') : '');
    this.#calls.push(call);
    if (index !== undefined) this.#ofIndex.set(index, call);
    return call;
  }
}

class Draft {
  readonly index: number | undefined;
  /** The server's first label. */
  id = '';
  /** If the server has none for it. */
  readonly ownId = `call_${randomUUID()}`;
  name: string;
  /** It came once more behind whole arguments: another call may follow. */
  isNamedAgain = false;
  /** Fields that are not part of the wire format, such as Gemini's thought signature. */
  readonly opaque = new Map<string, unknown>();
  /** All pieces of the arguments. */
  #text = '';
  /** The same, but a piece that begins with all before it replaces it: it was sent whole again. */
  #latest = '';
  #end = new JsonEnd();

  constructor(index: number | undefined, name: string) {
    this.index = index;
    this.name = name;
  }

  add({ id, name, text }: PieceWords, tools: ReadonlySet<string>): void {
    this.id ||= id;
    if (name !== '' && this.state === 'none') this.name = joinedName(this.name, name, tools);
    if (text.trim() !== '') this.isNamedAgain = false;
    else if (name !== '' && this.state === 'whole') this.isNamedAgain = true;
    if (text === '') return;
    this.#text += text;
    if (this.#latest.trim() !== '' && this.repeats(text)) {
      this.#latest = text;
      this.#end = new JsonEnd();
    } else this.#latest += text;
    this.#end.read(text);
  }

  /** Whether a text is all of the arguments so far, perhaps with more behind them. */
  repeats(text: string): boolean {
    return text.length >= this.#latest.length && text.startsWith(this.#latest);
  }

  /** How much of the arguments there is. */
  get state(): 'none' | 'open' | 'whole' {
    if (this.#end.isEmpty) return 'none';
    return this.#end.isReached ? 'whole' : 'open';
  }

  get isWhole(): boolean {
    return this.state === 'whole' && this.arguments.fault === undefined;
  }

  /** What the pieces are together counts. Only if that is no JSON may they have been sent whole, again and again. */
  get arguments(): ReturnType<typeof readArguments> {
    const read = readArguments(this.#text);
    if (read.fault === undefined || this.#latest === this.#text) return read;
    const latest = readArguments(this.#latest);
    return latest.fault === undefined ? latest : read;
  }
}

/** Names come whole with every piece, in parts, or longer each time. */
function joinedName(before: string, name: string, tools: ReadonlySet<string>): string {
  const joined = name.startsWith(before) ? name : before + name;
  return tools.has(name) && !tools.has(joined) ? name : joined;
}

/** The name of a tool without what gpt-oss writes around it, if such a tool was offered: `read_file<|channel|>commentary`. */
function bareName(name: string, tools: ReadonlySet<string>): string {
  const bare = name
    .replace(/<\|.*$/s, '')
    .trim()
    .replace(/^functions\./, '');
  return !tools.has(name) && tools.has(bare) ? bare : name;
}

/** Whether a text may be the beginning of arguments. */
const opens = (text: string): boolean => text.trimStart().startsWith('{');

const stringOrNothing = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Some servers send the arguments as an object instead of text. */
function argumentsOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : '';
}

/** Some servers send empty fields with every piece. */
export const isEmptyField = (value: unknown): boolean =>
  value === null ||
  value === undefined ||
  value === '' ||
  (typeof value === 'object' && Object.keys(value).length === 0);
