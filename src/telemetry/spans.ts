// Operations as spans, by the conventions for generative AI. They say what was done, for how long and how it ended, and have no
// text of people or models, no arguments, no output and no code.
import { AsyncLocalStorage } from 'node:async_hooks';
import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { Attributes, Span, SpanOptions, Tracer } from '@opentelemetry/api';
import { onMeasured, onOperation, type Operation } from '../lib/measurements.ts';

interface CurrentSpans {
  readonly span: Span;
  /** The one of the run that it is a part of. */
  readonly run: Span;
  readonly session: string;
}

/** A run begins a trace, and what is part of no run is in none. Returns how to stop. */
export function traceOperations(tracer: Tracer): () => void {
  const storage = new AsyncLocalStorage<CurrentSpans | undefined>();
  const begun = (operation: Operation): CurrentSpans | undefined => {
    if (operation.kind === 'job') return undefined;
    const whole = storage.getStore();
    if (operation.kind === 'run') return begunRun(tracer, operation);
    return whole && begunPart(tracer, operation, whole);
  };
  const note = (attributes: Attributes): void => {
    storage.getStore()?.span.setAttributes(attributes);
  };
  const stops = [
    onOperation(storage, begun, (outcome) => {
      const { span } = storage.getStore() ?? {};
      if (span === undefined) return;
      if (outcome !== 'ok') fail(span, outcome);
      span.end();
    }),
    onMeasured('model_request', ({ tokens, dollars }) => {
      if (tokens !== undefined)
        note({
          'gen_ai.usage.input_tokens': tokens.input,
          'gen_ai.usage.cache_read.input_tokens': tokens.cached,
          'gen_ai.usage.output_tokens': tokens.output,
        });
      if (typeof dollars === 'number') note({ 'issuewright.cost_usd': dollars });
    }),
    onMeasured('tool_call', ({ outcome }) => {
      const { span } = storage.getStore() ?? {};
      // A call that the model has to correct ends like any other.
      if (span !== undefined && outcome !== 'ok') fail(span, outcome);
    }),
    onMeasured('run', ({ outcome }) => {
      note({ 'issuewright.run.outcome': outcome });
      const { span } = storage.getStore() ?? {};
      if (span !== undefined && outcome === 'failed') fail(span, outcome);
    }),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}

function fail(span: Span, outcome: string): void {
  span.setAttribute('error.type', outcome);
  span.setStatus({ code: SpanStatusCode.ERROR });
}

const AGENT = 'issuewright';

function begunRun(
  tracer: Tracer,
  { session, run, owner, repository, issue }: Extract<Operation, { kind: 'run' }>,
): CurrentSpans {
  const attributes = {
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.agent.name': AGENT,
    'gen_ai.conversation.id': session,
    'vcs.provider.name': 'github',
    'vcs.owner.name': owner,
    'vcs.repository.name': repository,
    'issuewright.issue': issue,
    'issuewright.run': run,
  };
  const kind = SpanKind.INTERNAL;
  const span = tracer.startSpan(`invoke_agent ${AGENT}`, { kind, attributes }, ROOT_CONTEXT);
  return { span, run: span, session };
}

type PartOfRun = Exclude<Operation, { kind: 'job' | 'run' }>;

function begunPart(tracer: Tracer, operation: PartOfRun, whole: CurrentSpans): CurrentSpans {
  const { run, session } = whole;
  const { name, ...options } = describedPart(operation, session);
  if (operation.kind === 'model_request') run.setAttributes(modelOf(operation));
  const span = tracer.startSpan(name, options, trace.setSpan(ROOT_CONTEXT, whole.span));
  return { span, run, session };
}

const modelOf = ({ provider, model }: Extract<Operation, { kind: 'model_request' }>) => ({
  'gen_ai.provider.name': providerName(provider),
  'gen_ai.request.model': model,
});

function describedPart(
  operation: PartOfRun,
  session: string,
): SpanOptions & { readonly name: string } {
  switch (operation.kind) {
    case 'model_request':
      return {
        name: `chat ${operation.model}`,
        kind: SpanKind.CLIENT,
        attributes: {
          'gen_ai.operation.name': 'chat',
          ...modelOf(operation),
          'gen_ai.conversation.id': session,
        },
      };
    case 'tool_call':
      return {
        name: `execute_tool ${operation.name}`,
        kind: SpanKind.INTERNAL,
        attributes: {
          'gen_ai.operation.name': 'execute_tool',
          'gen_ai.tool.name': operation.name,
          'gen_ai.tool.type': 'function',
          'gen_ai.conversation.id': session,
        },
      };
    case 'git_operation':
      return { name: `git ${operation.operation}`, kind: SpanKind.INTERNAL };
    case 'github_request':
      return describedRequest(operation);
    case 'write_room':
      return { name: 'wait for room to write', kind: SpanKind.INTERNAL };
    default:
      return operation satisfies never;
  }
}

function describedRequest({ method, route }: Extract<Operation, { kind: 'github_request' }>) {
  const template = templateOf(route);
  const attributes = { 'http.request.method': method };
  const kind = SpanKind.CLIENT;
  if (template === undefined) return { name: method, kind, attributes };
  const name = `${method} ${template}`;
  return { name, kind, attributes: { ...attributes, 'url.template': template } };
}

/** `undefined` for an address without placeholders, of the next page of a list for example. */
function templateOf(route: string): string | undefined {
  if (route.startsWith('/')) return route;
  return route.endsWith('/graphql') ? '/graphql' : undefined;
}

/** Ours, by the name that the conventions have for them; the others are called the same there, or not known. */
const CONVENTIONAL: ReadonlyMap<string, string> = new Map([
  ['azure', 'azure.ai.openai'],
  ['gemini', 'gcp.gemini'],
  ['vertex', 'gcp.vertex_ai'],
]);

/** `gen_ai.provider.name` of one of our model providers. */
export const providerName = (provider: string): string => CONVENTIONAL.get(provider) ?? provider;
