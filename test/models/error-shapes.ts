// Answers with status 200 that are no reply.
import { chunk, DONE, event, named, pieces, type StreamShape, USAGE } from './stream-shapes.ts';

interface ErrorShape extends StreamShape {
  /** What people read, or what is logged. */
  readonly error: RegExp;
}

export const ERROR_SHAPES: readonly ErrorShape[] = [
  {
    name: 'half a call and the end mark: it is asked for again',
    source: 'earendil-works/pi PR#6225',
    body: pieces({ index: 0, id: 'c1', ...named('read_file', '{"path":') }) + USAGE + DONE,
    error: /ended early/,
  },
  {
    name: 'half a text, and then nothing: it is asked for again',
    source: 'earendil-works/pi PR#6225',
    body: chunk({ content: 'Hel' }),
    error: /ended early/,
  },
  {
    name: 'one answer 200 with an error as JSON',
    source: 'can1357/oh-my-pi#5912, anomalyco/opencode#26292',
    contentType: 'application/json',
    body: JSON.stringify({ error: { code: '1302', message: 'Too many requests at once.' } }),
    error: /the model server returned error in the stream/,
  },
  {
    name: 'an answer 200 with an error as JSON and its status',
    source: 'sgl-project/sglang#12081',
    contentType: 'application/json',
    body: JSON.stringify({
      object: 'error',
      message: 'The schema of the tool is wrong.',
      type: 'BadRequestError',
      code: 400,
    }),
    error: /\(400, BadRequestError\).* It says: `The schema of the tool is wrong\.`/,
  },
  {
    name: 'an error object in the stream',
    source: 'vllm-project/vllm: create_streaming_error_response',
    body: `${chunk({ content: 'Hel' })}${event({
      object: 'error',
      message: 'The schema of the tool is wrong.',
      type: 'BadRequestError',
      param: null,
      code: 400,
    })}${DONE}`,
    error: /\(400, BadRequestError\).* It says: `The schema of the tool is wrong\.`/,
  },
  {
    name: 'an error under `error` in the stream, with its own shape inside',
    source: 'sgl-project/sglang#12081',
    body: `${event({ error: { object: 'error', message: 'The input is odd.', type: 'BadRequestError', code: 400 } })}${DONE}`,
    error: /\(400, BadRequestError\).* It says: `The input is odd\.`/,
  },
  {
    name: 'a bare line of JSON with an error in the stream',
    source: 'googleapis/js-genai#1973',
    body: `${chunk({ content: 'Hel' })}{"error":{"code":400,"message":"The input is prohibited."}}\n`,
    error: /\(400\).* It says: `The input is prohibited\.`/,
  },
  {
    name: 'a status beside null choices',
    source: 'MiniMax-AI: base_resp',
    contentType: 'application/json',
    body: JSON.stringify({
      choices: null,
      base_resp: { status_code: 1002, status_msg: 'rate limit' },
    }),
    error: /the model server returned error in the stream/,
  },
  {
    name: 'a status beside null choices that waiting does not help',
    source: 'MiniMax-AI/MiniMax-M2#119',
    contentType: 'application/json',
    body: JSON.stringify({
      choices: null,
      base_resp: { status_code: 2013, status_msg: 'invalid params, the name is odd' },
    }),
    error: /\(400\).* It says: `invalid params, the name is odd`/,
  },
];
