import { describe, expect, it } from '@jest/globals';
import type { ProtocolName } from '../../../src/contracts/entries.ts';
import { protocolNamed } from '../../../src/agent/protocols/index.ts';
import {
  repositorySection,
  systemPrompt,
  underHeading,
} from '../../../src/agent/prompts/system.ts';
import { testTools } from '../support.ts';

const promptOf = (protocol: ProtocolName): string =>
  systemPrompt({
    protocol: protocolNamed(protocol),
    tools: testTools(),
    repository: 'example/greeter',
    guidance: repositorySection([underHeading('CLAUDE.md', 'Use tabs.')]),
  });

describe('the system prompt', () => {
  it('begins with the role and the rules of the work', () => {
    const prompt = promptOf('json');
    expect(prompt).toMatch(/^You are Issuewright, a software engineer .* example\/greeter\. /);
    expect(prompt).toContain('- Call ask_question only if an important decision is open');
    expect(prompt).toMatch(/Open the pull request once .*, then call finish\./);
  });

  it.each<[ProtocolName, string]>([
    ['json', '# Form of every reply'],
    ['react', '<tool_definitions>'],
  ])(
    'has the instructions of the repository after that, and the tools at its end (%s)',
    (protocol, start) => {
      const prompt = promptOf(protocol);
      const places = ['# How to work', '## Repository Instructions', 'Use tabs.', start].map(
        (part) => prompt.indexOf(part),
      );
      expect(places).toEqual(places.toSorted((one, other) => one - other));
      expect(places[0]).toBeGreaterThan(0);
      expect(prompt.slice(places[3])).toContain('does note');
    },
  );

  it('says that the instructions of a repository change no tools', () => {
    expect(promptOf('native')).toContain(
      'They do not change your tools or the form of your replies.\n\n### CLAUDE.md\n\nUse tabs.',
    );
  });
});
