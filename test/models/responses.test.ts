import { responses } from '../../src/models/openai/responses.ts';
import { modelContract } from '../contract/model.ts';
import { MODEL, SECRET, type Wire } from '../contract/model-wire.ts';

const INDEX = 'every call is an item of its own, with a `call_id`';

const wire: Wire = {
  open: async (serverUrl) =>
    responses({
      model: MODEL,
      baseUrl: `${serverUrl}/v1`,
      headers: { authorization: `Bearer ${SECRET}` },
      isOpenAI: true,
      addressSetting: 'OPENAI_BASE_URL',
    }),
  fixtures: 'responses',
  absent: { 'same-index': INDEX, 'no-index': INDEX, 'no-id': INDEX },
  conversation: ({ input, ...shared }) => ({ shared, messages: input as readonly unknown[] }),
  withImages: {
    role: 'user',
    content: [
      { type: 'input_text', text: 'Compare them. [image 1: attached] [image 3: attached]' },
      { type: 'input_text', text: 'Image 1:' },
      { type: 'input_image', detail: 'auto', image_url: 'data:image/png;base64,AAAA' },
      { type: 'input_text', text: 'Image 3:' },
      { type: 'input_image', detail: 'auto', image_url: 'data:image/jpeg;base64,BBBB' },
    ],
  },
  opaque: [
    '"encrypted_content":"gAAAAABencrypted+/="',
    '"summary":[{"type":"summary_text","text":"The file comes first."}]',
  ],
};

modelContract('the Responses adapter', wire);
