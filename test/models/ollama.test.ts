import { ollama } from '../../src/models/providers/ollama.ts';
import { modelContract } from '../contract/model.ts';
import { MODEL, SECRET } from '../contract/model-wire.ts';

modelContract('the Ollama adapter', {
  fixtures: 'ollama',
  absent: {
    'cut-call': 'arguments come whole, as JSON',
    filtered: 'there is no filter',
    quota: 'there is nothing to pay',
  },
  open: (serverUrl) =>
    ollama.open(
      MODEL,
      ollama.variables.parse({ OLLAMA_API_KEY: SECRET, OLLAMA_BASE_URL: serverUrl }),
    ),
  conversation: ({ model, tools, options, messages }) => ({
    shared: [model, tools, options],
    messages: messages as unknown[],
  }),
  withImages: {
    role: 'user',
    content: 'Compare them. [image 1: attached] [image 3: attached]',
    images: ['AAAA', 'BBBB'],
  },
  opaque: ['"thinking":"The file comes first."'],
  cached: 0,
  reasoningTokens: 0,
});
