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
  opaque: [
    '"signature":"EqQBCgIYAhIM1gbcDa9GJwZA2b3hGgxBdjrkzLoky3dl1pk="',
    '"data":"EmwKAhgBEgy3va3pzix/LafPsn4aDFIT2Xlxh0L5L8rLVyI="',
  ],
  written: 24,
});
