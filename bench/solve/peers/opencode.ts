import type { Peer } from './peer.ts';

export const openCode: Peer = {
  name: 'opencode',
  package: 'opencode-ai',
  binary: 'opencode',
  files: (url) => ({
    '.config/opencode/opencode.json': JSON.stringify({
      autoupdate: false,
      share: 'disabled',
      permission: { '*': 'allow' },
      small_model: 'hand/hand',
      provider: {
        hand: {
          npm: '@ai-sdk/openai-compatible',
          name: 'hand',
          options: { baseURL: `${url}/v1`, apiKey: 'none' },
          models: { hand: { name: 'hand', limit: { context: 200_000, output: 32_000 } } },
        },
      },
    }),
  }),
  variables: () => ({
    OPENCODE_DISABLE_AUTOUPDATE: '1',
    OPENCODE_DISABLE_MODELS_FETCH: '1',
    OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
  }),
  words: (prompt) => ['run', '--model', 'hand/hand', '--title', 'task', prompt],
};
