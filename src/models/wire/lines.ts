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
