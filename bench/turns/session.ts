// One session with a run of many turns, some of which are measured.
import { perform } from '../../src/app/run/perform.ts';
import { prepareRun } from '../../src/app/run/prepare.ts';
import { conversationIn } from '../../src/app/run/conversation.ts';
import { JournalTracker } from '../../src/app/service/journal-tracker.ts';
import { PauseWatch } from '../../src/app/service/service.ts';
import type { Model, ModelReply, ModelRequest } from '../../src/contracts/model.ts';
import { createRedactor } from '../../src/lib/text/redact.ts';
import { openSession, operatorWith, planOf, workIn } from '../loop/our-session.ts';
import { OUR_MODEL } from '../loop/our-model.ts';
import { contentOf, SECRETS } from '../loop/task.ts';
import { NO_COST, plus, shared, type Cost, type Costs, type PartName } from './costs.ts';
import { log, type BenchService } from './service.ts';

/** As many turns as there are from one compaction to the next, so that all conversations are of the same lengths. */
export const WINDOW = 40;
const MESSAGES = 100;
const FILES = 10;
const OPENED_EVERY = 4;
/** A reply and its call. */
const ENTRIES_A_TURN = 2;

interface Played {
  readonly turns: number;
  /** The turns at which the measured ones end. */
  readonly measuredAt: readonly number[];
  readonly directory: string;
}

/** The costs of a turn, by the number of turns. */
export async function playSession(
  service: BenchService,
  { turns, measuredAt, directory }: Played,
): Promise<ReadonlyMap<string, Costs>> {
  const { store } = service;
  const tracker = await openSession(store);
  const measured = new Measured(service, tracker, measuredAt);
  const usual = operatorWith({
    COMPACT_THRESHOLD: String(MESSAGES),
    COMPACT_KEEP_RECENT: String(MESSAGES - 2 * WINDOW),
  });
  // Of one run, so that nothing but its turns is measured.
  const operator = { ...usual, limits: { ...usual.limits, turns: 2 * turns, minutes: 1_000 } };
  const model = modelFor(turns, (turn) => measured.look(turn));
  const scope = {
    tracker,
    // Nothing comes in while it works.
    admit: () => Promise.resolve(),
    signal: new AbortController().signal,
    github: { permissionOf: async () => 'admin' as const, gitToken: async () => 'none' },
    service: {
      store,
      operator,
      openModel: () => Promise.resolve(model),
      pause: new PauseWatch(store),
      allowedBots: [],
      redact: createRedactor(SECRETS).redact,
      log,
    },
  };
  const work = await workIn(directory);
  const end = await perform(scope, await prepareRun(scope, planOf(operator), work), work);
  if (end.kind !== 'finished') throw new Error(`the run ended: ${JSON.stringify(end)}`);
  return measured.costs;
}

/** Adds up the measured turns of a session. */
class Measured {
  readonly costs = new Map<string, Costs>();
  readonly #service: BenchService;
  readonly #tracker: JournalTracker;
  readonly #ends: readonly number[];
  #sums = new Map<PartName, Cost>();
  #since: Cost | undefined;

  constructor(service: BenchService, tracker: JournalTracker, ends: readonly number[]) {
    this.#service = service;
    this.#tracker = tracker;
    this.#ends = ends;
  }

  /** Between two requests, after so many turns. */
  async look(turn: number): Promise<void> {
    const { meter, publish } = this.#service;
    const { id } = this.#tracker;
    if (this.#since !== undefined) await this.#restOfTurn(this.#since, turn);
    const end = this.#ends.find((one) => turn >= one - WINDOW && turn <= one);
    this.#since = undefined;
    if (end === undefined) return;
    if (turn === end) {
      this.costs.set(String(end), costsOf(this.#sums));
      this.#sums = new Map();
      return;
    }
    if (turn === end - WINDOW) {
      await publish(id);
      await this.#updatePage();
    }
    this.#since = meter.now();
  }

  async #restOfTurn(since: Cost, turn: number): Promise<void> {
    const { meter, publish, store } = this.#service;
    const { id } = this.#tracker;
    this.#add('run', meter.since(since));
    this.#add('publish', await meter.of(() => publish(id)));
    this.#add('page', await meter.of(() => this.#updatePage()));
    if (turn % OPENED_EVERY !== 0) return;
    this.#add('rest', await meter.of(() => publish(id, { cold: true })));
    this.#add(
      'opening',
      await meter.of(async () => {
        const again = await JournalTracker.open(store, id, 'nobody');
        JSON.stringify(conversationIn(again).messages);
      }),
    );
  }

  #updatePage(): Promise<void> {
    const { id, session } = this.#tracker;
    return this.#service.updatePage(id, session.seq - ENTRIES_A_TURN);
  }

  #add(part: PartName, cost: Cost): void {
    this.#sums.set(part, plus(this.#sums.get(part) ?? NO_COST, cost));
  }
}

function costsOf(sums: ReadonlyMap<PartName, Cost>): Costs {
  const of = (part: PartName, among: number): Cost => shared(sums.get(part) ?? NO_COST, among);
  const [run, publish, page] = [of('run', WINDOW), of('publish', WINDOW), of('page', WINDOW)];
  const opened = WINDOW / OPENED_EVERY;
  return {
    turn: plus(plus(run, publish), page),
    run,
    publish,
    page,
    opening: of('opening', opened),
    rest: of('rest', opened),
  };
}

/** Answers at once, and calls `between` before each reply. */
function modelFor(turns: number, between: (turn: number) => Promise<void>): Model {
  let turn = 0;
  return {
    name: OUR_MODEL,
    destination: 'Nobody (bench)',
    callsTools: true,
    imageTypes: new Set(),
    contextWindow: undefined,
    reply: async (request) => {
      // Summaries are asked for without tools.
      if (request.tools.length === 0) return replyOf({ text: 'Files were written.' });
      JSON.stringify(request.messages);
      await between(turn);
      turn += 1;
      return turn > turns ? replyOf({ text: 'All files are written.' }) : nextTurn(request, turn);
    },
  };
}

/** Every tenth turn commits; the others write a file of 2 kB. */
function nextTurn({ cacheKey }: ModelRequest, turn: number): ModelReply {
  const id = `${cacheKey}-${turn}`;
  const call =
    turn % FILES === 0
      ? { tool: 'commit', arguments: { message: `Write the files of turn ${turn}` }, id }
      : {
          tool: 'write_file',
          arguments: { path: `file-${turn % FILES}.txt`, content: contentOf(turn) },
          id,
        };
  return replyOf({ calls: [call] });
}

const replyOf = (given: Partial<ModelReply>): ModelReply => ({
  text: '',
  reasoning: '',
  calls: [],
  stop: 'end',
  usage: { input: 0, cached: 0, written: 0, output: 0, reasoning: 0 },
  cost: 0.0001,
  native: null,
  ...given,
});
