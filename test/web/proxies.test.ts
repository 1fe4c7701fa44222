import { afterEach, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { readConfig } from '../../src/config.ts';
import { createHttpServer } from '../../src/web/http-server.ts';
import { GOOD } from '../config/good.ts';

let close: () => Promise<void>;
afterEach(() => close());

/** Whom the limits of the pages count. */
async function counted(remoteAddress: string, proxies: readonly string[]): Promise<string> {
  const log = pino({ level: 'silent' });
  const { routes } = createHttpServer({ log, methods: [[/^\/$/, 'GET']], proxies });
  close = async () => {
    await routes.close();
  };
  routes.get('/', (request) => request.ip);
  const headers = { 'x-forwarded-for': '203.0.113.9' };
  return (await routes.inject({ url: '/', remoteAddress, headers })).body;
}

const byDefault = readConfig(GOOD).pages.proxies;
const set = (TRUSTED_PROXIES: string) => readConfig({ ...GOOD, TRUSTED_PROXIES }).pages.proxies;

describe('X-Forwarded-For', () => {
  it.each(['10.1.2.3', '172.17.0.5', '192.168.1.9', '169.254.1.1', 'fd00::7', '198.51.100.7'])(
    'is ignored if %s sends it, which nobody configured',
    async (address) => {
      expect(await counted(address, byDefault)).toBe(address);
    },
  );

  it('counts from a proxy on this machine, or one that is configured', async () => {
    expect(await counted('127.0.0.1', byDefault)).toBe('203.0.113.9');
    expect(await counted('10.1.2.3', set('10.1.2.0/24, fd00::/64'))).toBe('203.0.113.9');
    expect(await counted('10.1.3.3', set('10.1.2.0/24'))).toBe('10.1.3.3');
    expect(await counted('127.0.0.1', set('10.1.2.0/24'))).toBe('127.0.0.1');
  });

  it.each(['uniquelocal', '10.1.2', '10.1.2.0/33', 'proxy.example', '10.0.0.0/8/8', '::/129'])(
    'takes no setting such as %s',
    (given) => {
      close = async () => {};
      expect(() => set(given)).toThrow();
    },
  );
});
