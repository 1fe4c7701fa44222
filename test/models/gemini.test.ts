import { gemini } from '../../src/models/providers/gemini.ts';
import { modelContract } from '../contract/model.ts';
import { MODEL, SECRET } from '../contract/model-wire.ts';

const WHOLE = 'arguments come whole, as JSON';
const NO_INDEX = 'calls have no index';

modelContract('the Gemini adapter', {
  fixtures: 'gemini',
  absent: {
    'cut-call': WHOLE,
    'bad-arguments': WHOLE,
    'same-index': NO_INDEX,
    'no-index': NO_INDEX,
  },
  open: (serverUrl) =>
    gemini.open(
      MODEL,
      gemini.variables.parse({ GEMINI_API_KEY: SECRET, GOOGLE_GEMINI_BASE_URL: serverUrl }),
    ),
  conversation: ({ contents, systemInstruction, tools }) => ({
    shared: [tools, systemInstruction],
    messages: contents as unknown[],
  }),
  withImages: {
    role: 'user',
    parts: [
      { text: 'Compare them. [image 1: attached] [image 3: attached]' },
      { text: 'Image 1:' },
      { inlineData: { mimeType: 'image/png', data: 'AAAA' } },
      { text: 'Image 3:' },
      { inlineData: { mimeType: 'image/jpeg', data: 'BBBB' } },
    ],
  },
  opaque: ['"thoughtSignature":"CiQB0e2KbyGVhXYz0123456789abcdefghijklmnopqrstuvwxyzABEKdA=="'],
});
