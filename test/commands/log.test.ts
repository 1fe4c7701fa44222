import { spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { closeSync, existsSync, openSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import type { Logger } from 'pino';
import { openLog } from '../../src/commands/log.ts';
import { createRedactor } from '../../src/lib/text/redact.ts';

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 1024 });
const KEY = privateKey.export({ type: 'pkcs1', format: 'pem' }).toString();
const TOKEN = 'Zebrafish"\\\n\tof-the-pages-0123456789';

type Format = 'auto' | 'json' | 'pretty';

/** What is written to a terminal, or to anything else, as a log of this format. */
async function written(
  logFormat: Format,
  isTTY: boolean,
  write: (log: Logger) => void,
  logLevel = 'info',
): Promise<string> {
  let text = '';
  const output = {
    isTTY,
    hasColors: () => isTTY,
    write: (line: string) => (text += line) !== '',
  };
  const redactor = createRedactor([KEY, TOKEN]);
  write(await openLog({ logLevel, logFormat }, redactor, output));
  return text;
}

const ended = {
  session: 'abc',
  repository: 'example/words',
  issue: 7,
  run: 2,
  dollars: 0.0234,
  end: { kind: 'failed', reason: 'The push was denied:\n protected branch.' },
};

describe('the log', () => {
  it('is for people on a terminal, and JSON for everything else, unless the operator chose', async () => {
    const say = (log: Logger) => log.warn({ session: 'abc' }, 'run ended');
    const isJson = async (format: Format, isTTY: boolean) =>
      (await written(format, isTTY, say)).startsWith('{"level":40,');
    expect(await isJson('auto', false)).toBe(true);
    expect(await isJson('auto', true)).toBe(false);
    expect(await isJson('json', true)).toBe(true);
    expect(await isJson('pretty', false)).toBe(false);
  });

  it('says for people when, how bad, what, why, where, and what it cost, on one line', async () => {
    const line = await written('pretty', false, (log) => log.warn(ended, 'run ended'));
    expect(line).toMatch(
      /^\[\d\d:\d\d:\d\d\] WARN: run ended: failed: The push was denied: protected branch\. {2}example\/words#7 session=abc run=2 cost=\$0\.02\n$/,
    );
    const cheap = { ...ended, dollars: 0.002 };
    expect(await written('pretty', false, (log) => log.warn(cheap, 'run ended'))).toContain(
      'cost=<$0.01',
    );
    const coloured = await written('auto', true, (log) => log.warn(ended, 'run ended'));
    expect(coloured).not.toBe(line);
    expect(stripVTControlCharacters(coloured).slice(10)).toBe(line.slice(10));
  });

  it('shows people why something failed, and its trace only if they ask for details', async () => {
    const fail = (log: Logger) =>
      log.warn({ err: new TypeError('no\nroute'), session: 'abc' }, 'run step failed');
    expect(await written('pretty', false, fail)).toMatch(
      /^\S+ WARN: run step failed: no route {2}session=abc\n$/,
    );
    expect(await written('pretty', false, fail, 'debug')).toMatch(
      /WARN: run step failed: no route {2}session=abc\n {4}TypeError: no\n {4}route\n {8}at /,
    );
    const [json = ''] = (await written('json', false, fail)).split('\n');
    expect(JSON.parse(json)).toMatchObject({ err: { stack: expect.stringContaining('    at ') } });
  });

  it.each(['json', 'pretty'] as const)('as %s holds no secret, wherever it was', async (format) => {
    const text = await written(format, true, (log) => {
      log.info({ reason: `because of ${TOKEN}`, end: { kind: TOKEN }, [TOKEN]: 1 }, TOKEN);
      log.error({ err: new Error(`no key: ${KEY}`), deep: { list: [KEY, TOKEN] } }, KEY);
      log.info('the end');
    });
    const letters = text.replaceAll(/[\s|\\n]/g, '');
    expect(letters).not.toContain('of-the-pages');
    for (const line of KEY.split('\n').filter((one) => /^[^-]{20}/.test(one)))
      expect(letters).not.toContain(line.replaceAll('n', '').slice(0, 16));
    expect(text).toContain('[redacted]');
    expect(text).toContain('the end');
  });

  it.each(['json', 'pretty'] as const)('as %s has no line without end', async (format) => {
    const long = `${TOKEN} ${'x'.repeat(100_000)}`;
    const text = await written(format, false, (log) => {
      log.warn({ session: 'abc', reason: long, err: new Error(long) }, 'run step failed');
      log.warn({ items: Array.from({ length: 50_000 }, () => long.slice(0, 50)) }, 'many');
    });
    expect(text.length).toBeLessThan(40_000);
    expect(text).toContain('run step failed');
    expect(text).toContain('many');
    expect(text).not.toContain('of-the-pages');
  });

  it('lets nothing act on a terminal', async () => {
    const hostile = 'a\u001b[2Jb\u202Ec\u009bd\re\nf';
    const text = await written('pretty', false, (log) => {
      log.info({ reason: hostile, path: hostile, err: new Error(hostile) }, hostile);
    });
    expect(text).not.toMatch(/(?![\n\t])\p{Cc}|\u202E/u);
    expect(text).toContain(String.raw`a\u001b[2Jb\u202ec`);
    expect(text.split('\n').filter((line) => /^\S/.test(line))).toHaveLength(1);
  });

  it('as json shows nothing unseen either, and says the same', async () => {
    const hostile = 'a\u001b[2Jb\u202Ec\u009bd\u2028e\u{E0041}\u{1F469}\u200D\u{1F52C}';
    const text = await written('json', false, (log) => log.info({ path: hostile }, hostile));
    expect(text.trimEnd()).not.toMatch(/\p{Cc}|[\u202E\u2028\u{E0041}]/u);
    expect(JSON.parse(text)).toMatchObject({ path: hostile, msg: hostile });
  });

  const onLinux = existsSync('/dev/full') ? it : it.skip;
  onLinux('does not end the service when the disk is full, or nobody reads it', async () => {
    const program = `
      const { openLog } = await import(${JSON.stringify(import.meta.resolve('../../src/commands/log.ts'))});
      const log = await openLog({ logLevel: 'info', logFormat: 'json' }, { redact: (text) => text });
      log.info('before');
      setTimeout(() => { log.info('after'); process.stderr.write('alive'); }, 50);`;
    const full = openSync('/dev/full', 'w');
    const ends = (['pipe', full] as const).map(async (output) => {
      const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
        stdio: ['ignore', output, 'pipe'],
      });
      child.stdout?.destroy();
      return text(child.stderr!);
    });
    expect(await Promise.all(ends)).toEqual(['alive', 'alive']);
    closeSync(full);
  });
});
