import { anthropic } from '../../src/models/providers/anthropic.ts';
import { modelContract } from '../contract/model.ts';
import { MODEL, SECRET } from '../contract/model-wire.ts';

modelContract('the Anthropic adapter', {
  fixtures: 'anthropic',
  absent: {},
  open: (serverUrl) =>
    anthropic.open(
      MODEL,
      anthropic.variables.parse({ ANTHROPIC_API_KEY: SECRET, ANTHROPIC_BASE_URL: serverUrl }),
    ),
  conversation: ({ messages, system, tools, model }) => ({
    shared: [model, tools, system],
    messages: messages as unknown[],
  }),
  withImages: {
    role: 'user',
    content: [
      { type: 'text', text: 'Compare them. [image 1: attached] [image 3: attached]' },
      { type: 'text', text: 'Image 1:' },
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
      { type: 'text', text: 'Image 3:' },
      { type: 'image', source: { type: 'base64', media_type: 'image/jpeg', data: 'BBBB' } },
    ],
  },
  opaque: [
    '"signature":"EqQBCgIYAhIM1gbcDa9GJwZA2b3hGgxBdjrkzLoky3dl1pk="',
    '"data":"EmwKAhgBEgy3va3pzix/LafPsn4aDFIT2Xlxh0L5L8rLVyI="',
  ],
  written: 24,
});
