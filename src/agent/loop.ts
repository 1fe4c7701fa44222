// One run of the agent. It reads and writes a list of messages (`history`), which begins with what
// people asked and grows turn by turn: a reply of the model, then the results of its calls. Everything that
// enters the list is an entry that is journaled first: the loop yields it and continues once it is stored, so
// a resumed run continues exactly where the journal ends.
import { act } from './act.ts';
import { endByLimit, nearlyUsed, type LoopEnd, type RunTotals } from './limits.ts';
import { makeRoomNow, replyTokens, shortenConversation } from './make-room.ts';
import { GO_ON, wrapUp, type NearlyUsed } from './prompts/notices.ts';
import { spentBy, type News, type Notice, type Run, type Steps } from './agent-run.ts';
import type { History } from './history.ts';
import type { Reply } from '../contracts/entries.ts';
import { TellPerson } from '../lib/errors.ts';
import { ContextOverflow, ImagesRejected, ToolsUnsupported } from './model-errors.ts';
import { FAULTS, isHeldForPeople } from './prompts/replies.ts';
import { faulty, withoutThinking, type ReplyReading } from './protocols/protocol.ts';
import type { Toolbox } from './dispatch.ts';
import type { Tool } from '../contracts/tool.ts';
import { withoutInvisible } from '../lib/text/invisible.ts';

/**
 * Runs the calls of the last reply, reads new input and requests the next reply, until something ends the run.
 * @throws {TellPerson | TryLater} what the model's adapter or a tool throws for others than the model
 */
export async function* runLoop(run: Run): Steps<LoopEnd> {
  for (;;) {
    yield* act(run);
    const spent = await spentBy(run);
    const end = endOf(run, spent);
    if (end !== undefined) return end;
    const heard = await run.io.hear();
    if ('end' in heard) return heard.end;
    yield* tell(run, heard, spent);
    yield* shortenConversation(run);
    // A summary is a request too, after which nothing may be left for another one.
    const paid = run.history.used.dollars > spent.dollars;
    const usedUp = paid ? endByLimit(run.limits, await spentBy(run)) : undefined;
    if (usedUp !== undefined) return usedUp;
    yield* ask(run);
  }
}

/** How the run ends after this turn, if it does. */
function endOf({ mode, history, limits }: Run, spent: RunTotals): LoopEnd | undefined {
  const { end, faultsInARow, used } = history;
  // By one of its calls, or by the provider's safety filter.
  if (end !== undefined) return end;
  const hasReplied = used.turns > 0 && faultsInARow === 0;
  if (hasReplied && mode === 'completion') return { kind: 'answered' };
  if (hasReplied && mode === 'single') return { kind: 'finished' };
  if (faultsInARow > limits.faults)
    return { kind: 'failed', cause: { because: 'unreadable_replies', times: faultsInARow } };
  return endByLimit(limits, spent);
}

/** Adds what people said since the last request, and what the service has to say itself. */
async function* tell(run: Run, { input, notices }: News, spent: RunTotals): Steps<void> {
  const { history, limits, mode } = run;
  if (input !== undefined) history.add(yield { type: 'input_read', ...input });
  const near = mode === 'completion' ? undefined : nearlyUsed(limits, spent);
  const own = ownNotices(history, near);
  for (const notice of [...notices, ...own]) {
    if (!history.wasTold(notice.topic)) history.add(yield { type: 'notice', ...notice });
  }
}

/** To wrap up, or that an earlier note to do so no longer applies: a new run, or a raised limit, has room again. */
function ownNotices(history: History, near: NearlyUsed | undefined): readonly Notice[] {
  if (near !== undefined) return [{ topic: `wrap-up:${history.runs}`, text: wrapUp(near) }];
  return history.isToldToWrapUp ? [{ topic: `go-on:${history.runs}`, text: GO_ON }] : [];
}

/** Adds the model's next reply; or, if the server rejects the request, a change that makes it acceptable. */
async function* ask(run: Run): Steps<void> {
  try {
    run.history.add(yield await request(run));
  } catch (error) {
    if (error instanceof ContextOverflow) yield* makeRoomNow(run, error);
    else if (error instanceof ImagesRejected)
      run.history.add(yield { type: 'images_dropped', reason: error.message });
    else if (error instanceof ToolsUnsupported) yield* changeProtocol(run);
    else throw error;
  }
}

/** One request, and its reply as the protocol reads it. */
async function request(run: Run): Promise<Reply> {
  const { protocol, instructions } = run.history.prompt;
  const before = performance.now();
  const { text, reasoning, calls, stop, native, usage, cost } = await run.model.reply({
    system: instructions,
    messages: run.history.messages,
    tools: protocol.specs(run.tools.list),
    maxOutputTokens: replyTokens(run),
    cacheKey: run.cacheKey,
    signal: run.signal,
  });
  // The text of a filtered reply is not an answer, and does not end the work.
  const tools = run.tools.list;
  const read =
    stop === 'filtered'
      ? faulty(FAULTS.filtered)
      : protocol.read({ text, reasoning, calls, stop, tools });
  const reading = protocol.name === 'none' ? read : confirmed(run, read, text);
  const concluding = protocol.name !== 'none' && reading.answer !== null;
  return {
    type: 'reply',
    protocol: protocol.name,
    text,
    ...reading,
    calls: concluding ? [run.tools.conclude(reading.answer)] : reading.calls,
    stop,
    native,
    usage,
    cost,
    durationMs: Math.round(performance.now() - before),
  };
}

/**
 * An answer that only announces work has to be given again. So has one after an end that was held back: it may be about that. So has one that may be a call in an unknown form; if it names
 * a tool and would end the work with nothing changed, with a call. So no form has to be known for its calls not to be
 * taken for an answer. Once files were changed, an answer may contain code, and only the name of a tool is doubtful.
 */
function confirmed({ history, tools }: Run, reading: ReplyReading, text: string): ReplyReading {
  const { answer, thought } = reading;
  // An answer that stood in tags, or behind a label, was given as one.
  if (answer === null || answer !== withoutThinking(text).trim()) return reading;
  if (wasHeldBack(history, tools)) return faulty(FAULTS.heldBack, thought);
  const isRepeated =
    history.fault === FAULTS.unsureAnswer || history.fault === FAULTS.announcedWork;
  if (!isRepeated && announcesWork(answer)) return faulty(FAULTS.announcedWork, thought);
  const doubt = doubtOf(answer, tools.list);
  const { hasChangedFiles } = history;
  const isClear = doubt === undefined || (doubt === 'form' && hasChangedFiles);
  if (isClear || (isRepeated && (doubt !== 'tool' || hasChangedFiles))) return reading;
  return faulty(FAULTS.unsureAnswer, thought);
}

/** Whether the reply before asked for the end of the work, and did not get it. */
const wasHeldBack = ({ finishedCalls, end }: History, { named }: Toolbox): boolean =>
  end === undefined &&
  finishedCalls.some(
    ({ call, result }) =>
      !result.ok &&
      result.halt === null &&
      !isHeldForPeople(result) &&
      named.get(call.tool)?.waitsFor === 'edits and tests',
  );

/** The system prompt describes the tools from here on. */
async function* changeProtocol({ history, model, fallback, tools }: Run): Steps<void> {
  const { protocol, instructions } = history.prompt;
  if (fallback === undefined || fallback.name === protocol.name) {
    throw new TellPerson(
      `The model server does not support tools for ${model.name}. Set PROTOCOL to \`auto\` or \`json\`, or choose another model.`,
    );
  }
  const entry = {
    type: 'protocol_changed',
    protocol: fallback.name,
    instructions: `${instructions}\n\n${fallback.instructions(tools.list)}`,
    reason: `the server does not support tools for ${model.name}`,
  } as const;
  history.add(yield entry);
}

/**
 * How people say in the first person what they are about to do, by language. An innocent sentence of this form costs
 * one more request, so a few of them do no harm.
 */
const INTENTIONS: readonly RegExp[] = [
  // English; not "let me know".
  /\b(?:I['’]ll|I (?:will|shall)|I(?: am|['’]m) (?:now |just )?(?:going to|about to|starting|beginning|proceeding)|let me(?! know)|let['’]?s|(?:next|now|first|then),? I\b|going to (?:now )?[a-z]+ (?:the|it|this|a)\b)/iu,
  /^(?:(?!\p{L}*thing\b)\p{L}+ing\b.*\bnow|(?:continuing|proceeding|starting|moving on)\b.*)[.!]*$/iu,
  // German
  /(?<!\p{L})(?:ich werde|lass(?:en Sie|t)? (?:mich|uns)|(?:jetzt|nun|als nächstes|zuerst|dann) \p{L}+e ich|ich \p{L}+e (?:jetzt|nun|zuerst|als nächstes|gleich))(?!\p{L})/iu,
  // French
  /(?<!\p{L})(?:je vais|nous allons|laisse(?:z)?[- ]moi|je (?:commence|passe|procède)|commençons)(?!\p{L})/iu,
  // Spanish, Portuguese, Italian
  /(?<!\p{L})(?:voy a|vamos a|déjame|permíteme|procederé|(?:eu )?vou|vamos|deixe-me|deixa-me|irei|vado a|sto per|ora (?:procedo|passo)|procederò|lasciami|fammi)(?!\p{L})/iu,
  // Dutch and the languages of Scandinavia
  /(?<!\p{L})(?:ik ga|ik zal|laat me|(?:jag|jeg) (?:kommer att|ska|skal|vil)|låt mig|lad mig|la meg)(?!\p{L})/iu,
  // Russian, Ukrainian, Polish, Czech, Turkish
  /(?<!\p{L})(?:я (?:сейчас|теперь|буду)|(?:сейчас|теперь|затем|далее) я|давайте|позвольте|зараз я|я зараз|teraz (?:przejdę|zrobię|sprawdzę|edytuję)|zamierzam|nyní|podívám se|şimdi)(?!\p{L})/iu,
  // Chinese, Japanese, Korean
  /我(?:现在|这就|马上|先)?(?:将|会|来|要|准备)|(?:让|讓)我|接下来我?|(?:これから|次に|まず|では|続いて|今から).*(?:ます|ましょう)|(?:てみ|ていき)ます|ましょう[。.]?$|(?:겠습니다|할게요|합시다)/u,
];

/** After a colon or an ellipsis something was to follow. */
const OPEN_END = /[:：…]$|\.\.\.$/u;
const SENTENCE = /[^.!?。！？\n]+(?:[.!?。！？]+(?!\s|$)[^.!?。！？\n]+)*[.!?。！？]*/gu;
/** Behind the words: emphasis, quotes, blanks. */
const AROUND = /[\s*_"'“”’)]+$/u;
/** Characters at the end of a text in which its last sentence is. */
const END = 2_000;

/** Whether a text ends by saying what its author is about to do, in place of doing it. Takes linear time. */
function announcesWork(text: string): boolean {
  const end = text.slice(-END).replace(AROUND, '');
  if (OPEN_END.test(end)) return true;
  const last = end.match(SENTENCE)?.findLast((sentence) => /\p{L}/u.test(sentence)) ?? '';
  return INTENTIONS.some((intention) => intention.test(last.trim()));
}

/**
 * Why a text that would end the work may be no answer, but a call in a form that nobody knows. `form`: it has more than
 * sentences in it; `mention`: its sentences name a tool or say that they are a call; `tool`: it names a tool and has more
 * than sentences in it.
 */
type Doubt = 'form' | 'mention' | 'tool' | undefined;

/** Takes linear time. */
function doubtOf(answer: string, tools: readonly Tool[]): Doubt {
  const isNamed = namesTool(answer, tools);
  if (isProse(answer)) return isNamed || LABELLED.test(answer) ? 'mention' : undefined;
  return isNamed ? 'tool' : 'form';
}

const LABELLED = /^[ \t>*#-]*(?:tool|function|action|call)(?:[ _-]name)?[ \t*]*:/im;
const NAME_IN_CODE = /`[\p{L}\p{N}\p{Z}\-_./:#@$&+*,]{1,200}`/gu;
const ADDRESS = /\]\(https?:[^\s()]{1,2000}\)|https?:[^\s()<>]{1,2000}/g;
const SENTENCES =
  /^[\p{L}\p{M}\p{N}\p{Z}\p{Extended_Pictographic}\s.,:;!?'"“”„‘’«»…()/%&+*#–—\-、。「」『』]*$/u;
const CALLED = /[\p{L}\p{N}]\(\s*["'\d)]/u;

/** What sentences are made of, with names in code and links among them. */
function isProse(answer: string): boolean {
  const words = answer
    .normalize('NFKC')
    .replaceAll(NAME_IN_CODE, 'code')
    .replaceAll(/\[(?=[^[\]\n]{0,200}\]\()/g, '')
    .replaceAll(ADDRESS, 'link');
  return SENTENCES.test(words) && !CALLED.test(words);
}

/**
 * A name of several words, in whichever way they are joined: `read_file`, `readFile`, `read-file`. Behind a dot it may be
 * that of a library (`fs.readFile`): there it counts if tools stand before the dot, or if it is called outside of code.
 */
function namesTool(answer: string, tools: readonly Tool[]): boolean {
  const joined = (name: string): string => name.toLowerCase().replaceAll(/[_-]/g, '');
  const names = new Set(
    tools
      .flatMap(({ name, aliases }) => [name, ...aliases])
      .filter((name) => name.includes('_'))
      .map(joined),
  );
  const seen = withoutInvisible(answer.normalize('NFKC'));
  const sentences = seen.replaceAll(CODE, (code) => ' '.repeat(code.length));
  return [...seen.matchAll(WORD)].some(({ 0: word, 1: owner, 2: name = '', index }) => {
    if (!names.has(joined(name))) return false;
    const isCalled = CALL.test(sentences.slice(index + word.length, index + word.length + 8));
    return owner === undefined || TOOL_OWNER.test(owner) || isCalled;
  });
}

/** A name, with the last of what is before its dots. */
const WORD = /(?<![\p{L}\p{N}_.-])(?:([\p{L}\p{N}_-]*)\.)*([\p{L}\p{N}_-]+)/gu;
const TOOL_OWNER = /^(?:tools?|functions?|default_api|api|agent|assistant)$/i;
const CALL = /^\((?!\s*\))/;
const CODE = /^[ \t]*```[^]*?(?:^[ \t]*```|(?![^]))|`[^`\n]+`/gm;
