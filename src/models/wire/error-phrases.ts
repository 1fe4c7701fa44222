// Phrases of servers' error messages that need a decision of their own. Few servers have codes for them,
// and compatible servers use different codes, so the message is all there is. All are lower-case.

/** The model, or its server as it was started, does not support tools. */
const TOOLS_UNSUPPORTED = [
  'does not support tools', // Ollama; SambaNova, Together
  'does not support tool', // "…tool use", "…tool calling", "…tool_choice": Groq, Mistral, LM Studio
  'does not support function call', // DeepSeek, Fireworks, Qwen
  "doesn't support tool",
  'requires --enable-auto-tool-choice', // vLLM
  'tools param requires --jinja', // llama.cpp
  'unsupported param: tools', // llama.cpp, before it had templates
  'support tool use', // OpenRouter: "No endpoints found that support tool use"
  "support the provided 'tool_choice' value", // OpenRouter
  'tools is not supported', // OpenAI, Azure, GitHub Models
  'tools are not supported',
  'tool use is not supported', // Bedrock's proxies
  'tool calling is not supported', // Groq, LiteLLM
  'function calling is not supported', // Cloudflare, Perplexity
  'function calling is not enabled', // Gemini and Gemma
  "unsupported parameter: 'tools'", // OpenAI
  "unknown parameter: 'tools'",
  "'tools' is not supported",
  'unrecognized request argument supplied: tools', // Azure's older models
  'unrecognized request arguments supplied: tool_choice, tools',
];

/** The request is longer than the model, or the limit of this key, allows. */
const OVERFLOW = [
  'context_length_exceeded', // OpenAI, Azure, Groq
  'exceed_context_size_error', // llama.cpp
  'exceeds the available context size', // llama.cpp, before it had the code
  'model_context_window_exceeded', // Anthropic
  'tokens_limit_reached', // GitHub Models
  "model's maximum context length", // OpenAI, vLLM, SGLang, DeepSeek
  'maximum context length is', // OpenRouter, vLLM, TensorRT-LLM
  'maximum model length', // vLLM: "longer than the maximum model length of"
  "longer than the model's context length", // SGLang
  'input length and `max_tokens` exceed context limit', // Anthropic
  'prompt is too long', // Anthropic
  'input is too long', // Bedrock
  'input token count', // Gemini: "The input token count (…) exceeds the maximum number of tokens"
  'exceeds the maximum number of tokens', // Vertex
  'context the overflows', // LM Studio: "Trying to keep the first … tokens when …"
  'greater than the context length', // LM Studio
  'reached context length of', // LM Studio
  'context size has been exceeded', // LM Studio
  'input length exceeds', // Ollama: "… the context length"
  'exceeds the context window', // OpenAI's Responses, Together
  'exceeds context window', // MiniMax
  'exceed context window', // llama-cpp-python
  'too large for model with', // Mistral: "Prompt contains … tokens, too large for model with …"
  'maximum prompt length is', // xAI
  'exceeded model token limit', // Moonshot
  'reduce the length of the messages', // Groq
  'range of input length should be', // Qwen at DashScope
  'request too large for', // OpenAI and Groq: more tokens in one request than in a minute
];

/** The images of the request, whatever it is about them; asked only of a request that has some. */
const IMAGES = [
  'image', // OpenAI, Anthropic, OpenRouter, llama.cpp
  'failed to process inputs', // Ollama
];

/** The requested length of the reply is more than the model can write. */
const OUTPUT_TOO_LONG = [
  'completion tokens, whereas', // OpenAI: "This model supports at most … completion tokens, whereas"
  "invalid 'max_output_tokens': integer above maximum", // OpenAI's Responses
  'maximum value for `max_tokens`', // Groq
  'maximum tokens you requested exceeds', // Bedrock
  'maximum allowed number of output tokens', // Anthropic
  'valid range of max_tokens', // DeepSeek
  'range of max_tokens should be', // Qwen at DashScope
];

/** Waiting does not help. (A rate limit that mentions a quota says how long to wait, and is not listed.) */
const QUOTA = [
  'insufficient_quota', // OpenAI
  'billing_not_active',
  'billing_hard_limit_reached',
  'credit balance is too low', // Anthropic
  'insufficient balance', // DeepSeek
  'insufficient credits', // OpenRouter
];

/** The model wrote what its server cannot read. Waiting does not help. */
const UNREADABLE = [
  'the model produced output that does not match', // llama.cpp: "… the expected peg-native format"
  'failed to parse tool call arguments', // llama.cpp
];

/** The server is overloaded. */
const OVERLOADED = [
  'overloaded', // Anthropic, DeepSeek, Gemini; in a stream it has no status
  'rate_limit_exceeded', // OpenAI, in a stream
  'server_error',
  'slow_down', // OpenAI
  'resource_exhausted', // Gemini
  'unavailable', // Gemini
];

/** Only the beginning counts: servers may quote the request after it. */
const READ_CHARACTERS = 2000;

const sayingOneOf =
  (phrases: readonly string[]) =>
  (words: string): boolean => {
    const read = words.slice(0, READ_CHARACTERS).toLowerCase();
    return phrases.some((phrase) => read.includes(phrase));
  };

export const saysToolsUnsupported = sayingOneOf(TOOLS_UNSUPPORTED);
export const saysOverflow = sayingOneOf(OVERFLOW);
export const saysImages = sayingOneOf(IMAGES);
export const saysOutputTooLong = sayingOneOf(OUTPUT_TOO_LONG);
export const saysUnreadable = sayingOneOf(UNREADABLE);
export const saysQuota = sayingOneOf(QUOTA);
export const saysOverloaded = sayingOneOf(OVERLOADED);
