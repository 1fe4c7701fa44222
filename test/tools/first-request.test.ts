// What every request of a run begins with, in tokens as OpenAI's models count them.
import { expect, it } from '@jest/globals';
import { countedTokens } from '../../packages/local-github/src/model/token-count.ts';
import { protocolNamed } from '../../src/agent/protocols/index.ts';
import { systemPrompt } from '../../src/agent/prompts/system.ts';
import { chooseTools } from '../../src/tools/choose-tools.ts';
import { TOOLS } from '../../src/tools/index.ts';
import { bench } from './support.ts';

it.each([
  [
    'commands',
    'node 24.11.0, python3 3.12.3 (no pytest), git 2.43.0, go 1.24.1, npm, pnpm, pip3, cargo, gcc, make, rg',
  ],
  [
    'commands in an image',
    'python3 3.12.3 (no pytest), git 2.43.0, pip3, gcc, g++, make (image docker.io/library/python:3.12-bookworm)',
  ],
])(
  'the system prompt and the tools of a run with %s have at most 1,500 tokens',
  async (_with, programs) => {
    const { tools, commands } = await bench();
    commands.contained = {
      workspace: '/workspace',
      home: '/home/agent',
      readable: [],
      hasGit: true,
      keepsTemporary: false,
    };
    commands.hosts = [];
    commands.programs = programs;
    commands.hasRepository = true;
    const choice = chooseTools(TOOLS, new Map(), { allowsDangerous: true });
    const chosen = 'names' in choice ? choice.names : new Set();
    const offered = tools.list.filter(
      ({ name, worksOn }) => chosen.has(name) && worksOn?.includes('issues') !== false,
    );
    const protocol = protocolNamed('native');
    const system = systemPrompt({
      protocol,
      tools: offered,
      repository: 'example/shop',
      guidance: '',
    });
    const parts = [system, ...protocol.specs(offered).map((spec) => JSON.stringify(spec))];
    const tokens = parts.reduce((sum, part) => sum + countedTokens(part), 0);
    expect(tokens).toBeLessThanOrEqual(1_500);
  },
);
