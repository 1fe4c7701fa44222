import { describe, expect, it } from '@jest/globals';
import { readConfig, secretsOf } from '../../src/config.ts';
import { faultsOf, GOOD } from './good.ts';

const CLIENT = {
  CLIENT_ID: 'Iv23liAbCdEf01234567',
  CLIENT_SECRET: '5d1b7b9fa11c8cf0b1a3e0c2a6f2d7f84bb0e911',
};

describe('the sign-in with GitHub', () => {
  it('is off unless the App is named as an OAuth client', () => {
    expect(readConfig(GOOD).signIn).toBeUndefined();
  });

  it('has the client, and the people who see everything', () => {
    const config = readConfig({ ...GOOD, ...CLIENT, ADMINS: 'Ada, bob:583231' });
    expect(config.signIn).toEqual({
      clientId: CLIENT.CLIENT_ID,
      clientSecret: CLIENT.CLIENT_SECRET,
      admins: new Map([
        ['ada', undefined],
        ['bob', 583_231],
      ]),
    });
    expect(secretsOf(config)).toContain(CLIENT.CLIENT_SECRET);
  });

  it.each([
    ['PUBLIC_URL', 'https://pages.example.com/'],
    ['PUBLIC_URL', 'http://localhost:3001'],
    ['PUBLIC_URL', 'http://127.0.0.1:3001'],
    ['PAGES_HOST', '0.0.0.0'],
    ['PAGES_HOST', '::1'],
  ])('is possible with %s=%s', (name, value) => {
    expect(readConfig({ ...GOOD, ...CLIENT, [name]: value }).signIn).toBeDefined();
  });

  it.each([
    ['CLIENT_SECRET', { CLIENT_ID: CLIENT.CLIENT_ID }, /missing: .*needs both/],
    ['CLIENT_ID', { CLIENT_SECRET: CLIENT.CLIENT_SECRET }, /missing: .*needs both/],
    ['CLIENT_ID', { ADMINS: 'ada' }, /missing: .*needs both/],
    ['CLIENT_ID', { ...CLIENT, CLIENT_ID: '12' }, /must be the "Client ID"/],
    ['CLIENT_SECRET', { ...CLIENT, CLIENT_SECRET: 'short' }, /at least 16 characters/],
    ['CLIENT_SECRET', { ...CLIENT, CLIENT_SECRET: 'a'.repeat(40) }, /easy to guess/],
    ['ADMINS', { ...CLIENT, ADMINS: '@ada' }, /without `@`/],
    ['ADMINS', { ...CLIENT, ADMINS: 'ada:' }, /as in `octocat:583231`/],
    ['ADMINS', { ...CLIENT, ADMINS: 'ada:0' }, /as in `octocat:583231`/],
    ['ADMINS', { ...CLIENT, ADMINS: 'ada:1:2' }, /as in `octocat:583231`/],
    ['PUBLIC_URL', { ...CLIENT, PUBLIC_URL: 'http://pages.example.com' }, /begin with `https:/],
    ['PUBLIC_URL', { ...CLIENT, PUBLIC_URL: 'https://example.com/pages' }, /must have no path/],
    ['PUBLIC_URL', { ...CLIENT, PAGES_HOST: '192.0.2.7' }, /missing: GitHub leads people/],
  ])('needs another %s than %j', (name, changes, why) => {
    expect(faultsOf({ ...GOOD, ...changes }).get(name)).toMatch(why);
  });

  it('needs a client secret that is nothing else', () => {
    const changes = { ...CLIENT, PAGES_TOKEN: CLIENT.CLIENT_SECRET };
    expect(faultsOf({ ...GOOD, ...changes }).get('PAGES_TOKEN')).toMatch(/same value/);
  });
});
