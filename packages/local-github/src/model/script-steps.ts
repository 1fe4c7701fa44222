// The replies of a script, in each form that a request may ask for.
import type { Call, ModelRequest } from '../../../../src/contracts/model.ts';
import type { ParsedScript, ScriptTurn } from './script.ts';

/** `native`: calls of the provider's API. `react` and `json`: text, as the system prompt asks for it. */
export type ScriptForm = 'native' | 'react' | 'json';

/** What a reply says and calls. */
export interface ScriptReply {
  readonly text: string;
  /** Native calls with the ids `call_STEP_N`, both from 1. */
  readonly calls: readonly Call[];
}

/** One reply of a script. */
export interface ScriptStep extends ScriptReply {
  readonly turn: ScriptTurn;
  /** Index of `turn` in the script. */
  readonly index: number;
  /** In ReAct, a turn has a step for each call. `when`, `delay_ms` and failures apply to the first step. */
  readonly isFirst: boolean;
}

export function formOf(request: Pick<ModelRequest, 'system'> & { hasTools: boolean }): ScriptForm {
  if (request.hasTools) return 'native';
  return request.system.includes('<tool_code>') ? 'react' : 'json';
}

type Say = NonNullable<ScriptTurn['say']>;

/**
 * All replies of a script, in order. A turn is one step. ReAct has one call per reply, so there a turn has a
 * step for each call. That way every protocol can play the same script.
 */
export function stepsOf(script: ParsedScript, form: ScriptForm): readonly ScriptStep[] {
  return script.turns
    .flatMap((turn, index) => {
      const says = form === 'react' && turn.say !== undefined ? spread(turn.say) : [turn.say];
      return says.map((say, part) => ({ turn, index, isFirst: part === 0, say }));
    })
    .map(({ say, ...step }, place) => ({ ...step, ...said(step.turn, say, form, place) }));
}

/** One step for each call. Their plans differ, so that the steps can be recognised. */
function spread({ plan, tool_calls: calls }: Say): readonly Say[] {
  if (calls.length < 2) return [{ plan, tool_calls: calls }];
  return calls.map((call, part) => ({
    plan: part === 0 ? plan : `${plan} (${part + 1} of ${calls.length})`,
    tool_calls: [call],
  }));
}

function said(
  turn: ScriptTurn,
  say: Say | undefined,
  form: ScriptForm,
  place: number,
): ScriptReply {
  if (say === undefined) return { text: turn.raw ?? '', calls: [] };
  if (form === 'json') return { text: JSON.stringify(say), calls: [] };
  if (form === 'react') return { text: inTags(say), calls: [] };
  const calls = say.tool_calls.map((call, index) => ({
    id: `call_${place + 1}_${index + 1}`,
    tool: call.tool_name,
    arguments: call.arguments,
  }));
  return { text: say.plan, calls };
}

function inTags({ plan, tool_calls: calls }: Say): string {
  const blocks = calls.map(
    (call) =>
      `<tool_code>\n<name>${call.tool_name}</name>\n<parameters>\n${JSON.stringify(call.arguments)}\n</parameters>\n</tool_code>`,
  );
  return [plan, ...blocks].filter((part) => part !== '').join('\n\n');
}
