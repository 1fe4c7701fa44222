// A change is reviewed by a model before people review it, through the shipped service.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Script } from '../../../packages/local-github/src/model/script.ts';
import { Scene } from '../scene.ts';
import { call, say } from '../turns.ts';

/** No real one, and in the form of one. */
const TOKEN = `ghp_${'a1B2'.repeat(9)}`;
const SUMMARY = 'Greets by name.';

const SCRIPT: Script = {
  match: 'Greet by name',
  turns: [
    say(call('write_file', { path: 'greet.js', content: `const token = '${TOKEN}';\n` })),
    say(call('commit', { message: 'Greet by name' })),
    say(call('finish', { summary: SUMMARY })),
    say(call('write_file', { path: 'greet.js', content: 'export const greet = () => 1;\n' })),
    say(call('finish', { summary: SUMMARY })),
  ],
  reviews: ['- greet.js:1: the name is not used', '- greet.js:1: the name is still not used'],
};

describe('a change', () => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await Scene.open({ scripts: [SCRIPT] });
  });
  afterAll(() => scene.close());

  it('is reviewed before it is submitted: the agent reads what was found, and people read what is left', async () => {
    const issue = scene.ask('Greet by name', 'As people expect.');
    await scene.untilStatus(issue, /ready for review/i);
    const { requests } = scene.stage.model;
    const sent = requests.map((request) => JSON.stringify(request));
    const reviews = sent.filter((text) => text.includes('You review a change before people do'));
    expect(reviews).toHaveLength(2);
    expect(reviews[0]).toMatch(/As people expect.*\+const token = '\[redacted\]'/s);
    expect(sent.join('\n')).toMatch(
      /Not submitted yet.*greet\.js:1: This looks like a secret.*the name is not used/s,
    );
    const body = await scene.until('the findings that are left', () => {
      const text = scene.pulls()[0]?.body ?? '';
      return text.includes('the name is still not used') ? text : undefined;
    });
    expect(body).toContain(
      '**Self-review**: 1 open finding\n\n> - `greet.js:1`: the name is still',
    );
    expect(body).not.toContain('looks like a secret');
  });
});
