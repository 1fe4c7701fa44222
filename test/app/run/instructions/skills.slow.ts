import { once } from 'node:events';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { findSkills } from '../../../../src/app/run/instructions/skills.ts';
import type { ServerSettings } from '../../../../src/mcp/settings.ts';
import { steeringFiles } from '../../../../src/session/settings/index.ts';
import { WorkspaceFiles } from '../../../../src/workspace/files/files.ts';
import type { PathSettings } from '../../../../src/workspace/files/repository-paths.ts';
import { json } from '../../../agent/support.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';
import { entriesOf, openService, type Service } from '../../support.ts';

const FINISH = json(['finish', { summary: 'Done.', outcome: 'nothing_to_do' }]);
const skill = (description: string, text: string): string =>
  `---\nname: other\n${description}\n---\n\n${text}\n`;

describe('the skills of a repository', () => {
  let service: Service;
  beforeAll(async () => {
    service = await openService({
      '.github/skills/release/SKILL.md': skill('description: How to release', 'Tag it by hand.'),
      '.claude/skills/release/SKILL.md': skill('description: Another way', 'Never.'),
      '.claude/skills/tests/SKILL.md': skill(
        'description: >-\n  Write tests\n  as tables',
        'Use <!-- hidden --> it.each.',
      ),
      '.agents/skills/broken/SKILL.md': '---\ndescription: &a [*a\n---\nNo head.',
      '.agents/skills/empty/README.md': 'No skill.',
      '.agents/skills/not a name/SKILL.md': skill('description: No', 'No.'),
    });
  });
  afterAll(() => service.close());

  it('are listed in the prompt, and read from the default branch when asked for', async () => {
    const { model } = service;
    model.says(
      json(
        ['read_skill', { name: 'release' }],
        ['read_skill', { name: 'tests' }],
        ['read_skill', { name: '../secret' }],
      ),
      FINISH,
    );
    const session = await service.start('Release it');
    await session.advance();
    const [first] = model.requests.splice(0);
    const prompt = first?.system ?? '';
    const list = prompt.slice(prompt.indexOf('## Skills')).split('\n').slice(4, 7);
    expect(list).toEqual([
      '- release: How to release',
      '- broken',
      '- tests: Write tests as tables',
    ]);
    for (const hidden of ['Tag it', 'it.each', 'not a name', '- empty'])
      expect(prompt).not.toContain(hidden);
    const outputs = entriesOf(await session.journal(), 'call_finished').map(({ output }) => output);
    expect(outputs[0]).toContain('From `.github/skills/release/SKILL.md` on the default branch');
    expect(outputs[0]).toContain('Tag it by hand.');
    expect(outputs[1]).toContain('it.each.');
    expect(outputs[1]).not.toContain('hidden');
    expect(outputs[2]).toContain('There is no skill "../secret"');
  });

  it('are not written by the agent', async () => {
    const { model } = service;
    const content = skill('description: Mine', 'Obey me.');
    model.says(
      json(['write_file', { path: '.agents/skills/mine/SKILL.md', content }]),
      json(['write_file', { path: '.github/skills/mine/SKILL.md', content }]),
      json(['write_file', { path: '.claude/skills/release/SKILL.md', content }]),
      FINISH,
    );
    const session = await service.start('Write a skill');
    await session.advance();
    const calls = entriesOf(await session.journal(), 'call_finished');
    expect(calls.slice(0, 3).map(({ ok }) => ok)).toEqual([false, false, false]);
    expect(model.requests.splice(0)[0]?.system).not.toContain('Mine');
    expect(steeringFiles([])).toContain('.agents');
  });
});

describe('a skill that the workspace has', () => {
  /** Both in the workspace and on the default branch. */
  async function find(texts: Readonly<Record<string, string>>, paths: PathSettings = {}) {
    const root = temporaryDirectory();
    for (const [path, text] of Object.entries(texts)) {
      mkdirSync(join(root, dirname(path)), { recursive: true });
      writeFileSync(join(root, path), text);
    }
    return findSkills(new WorkspaceFiles(root, undefined, paths), {
      readFile: (path) => Promise.resolve(texts[path]),
      redact: (words: string) => words.replace('a-secret', '[redacted]'),
    });
  }
  const listed = ({ section }: Awaited<ReturnType<typeof find>>) => section.split('\n').slice(4);
  const FILE = '.claude/skills/tests/SKILL.md';

  it('is none without a file on the default branch', async () => {
    const root = temporaryDirectory();
    mkdirSync(join(root, dirname(FILE)), { recursive: true });
    writeFileSync(join(root, FILE), 'Only here.');
    const source = { readFile: () => Promise.resolve(undefined), redact: (words: string) => words };
    const { count, section } = await findSkills(new WorkspaceFiles(root), source);
    expect({ count, section }).toEqual({ count: 0, section: '' });
  });

  it('has the text of the default branch, without secrets and without more than fits', async () => {
    const text = skill(`description: ${'many words '.repeat(100)}`, 'x\n'.repeat(20_000));
    const skills = await find({ [FILE]: text });
    expect(skills.section.split('\n').at(-1)?.length).toBeLessThan(400);
    expect(skills.read('tests').length).toBeLessThan(17_000);
    const secret = await find({ [FILE]: 'Use a-secret.' });
    expect(secret.read('tests')).toContain('Use [redacted].');
  });

  it('is found through links within the repository, and said not to be behind others', async () => {
    const root = temporaryDirectory();
    const files: Readonly<Record<string, string>> = {
      'common/tests/SKILL.md': skill('description: How to test', 'Use tables.'),
      '.agents/skills/release/SKILL.md': 'Tag it.',
    };
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(join(root, dirname(path)), { recursive: true });
      writeFileSync(join(root, path), text);
    }
    mkdirSync(join(root, '.claude'));
    symlinkSync('../.agents/skills', join(root, '.claude/skills'));
    symlinkSync('../../common/tests', join(root, '.agents/skills/tests'));
    symlinkSync('../../../outside', join(root, '.agents/skills/outside'));
    symlinkSync('circle', join(root, '.agents/skills/circle'));
    symlinkSync('nothing', join(root, '.agents/skills/gone'));
    const skills = await findSkills(new WorkspaceFiles(root), {
      readFile: (path) => Promise.resolve(files[path]),
      redact: (words) => words,
    });
    expect(listed(skills)).toEqual([
      '- circle',
      '- gone',
      '- outside',
      '- release',
      '- tests: How to test',
    ]);
    expect(skills.read('tests')).toMatch(/^From `common\/tests\/SKILL.md`[^]*Use tables\.$/);
    const faults = { circle: 'in a circle', gone: 'to nothing', outside: 'out of the repository' };
    for (const [name, why] of Object.entries(faults))
      expect(skills.read(name)).toContain(
        `(Not shown: \`.agents/skills/${name}\` is a link that leads ${why}.)`,
      );
  });

  it.each([['**/closed/'], ['.agents'], ['.agents/skills/closed/SKILL.md']])(
    'is neither listed nor read if the settings deny %s',
    async (deny) => {
      const texts = { [FILE]: 'Open.', '.agents/skills/closed/SKILL.md': 'Closed.' };
      const skills = await find(texts, { deny: [deny] });
      expect(listed(skills)).toEqual(['- tests']);
      expect(() => skills.read('closed')).toThrow('There is no skill');
    },
  );

  it('counts, and folders without one do not', async () => {
    const folders = Array.from({ length: 25 }, (_, at) => [`.github/skills/a${at}/README.md`, '']);
    const empty = Object.fromEntries(folders) as Record<string, string>;
    const skills = await find({ ...empty, '.github/skills/tests/notes.md': '', [FILE]: 'Here.' });
    expect(skills.read('tests')).toContain('Here.');
  });

  it('is named, and not listed, if there are too many', async () => {
    const texts = Array.from({ length: 22 }, (_, at) => [
      `.agents/skills/s${String(at).padStart(2, '0')}/SKILL.md`,
      'All say the same.',
    ]);
    const lines = listed(await find(Object.fromEntries(texts) as Record<string, string>));
    expect(lines.slice(18)).toEqual([
      '- s18',
      '- s19',
      '',
      'Not listed, because there are too many: `.agents/skills/s20/SKILL.md`, `.agents/skills/s21/SKILL.md`.',
    ]);
  });

  it.each([
    [
      'is no YAML',
      '---\ndescription: Use when: tests fail\n---\n',
      '- tests: Use when: tests fail',
    ],
    ['has no end', `---\ndescription: Tests\nlicense: ${'x'.repeat(5_000)}`, '- tests: Tests'],
    ['has blanks', '---  \r\ndescription: Tests\r\n---  \r\nText', '- tests: Tests'],
    ['hides', '---\ndescription: "Te\\u202est\\u200bs"\n---\n', '- tests: Tests'],
  ])('is described even if its head %s', async (_what, text, line) => {
    expect(listed(await find({ [FILE]: text }))).toEqual([line]);
  });
});

describe('skills that cannot be read', () => {
  it('put the run off before it asks an MCP server', async () => {
    let asked = 0;
    const server = createServer((_request, response) => {
      asked += 1;
      response.writeHead(500).end();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const offered = {
      kind: 'remote',
      name: 'docs',
      url,
      headers: {},
      safe: [],
      startMs: 9_000,
      timeoutMs: 9_000,
    };
    const service = await openService(
      { '.claude/skills/tests/SKILL.md': skill('description: Tests', 'As tables.') },
      { servers: [offered as ServerSettings] },
    );
    try {
      service.github.faults.failNext({ path: /SKILL\.md/, status: 500, times: 99 });
      const session = await service.start('Any');
      await session.advance();
      expect((await session.journal()).map(({ type }) => type)).toContain('run_deferred');
      expect(asked).toBe(0);
    } finally {
      await service.close();
      server.close();
    }
  });
});

describe('a repository without skills', () => {
  it('has no tool for them, and no word of them in the prompt', async () => {
    const service = await openService({ '.claude/settings.json': '{}' });
    try {
      service.model.says(json(['read_skill', { name: 'x' }]), FINISH);
      const session = await service.start('Any');
      await session.advance();
      const [first] = service.model.requests;
      expect(first?.system).not.toMatch(/skill/i);
      const [called] = entriesOf(await session.journal(), 'call_finished');
      expect(called?.output).toContain('there is no tool "read_skill"');
    } finally {
      await service.close();
    }
  });
});
