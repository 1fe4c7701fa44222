import type { FetchLike } from '@modelcontextprotocol/client';

const MIB = 1024 * 1024;
/** Of one answer, unpacked. */
const MAX_BYTES = 16 * MIB;

/** Asks like `fetch`; an answer that is too large fails while it is read. */
export const boundedFetch: FetchLike = async (url, init) => {
  const response = await fetch(url, init);
  if (response.body === null) return response;
  let bytes = 0;
  const counted = new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, controller) => {
      bytes += chunk.length;
      if (bytes > MAX_BYTES)
        controller.error(new Error(`the answer has more than ${MAX_BYTES / MIB} MiB`));
      else controller.enqueue(chunk);
    },
  });
  const { status, statusText, headers } = response;
  return new Response(response.body.pipeThrough(counted), { status, statusText, headers });
};
