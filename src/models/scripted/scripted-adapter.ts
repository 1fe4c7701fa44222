// A model that follows a script. The number of its replies in the conversation says which one is next, so a request that is
// repeated, by another process too, gets the same reply.
import type { ModelRequest } from '../../contracts/model.ts';
import { TellPerson } from '../../lib/errors.ts';
import type { ModelAdapter, UnpricedReply } from '../provider.ts';
import { proofScript } from './proof-script.ts';

const ASKED_PATH = /issuewright-proof\/[a-z\d-]{1,40}\.txt/;
const NOT_A_PROOF =
  'The model `scripted:proof` plays the script of `issuewright prove` and can do nothing else. Choose another one with `model` in `.github/issuewright.yml`.';
/** A rough count, since nothing is charged. */
const BYTES_A_TOKEN = 4;

export const scriptedAdapter: ModelAdapter = {
  callsTools: true,
  imageTypes: [],
  reply: async (request) => nextReply(request),
};

function nextReply({ messages, tools }: ModelRequest): UnpricedReply {
  // A review of the change, a summary, or a test of the set-up.
  if (tools.length === 0) return replyWith('nothing', []);
  const first = messages.find(({ role }) => role === 'user');
  const [path] = ASKED_PATH.exec(first?.role === 'user' ? first.text : '') ?? [];
  if (path === undefined) throw new TellPerson(NOT_A_PROOF);
  const at = messages.filter(({ role }) => role === 'assistant').length;
  const next = proofScript(path)[at];
  if (next === undefined)
    throw new TellPerson(
      'The script of `issuewright prove` has ended. Run it again for another proof.',
    );
  const call = { id: `call_${at + 1}`, tool: next.tool, arguments: next.arguments };
  return replyWith(next.text, [call]);
}

function replyWith(text: string, calls: UnpricedReply['calls']): UnpricedReply {
  const output = Math.ceil(Buffer.byteLength(text + JSON.stringify(calls)) / BYTES_A_TOKEN);
  const usage = { input: 0, cached: 0, written: 0, output, reasoning: 0 };
  return { text, reasoning: '', calls, stop: 'end', usage, native: null };
}
