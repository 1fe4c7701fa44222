import { z } from 'zod';
import type { Answer, Problem, Wire, WireRequest } from './wires/wire.ts';

/** The outcome of a request. The answer may take as long as a person thinks. `dies`: the stream ends in the middle. */
export type Outcome =
  | { readonly problem: Problem }
  | {
      readonly request: WireRequest;
      readonly answer: Answer | Promise<Answer>;
      readonly dies: boolean;
    };

/** Who answers the requests to the model server. */
export interface PlayedModel {
  /** `path` includes the query; `body` is unparsed; `closed`: nobody waits for the answer any more. */
  answer(wire: Wire, path: string, body: string, closed: AbortSignal): Promise<Outcome>;
  /** Cancels answers that are not given yet. */
  close(): void;
}

/** Parses a request, or says why it is invalid. */
export function readRequest(wire: Wire, path: string, body: string): WireRequest | Problem {
  try {
    const request = wire.parse(JSON.parse(body), path);
    if (request.streams || wire.whole !== undefined) return request;
    return { status: 400, message: `${wire.name}: this server only streams` };
  } catch (error) {
    if (error instanceof z.ZodError) return { status: 400, message: z.prettifyError(error) };
    if (error instanceof SyntaxError)
      return { status: 400, message: 'We could not parse the JSON body of your request.' };
    throw error;
  }
}
