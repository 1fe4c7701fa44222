import { faultInEvent } from './server-fault.ts';

export interface ServerEvent {
  /** Empty if the server sets none. */
  readonly name: string;
  readonly data: unknown;
}

const DONE = '[DONE]';
/** The last event of a server that says when it is done. */
export const END_MARK: ServerEvent = { name: 'done', data: null };

/**
 * The server-sent events of an answer, up to the one that says that it is done (`END_MARK`). Read as well are what servers
 * send in their place: events without the empty line between them, and JSON without `data:`, in one piece or one for each
 * line. Events without JSON, which only keep the connection alive, are left out.
 * @throws {SyntaxError} for data that begins like JSON and is none
 */
export async function* serverEvents(
  body: AsyncIterable<Uint8Array> | null,
  heard: (bytes: number) => void,
): AsyncGenerator<ServerEvent> {
  let name = '';
  let data: string[] = [];
  let isBare = false;
  for await (const written of linesOf(body, heard)) {
    const line = written.endsWith('\r') ? written.slice(0, -1) : written;
    const [, field, value = ''] = FIELD.exec(line) ?? [];
    if (field === 'data') data.push(value);
    else if (field === 'event') name = value;
    else if (field === undefined) {
      isBare ||= BEGINS_JSON.test(line);
      if (isBare) data.push(line);
    } else if (line === '') {
      for (const item of itemsOf(name, data)) {
        yield item;
        if (item === END_MARK) return;
      }
      name = '';
      data = [];
      isBare = false;
    }
  }
  yield* itemsOf(name, data);
}

/** A field of an event. Comments have no name. */
const FIELD = /^(data|event|id|retry|)(?:$|: ?(.*)$)/s;

function* itemsOf(name: string, data: readonly string[]): Generator<ServerEvent> {
  const text = data.join('\n');
  const whole = jsonIn(text);
  if (whole === undefined && name === 'error') return yield { name, data: text };
  const values = whole === undefined ? data.map(itemOf) : [whole];
  for (const value of values) {
    if (value === DONE) return yield END_MARK;
    if (value !== undefined && value !== null) yield { name, data: value };
  }
}

const BEGINS_JSON = /^\s*[{[]/;

function itemOf(text: string): unknown {
  if (text.trim() === DONE) return DONE;
  return BEGINS_JSON.test(text) ? JSON.parse(text) : undefined;
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * The data of the events of an answer, whose form is not checked. `done` is called when the server said that it is done.
 * @throws {ServerFault} for an error in place of an event
 */
export async function* eventsOf<Event>(
  { body, headers }: Response,
  heard: (bytes: number) => void,
  done: () => void = () => undefined,
): AsyncGenerator<Event> {
  const parts = body?.values({ preventCancel: true }) ?? null;
  for await (const event of serverEvents(parts, heard)) {
    if (event === END_MARK) return done();
    const fault = faultInEvent(event.name, event.data, headers);
    if (fault !== undefined) throw fault;
    yield event.data as Event;
  }
}

/**
 * The lines of a body, without line ends, as they arrive. `heard` is called with the number of bytes of
 * each chunk; if it throws, reading ends.
 */
export async function* linesOf(
  body: AsyncIterable<Uint8Array> | null,
  heard: (bytes: number) => void,
): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let begun: string[] = [];
  for await (const bytes of body ?? []) {
    heard(bytes.byteLength);
    const [first = '', ...more] = decoder.decode(bytes, { stream: true }).split('\n');
    // Join only when the line has ended, so that a long line is not copied with every chunk.
    begun.push(first);
    for (const next of more) {
      yield begun.join('');
      begun = [next];
    }
  }
  yield begun.join('') + decoder.decode();
}

/** Finds the end of a JSON object, array or string that arrives in pieces. It checks nothing else. Takes linear time. */
export class JsonEnd {
  #depth = 0;
  #isInString = false;
  #isEscaped = false;
  #hasBegun = false;

  /** Nothing but blanks came. */
  get isEmpty(): boolean {
    return !this.#hasBegun;
  }

  get isReached(): boolean {
    return this.#hasBegun && this.#depth <= 0 && !this.#isInString;
  }

  read(piece: string): void {
    for (const character of piece) {
      if (this.#isInString) this.#readInString(character);
      else this.#readOutside(character);
    }
  }

  #readInString(character: string): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (character === '\\') this.#isEscaped = true;
    else if (character === '"') this.#isInString = false;
  }

  #readOutside(character: string): void {
    if (character.trim() !== '') this.#hasBegun = true;
    if (character === '"') this.#isInString = true;
    else if (character === '{' || character === '[') this.#depth += 1;
    else if (character === '}' || character === ']') this.#depth -= 1;
  }
}
