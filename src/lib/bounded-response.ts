const BYTES = 1024 * 1024;

/** The response, whose body fails while it is read if it has more MiB than that, unpacked. */
export function boundedResponse(response: Response, mostMiB: number): Response {
  const { body, status, statusText, headers } = response;
  if (body === null) return response;
  let bytes = 0;
  const counted = new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, controller) => {
      bytes += chunk.length;
      if (bytes > mostMiB * BYTES)
        controller.error(new Error(`the answer has more than ${mostMiB} MiB`));
      else controller.enqueue(chunk);
    },
  });
  return new Response(body.pipeThrough(counted), { status, statusText, headers });
}
