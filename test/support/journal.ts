// Builds journals the way a session writes them: numbered, timed, each entry after the one before.
import type { ServerTool } from '../../src/contracts/mcp.ts';
import type { Effect } from '../../src/contracts/effect.ts';
import type { ProtocolName, RunEnd, RunMode } from '../../src/contracts/entries.ts';
import type { ImageType } from '../../src/contracts/image.ts';
import type { Call, Effort, Usage } from '../../src/contracts/model.ts';
import type { Entry, EntryOf, NewEntry, RejectionReason } from '../../src/session/entry.ts';
import type { LineComment } from '../../src/contracts/shown-text.ts';
import { apply, fold } from '../../src/session/fold/fold.ts';
import { inputMessage } from '../../src/agent/prompts/input.ts';
import type {
  AskedFor,
  CommandName,
  Intent,
  Person,
  RepositoryRef,
} from '../../src/contracts/intent.ts';
import type { Session } from '../../src/session/session.ts';

const MAINTAINER: Person = { login: 'octo-maintainer', id: 5 };
export const BOT: Person = { login: 'example-bot[bot]', id: 6, bot: true };
export const STRANGER: Person = { login: 'example-visitor', id: 9 };
/** May request work, and did not. */
export const WRITER: Person = { login: 'example-writer', id: 10 };

const START = Date.parse('2030-01-15T14:03:00Z');

/** A call of a reply, with what came of it; without a result it was started and is still open. */
export interface CallMade {
  readonly tool: string;
  readonly arguments?: unknown;
  readonly title?: string;
  readonly id?: string;
  /** Why its arguments could not be read; such a call never starts. */
  readonly fault?: string;
  readonly result?: {
    readonly ok?: boolean;
    readonly output?: string;
    readonly effects?: readonly Effect[];
    readonly halt?: 'asked' | 'finished';
  };
}

export interface TurnTaken {
  readonly thought?: string;
  readonly text?: string;
  /** The model ended its work with a text; `calls` has the call that was made for it. */
  readonly answer?: string;
  readonly fault?: string;
  readonly stop?: EntryOf<'reply'>['stop'];
  readonly native?: EntryOf<'reply'>['native'];
  readonly calls?: readonly CallMade[];
  readonly usage?: Partial<Usage>;
  /** US dollars; `null` for a model without a known price. */
  readonly cost?: number | null;
  readonly durationMs?: number;
}

export interface RunPrepared {
  readonly model?: string;
  readonly destination?: string;
  readonly effort?: Effort;
  readonly fallback?: EntryOf<'run_prepared'>['fallback'];
  readonly reviewer?: EntryOf<'run_prepared'>['reviewer'];
  readonly image?: EntryOf<'run_prepared'>['image'];
  readonly protocol?: ProtocolName;
  readonly mode?: RunMode;
  readonly instructions?: string;
  readonly warnings?: readonly string[];
  readonly planFirst?: true;
  readonly continuous?: true;
  readonly reviewRounds?: number;
  readonly limits?: EntryOf<'run_prepared'>['limits'];
  readonly baseCommit?: string;
  readonly replaces?: string;
  readonly resolvesThreads?: true;
  readonly tools?: readonly string[];
  readonly serverTools?: readonly ServerTool[];
}

const INSTRUCTIONS = 'You work on one issue of a repository.\n\n# Form of every reply\n…';
const USAGE: Usage = { input: 5200, cached: 4096, written: 0, output: 310, reasoning: 0 };
const COST = 0.012;

export class Journal {
  readonly entries: Entry[] = [];
  readonly #place: { readonly installation: number; readonly repository: RepositoryRef };
  #now = START;
  #protocol: ProtocolName = 'json';
  /** The session after each entry. */
  readonly #folded: { readonly entry: Entry; readonly session: Session }[] = [];

  constructor({ issue = 7, owner = 'example', name = 'greeter' } = {}) {
    this.#place = { installation: 11, repository: { id: 21, owner, name } };
    this.add({ type: 'opened', ...this.#place, issue });
  }

  /** A test may have replaced or removed entries. */
  get session(): Session {
    const folded = this.#folded;
    const changed = folded.findIndex(({ entry }, at) => entry !== this.entries[at]);
    if (changed !== -1) folded.length = changed;
    for (const entry of this.entries.slice(folded.length)) {
      const before = folded.at(-1)?.session;
      const session = before === undefined ? fold([entry]) : apply(before, entry);
      folded.push({ entry, session });
    }
    return folded.at(-1)?.session ?? fold([]);
  }

  /** The raw way in: any entry, `seconds` after the one before. */
  add(entry: NewEntry, seconds = 0.4): this {
    this.#now += seconds * 1000;
    const at = new Date(this.#now).toISOString();
    this.entries.push({ ...entry, seq: this.entries.length + 1, at });
    return this;
  }

  /** Lets time pass before the next entry. */
  wait(seconds: number): this {
    this.#now += seconds * 1000;
    return this;
  }

  receive(intent: Intent, sender: Person = MAINTAINER): this {
    const delivery = `delivery-${this.entries.length + 1}`;
    return this.add({ type: 'received', delivery, ...this.#place, sender, intent });
  }

  /** The label is added, and counts. */
  start(title = 'Greet people by name', body = 'The greeting should use the name.'): this {
    return this.receive({ kind: 'start', label: 'issuewright', title, body }).admit();
  }

  comment(body: string, sender: Person = MAINTAINER): this {
    const commentId = 100 + this.entries.length;
    return this.receive({ kind: 'comment', on: 'issue', commentId, body }, sender);
  }

  review(body: string, verdict: 'approved' | 'changes_requested' = 'changes_requested'): this {
    return this.receive({
      kind: 'review',
      pullRequest: 12,
      reviewId: 200 + this.entries.length,
      verdict,
      body,
    });
  }

  /** Admits what was received last. */
  admit(lineComments: readonly LineComment[] = []): this {
    const received = this.entries.length;
    return this.add({ type: 'admitted', received, lineComments, ...shownOf(this.entries.at(-1)) });
  }

  /** The same, for a comment that asks for something. */
  admitAsking(what: AskedFor, alone = false): this {
    const received = this.entries.length;
    const shown = shownOf(this.entries.at(-1));
    return this.add({
      type: 'admitted',
      received,
      lineComments: [],
      ask: { for: what, alone },
      ...shown,
    });
  }

  /** A command in a comment of its own. */
  command(name: CommandName, sender: Person = MAINTAINER): this {
    return this.comment(`/issuewright ${name}`, sender).admitAsking(name, true);
  }

  reject(reason: RejectionReason): this {
    return this.add({ type: 'rejected', received: this.entries.length, reason });
  }

  /** A run starts, is prepared, and the model is shown what people said. */
  run(prepared: string | RunPrepared = {}): this {
    const parts = typeof prepared === 'string' ? { model: prepared } : prepared;
    return this.beginRun().prepare(parts).takeInput();
  }

  /** A run starts, and is not prepared yet. */
  beginRun(): this {
    const last = this.session.run?.number ?? 0;
    const replies = { repliesToRequests: true, repliesAtOnce: true } as const;
    return this.add({ type: 'run_started', run: last + 1, ...replies });
  }

  prepare({
    model = 'openai:example-model',
    destination = 'OpenAI (api.openai.com)',
    effort,
    fallback,
    reviewer,
    image,
    protocol = 'json',
    mode = 'agent',
    instructions = INSTRUCTIONS,
    warnings = [],
    planFirst,
    continuous,
    reviewRounds,
    resolvesThreads,
    limits,
    baseCommit = '4b825dc642cb6eb9a060e54bf8d69288fbee4904',
    replaces,
    tools,
    serverTools,
  }: RunPrepared = {}): this {
    const {
      thread: { issue },
      run,
    } = this.session;
    this.#protocol = protocol;
    const entry = {
      type: 'run_prepared',
      run: run?.number ?? 1,
      model,
      destination,
      protocol,
      mode,
      instructions,
      branch: `issuewright/issue-${issue}`,
      baseBranch: 'main',
      baseCommit,
      ...(replaces === undefined ? {} : { replaces }),
      ...(warnings.length === 0 ? {} : { warnings }),
      ...(effort === undefined ? {} : { effort }),
      ...(fallback === undefined ? {} : { fallback }),
      ...(reviewer === undefined ? {} : { reviewer }),
      ...(image === undefined ? {} : { shell: 'contained' as const, image }),
      ...(planFirst === undefined ? {} : { planFirst }),
      ...(continuous === undefined ? {} : { continuous }),
      ...(reviewRounds === undefined ? {} : { reviewRounds }),
      ...(resolvesThreads === undefined ? {} : { resolvesThreads }),
      ...(limits === undefined ? {} : { limits }),
      ...(tools === undefined ? {} : { tools }),
      ...(serverTools === undefined ? {} : { serverTools }),
    } as const;
    return this.add(entry, 1.2);
  }

  /** `imageTypes`: the images that the model can see. */
  takeInput(imageTypes: ReadonlySet<ImageType> = new Set()): this {
    const { unread } = this.session.requests;
    const last = unread.at(-1);
    if (last === undefined) return this;
    return this.add({
      type: 'input_read',
      upTo: last.admittedAt,
      ...inputMessage(this.session, { imageTypes }),
    });
  }

  /** One reply of the model with the results of its calls. */
  turn({ calls = [], durationMs = 2300, ...turn }: TurnTaken): this {
    const made = calls.map(callOf);
    const thought = turn.thought ?? '';
    const written = made.map((call) => ({ tool_name: call.tool, arguments: call.arguments }));
    const text = turn.answer ?? JSON.stringify({ plan: thought, tool_calls: written });
    const reply = {
      type: 'reply',
      protocol: this.#protocol,
      text: turn.text ?? text,
      thought,
      calls: turn.fault === undefined ? made : [],
      answer: turn.answer ?? null,
      fault: turn.fault ?? null,
      stop: turn.stop ?? 'end',
      native: turn.native ?? null,
      usage: { ...USAGE, ...turn.usage },
      cost: turn.cost === undefined ? COST : turn.cost,
      durationMs,
    } as const;
    this.add(reply, durationMs / 1000);
    const { length: seq } = this.entries;
    for (const [index, call] of calls.entries()) this.#call(seq, index, call);
    return this;
  }

  #call(reply: number, index: number, { tool, title = tool, fault, result }: CallMade): void {
    if (fault !== undefined) {
      const failed = { ok: false, output: fault, effects: [], halt: null };
      this.add({ type: 'call_finished', reply, index, ...failed }, 0.01);
      return;
    }
    this.add({ type: 'call_started', reply, index, title }, 0.01);
    if (result === undefined) return;
    const { ok = true, output = 'Done.', effects = [], halt = null } = result;
    this.add({ type: 'call_finished', reply, index, ok, output, effects, halt }, 0.2);
  }

  /** A turn with one call that has this effect. */
  effect(effect: Effect, halt?: 'asked' | 'finished'): this {
    const result = { effects: [effect], ...(halt === undefined ? {} : { halt }) };
    return this.turn({ thought: 'One step further.', calls: [{ tool: effect.type, result }] });
  }

  notice(topic: string, text: string): this {
    return this.add({ type: 'notice', topic, text });
  }

  protocolChanged(reason: string, protocol: ProtocolName = 'json'): this {
    this.#protocol = protocol;
    return this.add({ type: 'protocol_changed', protocol, instructions: INSTRUCTIONS, reason });
  }

  /** All but the first message so far, or up to an entry, was replaced by a summary or, without one, dropped. */
  compacted(summary: string | null, upTo = this.entries.length): this {
    const asked = summary !== null;
    return this.add({
      type: 'compacted',
      upTo,
      summary,
      usage: asked ? USAGE : { input: 0, cached: 0, written: 0, output: 0, reasoning: 0 },
      cost: asked ? COST : 0,
      durationMs: asked ? 4100 : 0,
    });
  }

  workKept(...effects: readonly Effect[]): this {
    return this.add({ type: 'work_saved', run: this.session.run?.number ?? 1, effects });
  }

  /** The last reply of a run without tools, and its end. */
  answered(answer: string, turn: TurnTaken = {}): this {
    return this.turn({ ...turn, answer }).end({ kind: 'answered' });
  }

  end(end: RunEnd): this {
    return this.add({ type: 'run_ended', run: this.session.run?.number ?? 1, end });
  }
}

/** As if GitHub showed the text as it is. */
function shownOf(entry: Entry | undefined): Pick<EntryOf<'admitted'>, 'shown' | 'issue'> {
  if (entry?.type !== 'received') return {};
  const { intent } = entry;
  const about = intent.kind === 'start' ? intent : 'thread' in intent ? intent.thread : undefined;
  return {
    ...('body' in intent && intent.kind !== 'start' ? { shown: { body: intent.body } } : {}),
    ...(about === undefined
      ? {}
      : { issue: { title: about.title, body: about.body, digest: about.title + about.body } }),
  };
}

const callOf = ({ tool, arguments: args = {}, id, fault }: CallMade): Call => ({
  tool,
  arguments: args,
  ...(id === undefined ? {} : { id }),
  ...(fault === undefined ? {} : { fault }),
});
