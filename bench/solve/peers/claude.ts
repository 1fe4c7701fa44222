import type { Peer } from './peer.ts';

export const claude: Peer = {
  name: 'claude',
  package: '@anthropic-ai/claude-code',
  binary: 'claude',
  files: () => ({}),
  variables: (url) => ({
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: 'none',
    ANTHROPIC_MODEL: 'hand',
    ANTHROPIC_SMALL_FAST_MODEL: 'hand',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
    CLAUDE_CODE_DISABLE_EXPERIMENTAL_BETAS: '1',
    IS_SANDBOX: '1',
  }),
  words: (prompt) => ['--print', '--allowedTools', 'Bash,Read,Edit,Write,Glob,Grep', '--', prompt],
};
