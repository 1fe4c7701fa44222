/**
 * The lines of a body, without their ends, as they come. `heard` is called with the bytes of each part
 * of it; what it throws ends the reading.
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
    // Put together once a line has ended: a long one would be copied with each of its pieces.
    begun.push(first);
    for (const next of more) {
      yield begun.join('');
      begun = [next];
    }
  }
  yield begun.join('') + decoder.decode();
}
