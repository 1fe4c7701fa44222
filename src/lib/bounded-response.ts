const BYTES = 1024 * 1024;

/** The response, whose body fails while it is read if it has more MiB than that, unpacked. */
export function boundedResponse(response: Response, mostMiB: number): Response {
  let bytes = 0;
  return through(response, (chunk, controller) => {
    bytes += chunk.length;
    if (bytes > mostMiB * BYTES)
      controller.error(new Error(`the answer has more than ${mostMiB} MiB`));
    else controller.enqueue(chunk);
  });
}

/** The response with the first `most` bytes of its body, unpacked. */
export function beginningOf(response: Response, most: number): Response {
  let left = most;
  return through(response, (chunk, controller) => {
    controller.enqueue(chunk.subarray(0, left));
    left -= chunk.length;
    if (left <= 0) controller.terminate();
  });
}

type Transform = (
  chunk: Uint8Array,
  controller: TransformStreamDefaultController<Uint8Array>,
) => void;

function through(response: Response, transform: Transform): Response {
  const { body, status, statusText, headers } = response;
  if (body === null) return response;
  const passed = body.pipeThrough(new TransformStream<Uint8Array, Uint8Array>({ transform }));
  return new Response(passed, { status, statusText, headers });
}
