// A model checker: it visits every state that a protocol can reach, breadth first, so that what it finds is shortest.

export interface Step<State> {
  readonly actor: string;
  readonly does: string;
  /** The function that the step stands for, like `store/claims.ts#claim`; none for what happens to processes. */
  readonly code?: string;
  /** Nothing that has to go on may depend on it. */
  readonly isFault?: boolean;
  readonly to: State;
}

export interface Model<State> {
  readonly initial: State;
  /** The same for two states that are the same. */
  readonly key: (state: State) => string;
  readonly steps: (state: State) => readonly Step<State>[];
  /** What holds in every state, by the words that say so. */
  readonly rules: Readonly<Record<string, (state: State) => boolean>>;
  /** Everything ended as it should, and nothing is under way. */
  readonly isRightEnd: (state: State) => boolean;
}

export interface Violation {
  readonly rule: string;
  /** A line for each step from the beginning. */
  readonly trace: readonly string[];
}

export interface Explored<State> {
  readonly states: number;
  readonly steps: number;
  readonly rightEnds: number;
  /** The functions that some step stood for. */
  readonly code: ReadonlySet<string>;
  /** One of the shortest ways to each kind of step, by what it does, without numbers. */
  readonly ways: ReadonlyMap<string, readonly Step<State>[]>;
  readonly violation: Violation | undefined;
}

export const CANNOT_END = 'from every state, without a fault, there is a way to the right end';

/** A state that was found, and how. */
interface Found<State> {
  readonly state: State;
  readonly from: number;
  readonly by: Step<State> | undefined;
}

/** Stops at the first state that breaks a rule. Throws if there are more than `most` states. */
export function explore<State>(model: Model<State>, most = 1_000_000): Explored<State> {
  const found: Found<State>[] = [{ state: model.initial, from: -1, by: undefined }];
  const places = new Map([[model.key(model.initial), 0]]);
  /** From where a state is reached without a fault. */
  const before: number[][] = [[]];
  const code = new Set<string>();
  const ways = new Map<string, readonly Step<State>[]>();
  let steps = 0;
  let broken: { readonly rule: string; readonly at: number } | undefined;
  for (let at = 0; at < found.length && broken === undefined; at += 1) {
    const { state } = found[at]!;
    const rule = Object.entries(model.rules).find(([, holds]) => !holds(state))?.[0];
    if (rule !== undefined) broken = { rule, at };
    for (const step of model.steps(state)) {
      steps += 1;
      if (step.code !== undefined) code.add(step.code);
      const kind = step.does.replaceAll(/\d/g, '');
      if (!ways.has(kind)) ways.set(kind, [...wayTo(found, at), step]);
      const key = model.key(step.to);
      const known = places.get(key);
      const place = known ?? found.length;
      if (known === undefined) {
        if (place === most) throw new Error(`The model has more than ${most} states.`);
        places.set(key, place);
        found.push({ state: step.to, from: at, by: step });
        before.push([]);
      }
      if (step.isFault !== true) before[place]!.push(at);
    }
  }
  const ends = found.flatMap(({ state }, at) => (model.isRightEnd(state) ? [at] : []));
  const stuck = broken === undefined ? firstOutside(before, ends) : undefined;
  if (stuck !== undefined) broken = { rule: CANNOT_END, at: stuck };
  return {
    states: found.length,
    steps,
    rightEnds: ends.length,
    code,
    ways,
    violation: broken && {
      rule: broken.rule,
      trace: [
        ...wayTo(found, broken.at).map(lineOf),
        `then: ${JSON.stringify(found[broken.at]!.state)}`,
      ],
    },
  };
}

/** The first state from which no end is reached: the search goes back from the ends. */
function firstOutside(before: readonly number[][], ends: readonly number[]): number | undefined {
  const reached = new Set(ends);
  for (const place of reached) for (const earlier of before[place]!) reached.add(earlier);
  const at = before.findIndex((_, place) => !reached.has(place));
  return at === -1 ? undefined : at;
}

function wayTo<State>(found: readonly Found<State>[], at: number): Step<State>[] {
  const steps: Step<State>[] = [];
  for (let place = at; place > 0; place = found[place]!.from) steps.unshift(found[place]!.by!);
  return steps;
}

export const lineOf = <State>({ actor, does, code }: Step<State>): string =>
  `${actor} ${does}${code === undefined ? '' : ` (${code})`}`;

/** A way on from `begun`, chosen by `random` (from 0 to 1), until nothing can happen or it has `most` steps. */
export function walk<State>(
  model: Model<State>,
  begun: readonly Step<State>[],
  random: () => number,
  most: number,
): Step<State>[] {
  const taken = [...begun];
  while (taken.length < most) {
    const possible = model.steps(taken.at(-1)?.to ?? model.initial);
    const chosen = possible[Math.floor(random() * possible.length)];
    if (chosen === undefined) break;
    taken.push(chosen);
  }
  return taken;
}
