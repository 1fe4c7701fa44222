// Writes the conversation in the form of the Responses API.
import type OpenAI from 'openai';
import type { Message, ModelRequest } from '../../contracts/model.ts';
import { sentArguments } from '../wire/calls.ts';
import { dataUrl, nameOf } from '../wire/images.ts';
import { replayable } from '../wire/native.ts';
import { sentId, sentName, sentText, sentValue } from '../wire/sent-text.ts';

type Item = OpenAI.Responses.ResponseInputItem;
type Assistant = Extract<Message, { role: 'assistant' }>;
type Said = Extract<Message, { role: 'user' }>;

/** A message as it is sent. Items stored under `key` are sent back unchanged. */
export function responsesItems(message: Message, key: string): readonly Item[] {
  switch (message.role) {
    case 'user':
      return [{ role: 'user', content: userContent(message) }];
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

function userContent({ text, images = [] }: Said): OpenAI.Responses.EasyInputMessage['content'] {
  if (images.length === 0) return sentText(text);
  return [
    { type: 'input_text', text: sentText(text) },
    ...images.flatMap((image): OpenAI.Responses.ResponseInputContent[] => [
      { type: 'input_text', text: nameOf(image) },
      { type: 'input_image', detail: 'auto', image_url: dataUrl(image) },
    ]),
  ];
}

function replayed(message: Assistant, key: string): readonly Item[] | undefined {
  const items = replayable<readonly Item[]>(message, key, (all) =>
    all.flatMap((item) => (item.type === 'function_call' ? [item.call_id] : [])),
  );
  return items === undefined ? undefined : sentValue(items);
}

/** An assistant message without text and calls has no items: empty text is not accepted. */
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

/** With `strict`, every property of a schema would have to be required. */
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
