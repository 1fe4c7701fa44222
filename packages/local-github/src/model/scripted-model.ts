import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { firstOf, ScriptPlayer, type Played, type PlayedReply } from './script-player.ts';
import { readRequest, type Outcome, type PlayedModel } from './played-model.ts';
import type { ParsedScript } from './script.ts';
import { PromptCache, tokensOf } from './prompt-cache.ts';
import { lostReasoning, unpaired } from './wires/checks.ts';
import type { Answer, Problem, Reasoning, Wire, WireCall, WireRequest } from './wires/wire.ts';

/** A reply before it is put in the form of a wire. */
type ReplyContents = Pick<PlayedReply, 'place' | 'text' | 'calls' | 'reasoning' | 'trouble'>;

/** A request with the values that are computed from it once. */
interface PreparedRequest {
  readonly wire: Wire;
  readonly request: WireRequest;
  readonly first: string;
  readonly prompt: string;
  readonly bytes: number;
}

/** A model that follows scripts, for requests of every wire. */
export class ScriptedModel implements PlayedModel {
  readonly #player: ScriptPlayer;
  readonly #cache = new PromptCache();
  readonly #closing = new AbortController();

  constructor(scripts: readonly ParsedScript[]) {
    this.#player = new ScriptPlayer(scripts);
  }

  /** Cancels delayed answers. */
  close(): void {
    this.#closing.abort();
  }

  async answer(wire: Wire, path: string, body: string): Promise<Outcome> {
    const request = readRequest(wire, path, body);
    if ('status' in request) return { problem: request };
    const prompt = JSON.stringify(request.prompt);
    const first = firstOf(request.messages);
    const asked = { wire, request, first, prompt, bytes: Buffer.byteLength(prompt) };
    const problem = unpaired(request.messages) ?? this.#lostReasoning(asked);
    if (problem !== undefined) return { problem };
    const played = this.#player.next({ ...request, bytes: asked.bytes });
    if (played.kind === 'aside') return this.#say(asked, { ...BESIDE, text: played.text });
    if (played.kind !== 'reply') return { problem: problemOf(played, asked) };
    if (played.delayMs > 0)
      await delay(played.delayMs, undefined, { signal: this.#closing.signal });
    if (played.trouble?.kind === 'status')
      return {
        problem: { status: played.trouble.status, message: 'The script answers with this status.' },
      };
    return this.#say(asked, played);
  }

  #lostReasoning({ wire, request, first, bytes }: PreparedRequest): Problem | undefined {
    if (!request.hasTools) return undefined;
    const said = this.#player
      .stepsSaid({ ...request, bytes })
      .map((step) => step && reasoningOf(step.turn.reasoning ?? '', first, step.index));
    return lostReasoning(wire, request.messages, said);
  }

  #say({ request, first, prompt, bytes }: PreparedRequest, said: ReplyContents): Outcome {
    const isCut = said.trouble?.kind === 'cut';
    const reasoning = reasoningOf(said.reasoning, first, said.place);
    const { text, calls } = inWire(said, isCut);
    const thought = tokensOf(Buffer.byteLength(said.reasoning));
    const input = tokensOf(bytes);
    const cached = tokensOf(this.#cache.take(request.cacheKey ?? first, prompt));
    const answer: Answer = {
      id: randomUUID(),
      model: request.model,
      created: new Date(),
      reasoning,
      text,
      calls,
      isCut,
      usage: {
        input,
        cached: request.wants.has('cache') ? Math.min(cached, input) : 0,
        output:
          thought + tokensOf(Buffer.byteLength(text + calls.map(({ json }) => json).join(''))),
        reasoning: thought,
      },
    };
    return { request, answer, dies: said.trouble?.kind === 'die' };
  }
}

/** An answer outside of the turns. */
const BESIDE = { place: 0, calls: [], reasoning: '', trouble: null };

function problemOf(
  played: Exclude<Played, { readonly kind: 'reply' | 'aside' }>,
  { wire, request, bytes }: PreparedRequest,
): Problem {
  switch (played.kind) {
    case 'tools_unsupported':
      return wire.errors.toolsUnsupported(request.model);
    case 'too_long':
      return wire.errors.tooLong(tokensOf(bytes), tokensOf(played.limit));
    case 'no_reply':
      return { status: 400, message: played.words };
    default:
      return played satisfies never;
  }
}

/** The seal is a hash of the text and its position, so that it is the same after a restart. */
function reasoningOf(text: string, first: string, place: number): Reasoning | undefined {
  if (text === '') return undefined;
  const seal = createHash('sha256').update(JSON.stringify([first, place, text]));
  return { text, seal: seal.digest('base64url') };
}

/** If the reply is cut: in the middle of the last call's arguments, or of the text if there are no calls. */
function inWire({ text, calls }: ReplyContents, isCut: boolean): Pick<Answer, 'text' | 'calls'> {
  const whole = calls.map(({ id = '', tool, arguments: args }): WireCall => ({
    id,
    tool,
    json: JSON.stringify(args),
  }));
  if (!isCut) return { text, calls: whole };
  if (whole.length === 0) return { text: firstHalf(text), calls: [] };
  const last = whole.length - 1;
  return {
    text,
    calls: whole.map((call, index) =>
      index === last ? { ...call, json: firstHalf(call.json) } : call,
    ),
  };
}

const firstHalf = (text: string): string => text.slice(0, Math.ceil(text.length / 2));
