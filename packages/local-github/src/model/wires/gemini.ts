// generateContent, of the Gemini API and of Vertex.
import { z } from 'zod';
import type { Message } from '../../../../../src/contracts/model.ts';
import {
  argumentsOf,
  assistant,
  hasKeyIn,
  piecesOf,
  result,
  serverSent,
  user,
  withResultsJoined,
} from './parts.ts';
import type { Answer, Frames, Problem, Reasoning, Wire, WireRequest } from './wire.ts';

const Part = z.looseObject({
  text: z.string().optional(),
  thought: z.boolean().optional(),
  thoughtSignature: z.string().optional(),
  functionCall: z
    .looseObject({ id: z.string().optional(), name: z.string(), args: z.unknown().optional() })
    .optional(),
  functionResponse: z
    .looseObject({
      id: z.string().optional(),
      name: z.string(),
      response: z.record(z.string(), z.unknown()),
    })
    .optional(),
});
type Part = z.output<typeof Part>;

const Content = z.looseObject({ role: z.enum(['user', 'model']).optional(), parts: z.array(Part) });

const Body = z.looseObject({
  contents: z.array(Content).min(1),
  systemInstruction: z.looseObject({ parts: z.array(Part) }).optional(),
  tools: z
    .array(z.looseObject({ functionDeclarations: z.array(z.unknown()).optional() }))
    .optional(),
});

const METHOD = /\/models\/([^/:?]+):streamGenerateContent\?(?:.*&)?alt=sse(?:&|$)/;

function parse(body: unknown, path: string): WireRequest {
  const { contents, systemInstruction, tools = [] } = Body.parse(body);
  const model = METHOD.exec(path)?.[1];
  return {
    model: model ?? '',
    system: (systemInstruction?.parts ?? []).map(({ text }) => text ?? '').join(''),
    messages: withResultsJoined(contents.flatMap(messagesOf)),
    hasTools: tools.some(({ functionDeclarations }) => (functionDeclarations ?? []).length > 0),
    prompt: [tools, systemInstruction ?? '', contents],
    cacheKey: undefined,
    streams: model !== undefined,
    wants: new Set(['cache']),
  };
}

function messagesOf({ role, parts }: z.output<typeof Content>): Message[] {
  if (role !== 'model') return parts.flatMap(saidToModel);
  const calls = parts.flatMap(({ functionCall: call }) =>
    call === undefined
      ? []
      : [
          {
            ...(call.id === undefined ? {} : { id: call.id }),
            tool: call.name,
            arguments: call.args ?? {},
          },
        ],
  );
  const signed = parts.find(({ functionCall: call }) => call !== undefined)?.thoughtSignature;
  return [
    assistant(
      parts.map(({ text, thought }) => (thought === true ? '' : (text ?? ''))).join(''),
      calls,
      signed,
    ),
  ];
}

function saidToModel({ text, functionResponse: response }: Part): Message[] {
  if (response === undefined) return text === undefined ? [] : [user(text)];
  const { output, error } = response.response;
  const said = error ?? output ?? response.response;
  return [
    result(
      response.id ?? '',
      typeof said === 'string' ? said : JSON.stringify(said),
      error === undefined,
    ),
  ];
}

const opaque = ({ seal }: Reasoning) => seal;

/** Gemini does not send a call with incomplete arguments. */
function callParts({ calls, reasoning }: Answer): Part[] {
  return calls.flatMap((call, index) => {
    const args = argumentsOf(call);
    if (args === undefined) return [];
    const signed =
      index === 0 && reasoning !== undefined ? { thoughtSignature: opaque(reasoning) } : {};
    return [{ functionCall: { id: call.id, name: call.tool, args }, ...signed }];
  });
}

/** Thoughts are counted separately from the text. */
const usageOf = ({ usage: { input, cached, output, reasoning } }: Answer) => ({
  promptTokenCount: input,
  ...(cached === 0 ? {} : { cachedContentTokenCount: cached }),
  candidatesTokenCount: output - reasoning,
  ...(reasoning === 0 ? {} : { thoughtsTokenCount: reasoning }),
  totalTokenCount: input + output,
});

function frames(answer: Answer): Frames {
  const { id, model, reasoning, text, isCut } = answer;
  const calls = callParts(answer);
  const chunk = (parts: readonly Part[], more: object = {}): string =>
    serverSent({
      candidates: [{ content: { parts, role: 'model' }, ...more, index: 0 }],
      usageMetadata: usageOf(answer),
      modelVersion: model,
      responseId: id,
    });
  const thoughts = piecesOf(reasoning?.text ?? '');
  return {
    content: [
      ...thoughts.map((piece) => chunk([{ text: piece, thought: true }])),
      ...piecesOf(text).map((piece) => chunk([{ text: piece }])),
      ...(calls.length === 0 ? [] : [chunk(calls)]),
    ],
    end: [chunk([{ text: '' }], { finishReason: isCut ? 'MAX_TOKENS' : 'STOP' })],
  };
}

const STATUSES = new Map([
  [400, 'INVALID_ARGUMENT'],
  [401, 'UNAUTHENTICATED'],
  [403, 'PERMISSION_DENIED'],
  [404, 'NOT_FOUND'],
  [429, 'RESOURCE_EXHAUSTED'],
  [500, 'INTERNAL'],
  [503, 'UNAVAILABLE'],
  [504, 'DEADLINE_EXCEEDED'],
]);

const errorBody = ({ status, message }: Problem) => ({
  error: { code: status, message, status: STATUSES.get(status) ?? 'UNKNOWN' },
});

/** The default of the SDK, and the version in the documentation. */
const VERSIONS = { gemini: ['v1', 'v1beta'], vertex: ['v1', 'v1beta1'] };

const ofGemini = (version: string) => `/${version}/models/*`;

/** In express mode, which uses a key, the path has no project. */
const ofVertex = (version: string) => [
  `/${version}/publishers/google/models/*`,
  `/${version}/projects/:project/locations/:location/publishers/google/models/*`,
];

export const gemini: Wire = {
  name: 'gemini',
  routes: [...VERSIONS.gemini.map(ofGemini), ...VERSIONS.vertex.flatMap(ofVertex)],
  contentType: 'text/event-stream',
  key: {
    isGiven: hasKeyIn('x-goog-api-key'),
    missing: {
      status: 403,
      message:
        "Method doesn't allow unregistered callers (callers without established identity). Please use API Key or other form of API consumer identity to call this API.",
    },
  },
  parse,
  opaque,
  frames,
  errors: {
    toolsUnsupported: (model) => ({
      status: 400,
      message: `Function calling is not enabled for models/${model}`,
    }),
    tooLong: (tokens, limit) => ({
      status: 400,
      message: `The input token count (${tokens}) exceeds the maximum number of tokens allowed (${limit}).`,
    }),
    reasoningLost: ({ tool, index }) => ({
      status: 400,
      message: `Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly. Additional data, function call \`default_api:${tool}\`, position ${index}.`,
    }),
  },
  errorBody,
};
