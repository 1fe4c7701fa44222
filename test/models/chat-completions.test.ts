import { chatCompletions } from '../../src/models/openai/chat-completions.ts';
import { modelContract } from '../contract/model.ts';
import { MODEL, SECRET, type Wire } from '../contract/model-wire.ts';

const wire: Wire = {
  open: async (serverUrl) =>
    chatCompletions({
      model: MODEL,
      baseUrl: `${serverUrl}/v1`,
      headers: { authorization: `Bearer ${SECRET}` },
      isOpenAI: false,
      addressSetting: 'OPENAI_BASE_URL',
    }),
  fixtures: 'chat-completions',
  absent: {},
  conversation: ({ messages, ...shared }) => ({
    shared,
    messages: messages as readonly unknown[],
  }),
  withImages: {
    role: 'user',
    content: [
      { type: 'text', text: 'Compare them. [image 1: attached] [image 3: attached]' },
      { type: 'text', text: 'Image 1:' },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
      { type: 'text', text: 'Image 3:' },
      { type: 'image_url', image_url: { url: 'data:image/jpeg;base64,BBBB' } },
    ],
  },
  opaque: [
    '"reasoning_content":"The file comes first."',
    '"signature":"c2lnbmF0dXJl+/="',
    '"extra_content":{"google":{"thought_signature":"dGhvdWdodA+/="}}',
  ],
};

modelContract('the Chat Completions adapter', wire);
