/** More than the vectors of a hundred texts need. */
const MOST_BYTES = 64_000_000;

/**
 * A `fetch` for one answer in JSON. It follows no redirect, because the key would go with it.
 * @throws {Error} while the answer is read, if it is too long
 */
export const jsonFetch: typeof fetch = async (input, init) => {
  const { body, status, statusText, headers } = await fetch(input, { ...init, redirect: 'error' });
  let bytes = 0;
  const bounded = body?.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform: (piece, next) => {
        bytes += piece.byteLength;
        if (bytes > MOST_BYTES) throw new Error(`the answer has more than ${MOST_BYTES} bytes`);
        next.enqueue(piece);
      },
    }),
  );
  return new Response(bounded ?? null, { status, statusText, headers });
};
