import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { expect, it } from '@jest/globals';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { GOOD } from '../config/good.ts';

/** Refused at once, as by a server that restarts. */
const AWAY = 'postgres://127.0.0.1:1/x';
const WAITING = /waiting for the database/;

it.each(['SIGTERM', 'SIGINT'] as const)(
  'one %s ends a service that waits for its database at the start',
  async (signal) => {
    const child = spawn(process.execPath, [resolve('bin/issuewright.js'), 'start'], {
      cwd: temporaryDirectory(),
      env: { PATH: process.env['PATH'], ...GOOD, DATABASE_URL: AWAY, PORT: '0', PAGES_PORT: '0' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let printed = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      const wasWaiting = WAITING.test(printed);
      printed += text;
      if (!wasWaiting && WAITING.test(printed)) child.kill(signal);
    });
    const end = await new Promise((done) => child.on('close', (...codes) => done(codes)));
    expect(end).toEqual([0, null]);
    expect(printed).toMatch(/stopped before it was ready: Cannot open the database/);
  },
  300_000,
);
