import { PROBE_INSTRUCTIONS } from '../../../../src/agent/prompts/probe.ts';
import {
  SELF_REVIEW_INSTRUCTIONS,
  SUMMARY_INSTRUCTIONS,
  summaryMessage,
} from '../../../../src/agent/prompts/separate-requests.ts';
import type { Call, Message, ModelRequest } from '../../../../src/contracts/model.ts';
import {
  formOf,
  stepsOf,
  type ScriptForm,
  type ScriptReply,
  type ScriptStep,
} from './script-steps.ts';
import type { ParsedScript, ScriptTurn } from './script.ts';

export interface PlayerRequest extends Pick<ModelRequest, 'system' | 'messages'> {
  readonly hasTools: boolean;
  /** The length of the request, for scripts with `context_bytes`. */
  readonly bytes: number;
}

export type Trouble =
  | { readonly kind: 'status'; readonly status: number }
  | { readonly kind: 'cut' | 'die' };

export interface PlayedReply {
  readonly kind: 'reply';
  /** Index among the replies of the conversation. */
  readonly place: number;
  readonly text: string;
  readonly calls: readonly Call[];
  /** Empty if the turn has none. */
  readonly reasoning: string;
  readonly delayMs: number;
  /** The failure that replaces or interrupts the reply. */
  readonly trouble: Trouble | null;
}

export type Played =
  | PlayedReply
  /** A summary, a review, or the answer to a test: no part of the conversation. */
  | { readonly kind: 'aside'; readonly text: string }
  | { readonly kind: 'tools_unsupported' }
  | { readonly kind: 'too_long'; readonly limit: number }
  /** The script has no reply to this request. `words` explain why to the author of the script. */
  | { readonly kind: 'no_reply'; readonly words: string };

/** State of a conversation. */
interface Memory {
  /** Index of the last reply that was sent. */
  answered: number;
  /** The index used for requests without any reply left; `undefined` after a request that has replies. */
  afterLoss: number | undefined;
}

/**
 * Plays scripts to any number of conversations, which it identifies by their first user message.
 *
 * The number of assistant messages in the request determines the next reply. So a client that was killed
 * continues where it was, and a repeated request gets the same reply. A compacted or truncated conversation
 * contains a message that says so. Then the player recognises the newest remaining reply by the ids of its
 * calls, or else by its text (so a script for text protocols must not repeat a reply). If no reply remains,
 * it continues after the last reply that it sent.
 */
export class ScriptPlayer {
  readonly #scripts: readonly ParsedScript[];
  readonly #steps = new Map<ParsedScript, Map<ScriptForm, readonly ScriptStep[]>>();
  readonly #memories = new Map<string, Memory>();
  /** The changes that were reviewed, in order. */
  readonly #reviewed = new Map<ParsedScript, string[]>();
  /** How often the failure of a turn has happened, by conversation and turn. */
  readonly #troubles = new Map<string, number>();

  constructor(scripts: readonly ParsedScript[]) {
    this.#scripts = scripts;
  }

  next(request: PlayerRequest): Played {
    if (request.system === PROBE_INSTRUCTIONS) return { kind: 'aside', text: 'OK' };
    const first = firstOf(request.messages);
    const script = this.#scriptFor(first);
    if (script === undefined)
      return noReply(`no script matches the first user message: ${excerpt(first)}`);
    if (request.bytes > (script.context_bytes ?? Infinity))
      return { kind: 'too_long', limit: script.context_bytes ?? 0 };
    if (request.hasTools && script.tools_unsupported === true) return { kind: 'tools_unsupported' };
    if (request.system === SUMMARY_INSTRUCTIONS)
      return script.summary === undefined
        ? noReply('the script has no `summary`, and one was asked for')
        : { kind: 'aside', text: script.summary };
    if (request.system === SELF_REVIEW_INSTRUCTIONS)
      return { kind: 'aside', text: this.#reviewOf(script, first) };
    return this.#reply(script, request, first);
  }

  /** A repeated request gets the same review. */
  #reviewOf(script: ParsedScript, change: string): string {
    const changes = this.#reviewed.get(script) ?? [];
    this.#reviewed.set(script, changes);
    if (!changes.includes(change)) changes.push(change);
    return script.reviews[changes.indexOf(change)] ?? 'nothing';
  }

  /** The script's step for each assistant message of the request, in order. */
  stepsSaid(request: PlayerRequest): readonly (ScriptStep | undefined)[] {
    const script = this.#scriptFor(firstOf(request.messages));
    if (script === undefined) return [];
    const steps = this.#stepsOf(script, formOf(request));
    const replies = request.messages.filter((message) => message.role === 'assistant');
    const lost = lostBefore(request.messages, steps) ?? 0;
    return replies.map((_reply, index) => steps[index + lost]);
  }

  #reply(script: ParsedScript, request: PlayerRequest, first: string): Played {
    const { messages } = request;
    const steps = this.#stepsOf(script, formOf(request));
    const place = this.#placeOf(messages, steps, first);
    const step = steps[place];
    if (step === undefined)
      return noReply(`the script has ${steps.length} turns, and turn ${place + 1} was asked`);
    const { turn, isFirst, text, calls } = step;
    const last = sinceLastReply(messages);
    if (isFirst && turn.when !== undefined && !new RegExp(turn.when).test(last))
      return noReply(
        `turn ${place + 1} expects /${turn.when}/ in what came last, which is: ${excerpt(last)}`,
      );
    const trouble = isFirst ? this.#takeTrouble(turn, `${step.index} ${first}`) : null;
    if (trouble === null || trouble.kind === 'cut') this.#memoryOf(first).answered = place;
    const reasoning = isFirst ? (turn.reasoning ?? '') : '';
    const delayMs = isFirst ? (turn.delay_ms ?? 0) : 0;
    return { kind: 'reply', place, text, calls, reasoning, delayMs, trouble };
  }

  #placeOf(messages: readonly Message[], steps: readonly ScriptStep[], first: string): number {
    const memory = this.#memoryOf(first);
    const count = messages.filter(({ role }) => role === 'assistant').length;
    if (count === 0 && hasLoss(messages)) {
      memory.afterLoss ??= memory.answered + 1;
      return memory.afterLoss;
    }
    memory.afterLoss = undefined;
    return count + (lostBefore(messages, steps) ?? 0);
  }

  #takeTrouble(turn: ScriptTurn, key: string): Trouble | null {
    const trouble = troubleOf(turn);
    const happened = this.#troubles.get(key) ?? 0;
    this.#troubles.set(key, happened + 1);
    return happened < turn.times ? trouble : null;
  }

  #scriptFor(first: string): ParsedScript | undefined {
    return this.#scripts.find(({ match }) => match === undefined || new RegExp(match).test(first));
  }

  #stepsOf(script: ParsedScript, form: ScriptForm): readonly ScriptStep[] {
    const byForm = this.#steps.get(script) ?? new Map<ScriptForm, readonly ScriptStep[]>();
    const steps = byForm.get(form) ?? stepsOf(script, form);
    this.#steps.set(script, byForm.set(form, steps));
    return steps;
  }

  #memoryOf(first: string): Memory {
    const memory = this.#memories.get(first) ?? { answered: -1, afterLoss: undefined };
    this.#memories.set(first, memory);
    return memory;
  }
}

const noReply = (words: string): Played => ({ kind: 'no_reply', words });

function troubleOf({ status, cut, die }: ScriptTurn): Trouble | null {
  if (status !== undefined) return { kind: 'status', status };
  if (die === true) return { kind: 'die' };
  return cut === true ? { kind: 'cut' } : null;
}

/** The first user message, which identifies a conversation. */
export const firstOf = (messages: readonly Message[]): string =>
  messages.find((message) => message.role === 'user')?.text ?? '';

function sinceLastReply(messages: readonly Message[]): string {
  const from = messages.findLastIndex(({ role }) => role === 'assistant') + 1;
  return messages.slice(from).flatMap(saidToModel).join('\n');
}

function saidToModel(message: Message): readonly string[] {
  if (message.role === 'user') return [message.text];
  return message.role === 'results' ? message.results.map(({ output }) => output) : [];
}

const DROPPED = summaryMessage(null);
const SUMMARISED = summaryMessage('').trimEnd();

/** Whether older messages were removed from the conversation. */
const hasLoss = (messages: readonly Message[]): boolean =>
  messages.some(
    (message) =>
      message.role === 'user' && (message.text === DROPPED || message.text.startsWith(SUMMARISED)),
  );

/** How many replies were removed, computed from the newest reply that can be recognised. */
function lostBefore(
  messages: readonly Message[],
  steps: readonly ScriptStep[],
): number | undefined {
  if (!hasLoss(messages)) return 0;
  const replies = messages.filter((message) => message.role === 'assistant');
  return replies
    .map((reply, index) => {
      const place = placeById(reply.calls) ?? placeByWords(reply, index, steps);
      return place === undefined ? undefined : place - index;
    })
    .findLast((lost) => lost !== undefined);
}

function placeById([call]: readonly Call[]): number | undefined {
  const step = /^call_(\d+)_\d+$/.exec(call?.id ?? '')?.[1];
  return step === undefined ? undefined : Number(step) - 1;
}

function placeByWords(
  reply: ScriptReply,
  from: number,
  steps: readonly ScriptStep[],
): number | undefined {
  const words = wordsOf(reply);
  const place = steps.findIndex((step, index) => index >= from && wordsOf(step) === words);
  return place === -1 ? undefined : place;
}

const wordsOf = ({ text, calls }: ScriptReply): string =>
  JSON.stringify([text.trim(), calls.map((call) => [call.tool, call.arguments])]);

const EXCERPT = 200;
const excerpt = (text: string): string =>
  JSON.stringify(text.length > EXCERPT ? `…${text.slice(-EXCERPT)}` : text);
