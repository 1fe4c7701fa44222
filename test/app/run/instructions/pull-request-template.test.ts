import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { templateNotices } from '../../../../src/app/run/notices.ts';
import { TellPerson, TryLater } from '../../../../src/lib/errors.ts';
import { WorkspaceFiles } from '../../../../src/workspace/files/files.ts';
import { Journal } from '../../../support/journal.ts';
import { PULL_REQUEST } from '../../../support/stories.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';

const FORM = '## Why\n\n## Checks\n- [ ] Tests pass';

/** Notices over a workspace with these files, whose default branch has the same. */
function noticesOf(files: Record<string, string>, journal: Journal, fail: () => void = () => {}) {
  const root = temporaryDirectory();
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
  const read: string[] = [];
  const next = templateNotices({
    files: new WorkspaceFiles(root),
    tracker: journal,
    redact: (text) => text.replaceAll('s3cret', '[redacted]'),
    readFile: async (path) => {
      read.push(path);
      fail();
      return files[path];
    },
  });
  return { next, read };
}

const atWork = (): Journal => new Journal().start().run().turn({ thought: 'I look around.' });

describe('the form of pull requests', () => {
  it.each([
    '.github/pull_request_template.md',
    '.github/PULL_REQUEST_TEMPLATE.md',
    'PULL_REQUEST_TEMPLATE.txt',
    'docs/pull_request_template.md',
  ])('is shown after the first reply, from the default branch: %s', async (path) => {
    const { next, read } = noticesOf({ [path]: `${FORM} s3cret` }, atWork());
    const [notice, ...more] = await next();
    expect(more).toEqual([]);
    expect(notice?.topic).toBe('pull-request-template');
    expect(notice?.text).toContain(`\`${path}\``);
    expect(notice?.text).toContain(FORM);
    expect(notice?.text).not.toContain('s3cret');
    await next();
    expect(read).toEqual([path]);
  });

  it('has the questions that it asks in HTML comments', async () => {
    const form = '<!-- What does this change? -->\n\n<!-- s3cret\u200B Why? -->';
    const { next } = noticesOf({ '.github/pull_request_template.md': form }, atWork());
    const [notice] = await next();
    expect(notice?.text).toContain('answer what its HTML comments ask and leave the comments out');
    expect(notice?.text).toMatch(
      /<!-- What does this change\? -->\n\n<!-- \[redacted\] Why\? -->$/,
    );
  });

  it('is the one that GitHub uses if there are several', async () => {
    const { next } = noticesOf(
      { 'docs/pull_request_template.md': 'docs', '.github/pull_request_template.md': 'github' },
      atWork(),
    );
    expect((await next())[0]?.text).toMatch(/github$/);
  });

  it('is not shown before the first reply, nor while a pull request is open', async () => {
    const files = { '.github/pull_request_template.md': FORM };
    expect(await noticesOf(files, new Journal().start().run()).next()).toEqual([]);
    expect(await noticesOf(files, atWork().effect(PULL_REQUEST)).next()).toEqual([]);
  });

  it('is absent if the default branch has none', async () => {
    expect(await noticesOf({ 'README.md': '' }, atWork()).next()).toEqual([]);
    const empty = noticesOf({ '.github/pull_request_template.md': '' }, atWork());
    expect(await empty.next()).toEqual([]);
  });

  it('is requested again later if GitHub is busy', async () => {
    let isBusy = true;
    const { next } = noticesOf({ '.github/pull_request_template.md': FORM }, atWork(), () => {
      if (isBusy) throw new TryLater('busy');
    });
    expect(await next()).toEqual([]);
    isBusy = false;
    expect(await next()).toHaveLength(1);
  });

  it('that cannot be read is said to be there', async () => {
    const { next } = noticesOf({ '.github/pull_request_template.md': FORM }, atWork(), () => {
      throw new TellPerson('too long');
    });
    expect((await next())[0]?.text).toContain('Not shown');
  });
});
