// Asks one belief after the other, and says what came of each.
import { reasonOf } from '../../lib/reason.ts';
import type { Answer } from './ask-github.ts';
import { NotAsked, Wrong, type Belief, type Proof } from './proof.ts';

export interface Verdict {
  readonly belief: Belief;
  readonly state: 'holds' | 'wrong' | 'not asked';
  /** Why it is wrong, or was not asked. */
  readonly why: string;
  /** What GitHub answered last. */
  readonly answer: Answer | undefined;
}

export interface Hearing {
  /** What GitHub answered since the belief began. */
  readonly last: () => Answer | undefined;
  /** Another belief begins. */
  readonly begin: (id: string) => void;
  readonly signal: AbortSignal;
  /** Told of each verdict. */
  readonly tell: (verdict: Verdict) => void;
}

/** Those after one that is wrong are asked too, if they do not need it. */
export async function askBeliefs(
  beliefs: readonly Belief[],
  proof: Proof,
  hearing: Hearing,
): Promise<readonly Verdict[]> {
  const verdicts: Verdict[] = [];
  for (const belief of beliefs) {
    hearing.signal.throwIfAborted();
    hearing.begin(belief.id);
    const verdict = await verdictOn(belief, proof, hearing);
    hearing.tell(verdict);
    verdicts.push(verdict);
  }
  return verdicts;
}

async function verdictOn(
  belief: Belief,
  proof: Proof,
  { last, signal }: Hearing,
): Promise<Verdict> {
  try {
    await belief.ask(proof);
    return { belief, state: 'holds', why: '', answer: last() };
  } catch (error) {
    if (signal.aborted) throw error;
    const state = error instanceof NotAsked ? 'not asked' : 'wrong';
    const isKnown = error instanceof NotAsked || error instanceof Wrong;
    const answer = error instanceof Wrong ? (error.answer ?? last()) : last();
    return { belief, state, why: isKnown ? error.message : reasonOf(error), answer };
  }
}
