// The errors of OpenAI's two APIs. Most compatible servers copy them.
import { hasKeyIn } from './parts.ts';
import type { Problem } from './wire.ts';

/** The key is a bearer token; Azure has its own header. */
export const KEY = {
  isGiven: hasKeyIn('api-key'),
  missing: {
    status: 401,
    message: "You didn't provide an API key: send one as `Authorization: Bearer KEY`.",
    code: 'invalid_api_key',
  },
};

export const TOOLS_UNSUPPORTED: Problem = {
  status: 400,
  message:
    'tools is not supported in this model. For a list of supported models, refer to the guide on function calling.',
};

export const errorBody = ({ status, message, code }: Problem) => ({
  error: { message, type: typeOf(status), param: null, code: code ?? null },
});

function typeOf(status: number): string {
  if (status >= 500) return 'server_error';
  return status === 429 ? 'rate_limit_error' : 'invalid_request_error';
}
