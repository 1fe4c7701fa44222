import { TellPerson } from '../lib/errors.ts';
import { makeRoomNow } from './make-room.ts';
import { ContextOverflow, ToolsRefused } from './model-errors.ts';
import { request } from './request.ts';
import type { Run, Steps } from './run.ts';

/** One reply; or, where the server would not have the request, a change that lets it have the next. */
export async function* ask(run: Run): Steps<void> {
  try {
    run.history.add(yield await request(run));
  } catch (error) {
    if (error instanceof ContextOverflow) yield* makeRoomNow(run);
    else if (error instanceof ToolsRefused) yield* stepDown(run);
    else throw error;
  }
}

/** The tools are described in the system prompt from here on. */
async function* stepDown(run: Run): Steps<void> {
  const { history, model, withoutTools, tools } = run;
  const { protocol, instructions } = history.prompt;
  if (withoutTools === undefined || withoutTools.name === protocol.name) {
    throw new TellPerson(
      `The server of ${model.name} does not let this model call tools. Set PROTOCOL to \`auto\` or \`json\`, or choose another model.`,
    );
  }
  const entry = {
    type: 'protocol_changed',
    protocol: withoutTools.name,
    instructions: `${instructions}\n\n${withoutTools.instructions(tools.list)}`,
    reason: `the server of ${model.name} does not let this model call tools`,
  } as const;
  history.add(yield entry);
}
