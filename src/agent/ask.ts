import type { Reply } from '../contracts/entries.ts';
import { TellPerson } from '../lib/errors.ts';
import { announcesWork } from './announced-work.ts';
import { doubtOf, isBare } from './doubtful-answer.ts';
import { makeRoomNow, replyTokens } from './make-room.ts';
import { ContextOverflow, ImagesRejected, ToolsUnsupported } from './model-errors.ts';
import { FAULTS } from './prompts/faults.ts';
import { isHeldForPeople } from './prompts/results.ts';
import type { Reading } from './protocol.ts';
import { faulty } from './protocols/telling.ts';
import type { Run, Steps } from './agent-run.ts';
import type { Toolbox } from './dispatch.ts';
import type { History } from './history.ts';

/** Adds the model's next reply; or, if the server rejects the request, a change that makes it acceptable. */
export async function* ask(run: Run): Steps<void> {
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
function confirmed({ history, tools }: Run, reading: Reading, text: string): Reading {
  const { answer, thought } = reading;
  if (answer === null || !isBare(answer, text)) return reading;
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
