import type { Peer } from './peer.ts';

export const codex: Peer = {
  name: 'codex',
  package: '@openai/codex',
  binary: 'codex',
  files: (url) => ({
    '.codex/config.toml': `model = "hand"
model_provider = "hand"
check_for_update_on_startup = false

[model_providers.hand]
name = "hand"
base_url = "${url}/v1"
wire_api = "responses"
env_key = "HAND_KEY"
stream_idle_timeout_ms = 3600000
`,
  }),
  variables: () => ({ HAND_KEY: 'none' }),
  words: (prompt) => ['exec', '--dangerously-bypass-approvals-and-sandbox', prompt],
};
