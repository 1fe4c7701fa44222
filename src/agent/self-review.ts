import type { Finding, SelfReview } from '../contracts/effect.ts';
import type { Model, ModelReply } from '../contracts/model.ts';
import { TellPerson, TryLater } from '../lib/errors.ts';
import { NO_USAGE } from '../lib/no-usage.ts';
import { cutWords } from '../lib/text/text.ts';
import { ContextOverflow } from './model-errors.ts';
import { SELF_REVIEW_INSTRUCTIONS } from './prompts/separate-requests.ts';
import { withoutThinking } from './protocols/telling.ts';
import { shareOfWindow } from './relief.ts';

/** What a reviewer gets to see. */
export interface Change {
  /** Equal for the same change. */
  readonly digest: string;
  /** What people requested, and the diff. */
  readonly text: string;
  /** The paths that it changes. */
  readonly paths: readonly string[];
  /** What is found without a model. */
  readonly findings: readonly Finding[];
}

export interface SelfReviewRequest {
  readonly model: Model;
  readonly change: Change;
  /** Why no model is asked, if none is. */
  readonly instead?: string | undefined;
  /** Tokens of a reply. */
  readonly outputTokens: number;
  readonly cacheKey: string;
  /** Removes secrets from a text, for people. */
  readonly redact: (text: string) => string;
  readonly redactForModel: (text: string) => Promise<string>;
  readonly signal: AbortSignal;
}

const MAX_FINDINGS = 10;
const MAX_TEXT = 500;
const MAX_CHARACTERS = 100_000;
const MAX_REPLY_TOKENS = 8_000;

/** How many characters of a change the model gets at most. */
export const roomFor = (model: Model): number => shareOfWindow(model, 1 / 2, MAX_CHARACTERS);

/**
 * Asks a model that knows nothing of the conversation what people would send back. A review that is not possible
 * must not keep the work from people: it says why.
 * @throws the signal's reason if it is aborted
 */
export async function reviewChange(request: SelfReviewRequest): Promise<SelfReview> {
  const { change, redact } = request;
  const before = performance.now();
  const answer = request.instead === undefined ? await ask(request) : unanswered(request.instead);
  const found = 'failure' in answer ? [] : findingsIn(answer.text, change.paths);
  const findings = [...change.findings, ...found].slice(0, MAX_FINDINGS);
  return {
    change: change.digest,
    findings: findings.map((one) => ({ ...one, text: redact(one.text) })),
    ...('failure' in answer ? { failure: redact(answer.failure) } : {}),
    usage: answer.usage,
    cost: answer.cost,
    durationMs: Math.round(performance.now() - before),
  };
}

type Answer = Pick<ModelReply, 'usage' | 'cost'> &
  ({ readonly text: string } | { readonly failure: string });

const unanswered = (failure: string): Answer => ({ failure, usage: NO_USAGE, cost: 0 });

async function ask(request: SelfReviewRequest): Promise<Answer> {
  const { model, change, redactForModel, signal } = request;
  try {
    const { stop, usage, cost, ...reply } = await model.reply({
      system: SELF_REVIEW_INSTRUCTIONS,
      messages: [{ role: 'user', text: await redactForModel(change.text) }],
      tools: [],
      maxOutputTokens: Math.min(request.outputTokens, MAX_REPLY_TOKENS),
      cacheKey: request.cacheKey,
      signal,
    });
    if (stop === 'filtered')
      return { failure: "The provider's safety filter stopped the reply.", usage, cost };
    const text = withoutThinking(reply.text).trim();
    const isReadable = text.match(FINDING) !== null || NOTHING.test(text);
    return isReadable ? { text, usage, cost } : { failure: UNREADABLE, usage, cost };
  } catch (error) {
    if (error instanceof ContextOverflow)
      return unanswered(`The change is too large for ${model.name}.`);
    if (error instanceof TellPerson || error instanceof TryLater) return unanswered(error.message);
    throw error;
  }
}

const FINDING = /^[ \t]*(?:[-*•]|\d+[.)])[ \t]+(\S.*)$/gmu;
const NOTHING = /^\W*nothing\W*$/iu;
const UNREADABLE = 'The reply was not a list of findings.';
const PLACE = /^[`*]*([^\s`*:]+)(?::(\d+))?(?:-\d+)?[`*]*:\s+(\S.*)$/u;

/** The lines of a list; a path counts only if the change has it. */
function findingsIn(reply: string, paths: readonly string[]): readonly Finding[] {
  const listed = [...reply.matchAll(FINDING)].map(([, words = '']) => words);
  return listed
    .filter((words) => !NOTHING.test(words))
    .map((words) => {
      const [, path, line, rest = ''] = PLACE.exec(words) ?? [];
      if (path === undefined || !paths.includes(path)) return { text: shortened(words) };
      const at = line === undefined ? {} : { line: Number(line) };
      return { path, ...at, text: shortened(rest) };
    });
}

const shortened = (text: string): string => cutWords(text.trim(), MAX_TEXT);
