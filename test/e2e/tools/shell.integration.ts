import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import type { Script } from '../../../packages/local-github/src/model/script.ts';
import { openSandbox } from '../../../packages/sandbox/src/index.ts';
import type { Issue } from '../../../packages/local-github/src/github/state.ts';
import { Scene } from '../scene.ts';
import { call, say } from '../turns.ts';

const FILES = {
  'README.md': '# Sum\n',
  '.gitignore': 'prepared\n',
  '.github/issuewright.yml':
    'test: node --test\nsetup: [touch prepared]\nenv: { DB_HOST: db.example, DB_PORT: 5432 }\n',
  'package.json': '{"name": "sum", "type": "module"}\n',
  'sum.js': 'export const sum = (numbers) => numbers.reduce((a, b) => a + b);\n',
  'test/sum.test.js': `import test from 'node:test';
import assert from 'node:assert';
import { sum } from '../sum.js';

test('adds numbers', () => assert.equal(sum([1, 2]), 3));
test('is 0 of nothing', () => assert.equal(sum([]), 0));
`,
};

const TOKEN = 'deploy-2f9c41d07ab3';
/** Given to every command, and never to be read by anyone else. */
const GIVEN = { DEPLOY_TOKEN: TOKEN, COMMAND_ENV: 'DEPLOY_TOKEN,APP_MODE=dry' };

const VARIABLES =
  '[[ -n $BASH_VERSION ]] && echo "in $0: ${#DEPLOY_TOKEN} $DEPLOY_TOKEN $APP_MODE $DB_HOST:$DB_PORT"';

const SCRIPT: Script = {
  turns: [
    say(call('run_tests')),
    say(call('edit_file', { path: 'sum.js', old_text: 'a + b)', new_text: 'a + b, 0)' })),
    say(call('run_shell_command', { command: 'git commit -am "Add up nothing"' })),
    say(call('bash', { command: 'ls prepared && echo "Adds up." >> README.md; id -u; hostname' })),
    say(call('bash', { command: VARIABLES })),
    say(call('run_tests', { path: 'test/sum.test.js' }), call('run_tests')),
    say(call('commit', { message: 'Add up nothing' })),
    say(call('create_pull_request', { title: 'Add up nothing', body: 'All tests pass.' })),
    say(call('finish', { summary: 'Nothing adds up to 0.' })),
  ],
};

const SAFE_SCRIPT: Script = {
  turns: [
    say(call('bash', { command: 'touch /tmp/issuewright-was-here' })),
    say(call('run_tests')),
    say(call('finish', { outcome: 'cannot', summary: 'There is no shell.' })),
  ],
};

const openScene = (environment: Record<string, string>, script: Script = SCRIPT): Promise<Scene> =>
  Scene.open({ scripts: [script], files: FILES, environment });

/** Lets the agent work on an issue to its end. */
async function work(scene: Scene): Promise<Issue> {
  const issue = scene.ask('The sum of nothing fails', 'It should be 0.');
  await scene.untilStatus(issue, /ready for review|nothing to change|could not|failed/i);
  return issue;
}

/** All messages that the model had before its last reply. */
function told(scene: Scene): string {
  const { messages } = JSON.parse(String(scene.agentRequests.at(-1)?.body));
  return messages.map(({ content }: { content: string }) => content).join('\n\n');
}

const toolsTold = (scene: Scene): string[] =>
  JSON.parse(String(scene.agentRequests[0]?.body)).tools.map(
    (tool: { function: { name: string } }) => tool.function.name,
  );

const statusOf = (scene: Scene, issue: Issue): string =>
  scene.comments(issue).find(({ body }) => body.includes(':status -->'))?.body ?? '';

async function pageOf(page: string, scene: Scene, issue: Issue): Promise<string> {
  const [, id = ''] = /\/sessions\/([\w-]+)/.exec(statusOf(scene, issue)) ?? [];
  return scene.stage.readPage(`/sessions/${id}${page}`);
}

/** The story is the same, however commands are contained. */
function story(environment: Record<string, string>): () => Scene {
  let scene: Scene;
  let issue: Issue;
  const bodyOf = (): string => scene.pulls()[0]?.body ?? '';
  beforeAll(async () => {
    scene = await openScene(environment);
    issue = await work(scene);
    await scene.until('the facts', () => /After the changes/.test(bodyOf()));
  });
  afterAll(() => scene?.closeReplayed());

  it('shows in the pull request that the tests failed before and pass after, as observed', () => {
    const [said = '', observed = ''] = bodyOf().split('## Checked by Issuewright');
    expect(said).toContain('All tests pass.');
    expect(observed).toMatch(
      /\*\*Tests\*\*\s+- Before the changes: ❌ 1 failed, 1 passed, `node --test`\n- After the changes: ✅ 2 passed, `node --test`/,
    );
    expect(observed).not.toContain('Files changed after');
    expect(observed).toContain("- `node --test 'test/sum.test.js'`: exit code 0");
  });

  it('tells the model what failed first, and where commits are made', () => {
    expect(told(scene)).toMatch(
      /"node --test": Exit code 1, after [^.]*\.?\d* s\. 1 failed, 1 passed\./,
    );
    // The sandbox may see another Node, whose test runner prints TAP.
    expect(told(scene)).toMatch(/Failures:\s+(?:✖|not ok 2 -) is 0 of nothing/);
    expect(told(scene)).toMatch(
      /(?:`git commit` cannot be used here|Git made no commit)[^]*instead: commit commits all/,
    );
  });

  it('commits what a command changed, and not what its setup prepared', async () => {
    const files = await scene.git('ls-tree', '-r', '--name-only', 'issuewright/issue-1');
    expect(files).not.toContain('prepared');
    expect(await scene.git('show', 'issuewright/issue-1:README.md')).toBe('# Sum\nAdds up.');
  });

  it('gives commands the variables of the operator and of the repository, and shows no secret', async () => {
    const shown = `in /bin/bash: ${TOKEN.length} [redacted] dry db.example:5432`;
    expect(told(scene)).toContain(shown);
    const everything = [
      ...scene.agentRequests.map(({ body }) => String(body)),
      ...scene.repository.comments.map(({ body }) => body),
      await pageOf('', scene, issue),
      await pageOf('/prompt', scene, issue),
      bodyOf(),
      scene.stage.log(),
    ];
    expect(everything[1]).toContain('Each runs in a new bash -c');
    expect(everything.some((text) => text.includes(shown))).toBe(true);
    expect(everything.filter((text) => text.includes(TOKEN))).toEqual([]);
  });

  it('shows the commands and their output on the session page', async () => {
    const text = await pageOf('', scene, issue);
    expect(text).toContain(
      '<strong>Tests</strong> exit code 1, 1 failed, 1 passed, before the changes',
    );
    expect(text).toContain('<strong>Setup</strong> <code>touch prepared</code> exit code 0');
  });
  return () => scene;
}

const opened = await openSandbox({ allowHosts: [], log: pino({ level: 'silent' }) });
if (opened.state === 'ready') await opened.sandbox.close();
else if (process.env['CI'] !== undefined)
  throw new Error(`CI has to run this story in the sandbox: ${opened.why}`);
const missing = opened.state === 'ready' ? '' : ` (skipped: ${opened.why})`;
const describeContained = opened.state === 'ready' ? describe : describe.skip;

describeContained(`a fix that needs the tests, with commands in the sandbox${missing}`, () => {
  const scene = story({ ALLOW_DANGEROUS_TOOLS: 'true', ...GIVEN });

  it('runs commands as another user, away from our machine', () => {
    expect(scene().stage.log()).toContain('commands run in the sandbox');
    expect(told(scene())).toMatch(/Exit code 0, after[^\n]*\n(?:.*\n)?prepared\n\d+\n/);
  });
});

describe('a fix that needs the tests, with SANDBOX=unsafe', () => {
  const scene = story({ ALLOW_DANGEROUS_TOOLS: 'true', SANDBOX: 'unsafe', ...GIVEN });

  it('is warned about in the log and on the issue', () => {
    expect(scene().stage.log()).toContain("SANDBOX=unsafe: the agent's commands are NOT sandboxed");
    expect(statusOf(scene(), { number: 1 } as Issue)).toContain('`SANDBOX=unsafe`');
  });
});

describe('safe mode, the default', () => {
  it('has no dangerous tools in the prompt, and does not run calls of them', async () => {
    const scene = await openScene({ SANDBOX: 'unsafe' }, SAFE_SCRIPT);
    try {
      await work(scene);
      expect(toolsTold(scene)).toContain('edit_file');
      expect(toolsTold(scene)).not.toContain('run_tests');
      expect(String(scene.agentRequests[0]?.body)).not.toContain('run_shell_command');
      expect(told(scene)).toContain('there is no tool "bash"');
      expect(told(scene)).toContain('there is no tool "run_tests"');
      expect(scene.stage.log()).not.toContain('SANDBOX=unsafe');
    } finally {
      await scene.close();
    }
  });
});
