export interface ServerEvent {
  /** Empty if the server sets none. */
  readonly name: string;
  readonly data: unknown;
}

const DONE = '[DONE]';

/**
 * The server-sent events of an answer, up to the one that says that it is done. The last one counts
 * also without the empty line after it, which some servers leave out.
 * @throws {SyntaxError} for data that is not JSON
 */
export async function* serverEvents(
  body: AsyncIterable<Uint8Array> | null,
  heard: (bytes: number) => void,
): AsyncGenerator<ServerEvent> {
  let name = '';
  let data: string[] = [];
  for await (const written of linesOf(body, heard)) {
    const line = written.endsWith('\r') ? written.slice(0, -1) : written;
    if (line.startsWith('data:')) data.push(valueOf(line));
    else if (line.startsWith('event:')) name = valueOf(line);
    else if (line === '') {
      if (isDone(data)) return;
      if (data.length > 0) yield { name, data: parsed(data) };
      name = '';
      data = [];
    }
  }
  if (data.length > 0 && !isDone(data)) yield { name, data: parsed(data) };
}

const valueOf = (line: string): string => line.slice(line.indexOf(':') + 1).replace(/^ /, '');

const isDone = (data: readonly string[]): boolean => data[0] === DONE;

const parsed = (data: readonly string[]): unknown => JSON.parse(data.join('\n'));

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
