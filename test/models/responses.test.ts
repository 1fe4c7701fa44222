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
  opaque: [
    '"encrypted_content":"gAAAAABencrypted+/="',
    '"summary":[{"type":"summary_text","text":"The file comes first."}]',
  ],
};

modelContract('the Responses adapter', wire);
