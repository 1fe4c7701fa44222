// The conversation in the form of the Responses API.
import type OpenAI from 'openai';
import type { Message, ModelRequest } from '../../contracts/model.ts';
import { sentArguments } from '../wire/call-arguments.ts';
import { replayable } from '../wire/native.ts';
import { sentId, sentName, sentText, sentValue } from '../wire/sent-text.ts';

type Item = OpenAI.Responses.ResponseInputItem;
type Assistant = Extract<Message, { role: 'assistant' }>;

/** A message of the conversation as it is sent; items under `key` go back as they came. */
export function responsesItems(message: Message, key: string): readonly Item[] {
  switch (message.role) {
    case 'user':
      return [{ role: 'user', content: sentText(message.text) }];
    case 'assistant':
      return replayed(message, key) ?? rebuilt(message);
    case 'results':
      return message.results.map(({ id, output }) => ({
        type: 'function_call_output',
        call_id: sentId(id),
        output: sentText(output),
      }));
  }
}

function replayed(message: Assistant, key: string): readonly Item[] | undefined {
  const items = replayable<readonly Item[]>(message, key, (all) =>
    all.flatMap((item) => (item.type === 'function_call' ? [item.call_id] : [])),
  );
  return items === undefined ? undefined : sentValue(items);
}

/** An assistant that said nothing has no items: an empty text is refused. */
function rebuilt({ text, calls }: Assistant): readonly Item[] {
  return [
    ...(text === '' ? [] : [{ role: 'assistant' as const, content: sentText(text) }]),
    ...calls.map((call) => ({
      type: 'function_call' as const,
      call_id: sentId(call.id),
      name: sentName(call.tool),
      arguments: JSON.stringify(sentArguments(call)),
    })),
  ];
}

/** `strict` would demand schemas in which every property is required. */
export const responsesTools = ({
  tools,
}: Pick<ModelRequest, 'tools'>): OpenAI.Responses.FunctionTool[] =>
  tools.map(({ name, description, parameters }) => ({
    type: 'function',
    name,
    description,
    parameters,
    strict: false,
  }));
