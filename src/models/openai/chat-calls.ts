import { randomUUID } from 'node:crypto';
import type { Call } from '../../contracts/model.ts';
import { readArguments } from '../wire/calls.ts';
import { isEmpty } from './chat-fields.ts';

/** A piece of a call from the stream. Any field may be missing or of another type. */
export interface CallPiece {
  readonly id?: unknown;
  readonly index?: unknown;
  readonly function?: { readonly name?: unknown; readonly arguments?: unknown } | null;
}

interface OpenCall {
  readonly index: unknown;
  readonly id: string;
  tool: string;
  arguments: string;
  /** Fields that are not part of the wire format, such as Gemini's thought signature. */
  readonly opaque: Map<string, unknown>;
}

const FIELDS = new Set(['id', 'index', 'type', 'function']);

/** Assembles the calls of a reply from their pieces. */
export class ChatCalls {
  readonly #calls: OpenCall[] = [];

  add(piece: CallPiece): void {
    const call = this.#callOf(piece);
    // Some servers send the whole name with every piece.
    if (call.tool === '') call.tool = textOf(piece.function?.name);
    call.arguments += argumentsOf(piece.function?.arguments);
    for (const [name, value] of Object.entries(piece)) {
      if (!FIELDS.has(name) && !isEmpty(value)) call.opaque.set(name, value);
    }
  }

  calls(): readonly Call[] {
    return this.#calls.map(({ id, tool, arguments: text }) => ({
      tool,
      id,
      ...readArguments(text),
    }));
  }

  /** The extra fields of each call, in order. */
  opaque(): readonly Readonly<Record<string, unknown>>[] {
    return this.#calls.map((call) => Object.fromEntries(call.opaque));
  }

  /**
   * A new id starts a new call, even if its index repeats. A piece without an id belongs to the last call
   * with its index. Without id and index, a name starts a new call.
   */
  #callOf(piece: CallPiece): OpenCall {
    const id = textOf(piece.id);
    const { index } = piece;
    const known = this.#calls.findLast((call) => {
      if (id !== '') return call.id === id;
      return typeof index === 'number' ? call.index === index : textOf(piece.function?.name) === '';
    });
    if (known !== undefined) return known;
    const call = { index, id: id || newId(), tool: '', arguments: '', opaque: new Map() };
    this.#calls.push(call);
    return call;
  }
}

const newId = (): string => `call_${randomUUID()}`;

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Some servers send the arguments as an object instead of text. */
function argumentsOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : '';
}
