import { spawn } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ConfigFault } from '../../src/config/faults.ts';
import { readNetwork } from '../../src/config/network.ts';
import { proxyFor } from '../../src/lib/network.ts';
import { canCertify } from '../support/certificates.ts';
import { openCompanyNetwork, type CompanyNetwork } from '../support/company-network.ts';

type Case = readonly [Record<string, string>, string, boolean];
const A = 'https://a.company.example/';

/** For `fetch` and the agents of Node, which read the settings in two ways of their own. */
const MADE: readonly Case[] = [
  [{}, A, true],
  [{ HTTP_PROXY: 'same' }, 'http://a.company.example/', true],
  [{ HTTPS_PROXY: '', http_proxy: 'same' }, A, true],
  [{ NO_PROXY: 'company.example' }, A, false],
  [{ no_proxy: '.company.example', NO_PROXY: 'x' }, A, false],
  [{}, 'https://[::1]:1/', false],
];

/** The variables, an address, and whether the proxy is asked for it. */
const CASES: readonly Case[] = [
  ...MADE,
  [{}, 'http://a.company.example/', false],
  [{ NO_PROXY: 'a.company.example' }, A, false],
  [{ NO_PROXY: 'x, *.company.example' }, A, false],
  [{ NO_PROXY: 'any.example' }, A, true],
  [{ NO_PROXY: 'pany.example' }, A, true],
  [{ NO_PROXY: 'a.company.example:444' }, A, true],
  [{ NO_PROXY: 'a.company.example:444' }, 'https://a.company.example:444/', false],
  [{ NO_PROXY: '*' }, A, false],
  [{}, 'https://localhost:1/', false],
  [{}, 'https://127.0.0.1:1/', false],
  [{ OLLAMA_BASE_URL: 'https://127.1.2.3:1/' }, 'https://127.1.2.3:1/', false],
  [{ NO_PROXY: '10.0.0.0/8', GHE_HOST: '10.1.2.3' }, 'https://10.1.2.3/', false],
  [{ NO_PROXY: '10.0.0.0/8', GHE_HOST: '11.1.2.3' }, 'https://11.1.2.3/', true],
  [
    { NO_PROXY: 'fd00::/8', OPENAI_BASE_URL: 'https://[fd00::7]:1/' },
    'https://[fd00::7]:1/',
    false,
  ],
  [{ HOST: '10.0.0.1' }, 'https://10.0.0.1:1/', false],
];

const variablesOf = (given: Record<string, string>, proxy: string): Record<string, string> =>
  Object.fromEntries(
    Object.entries({ HTTPS_PROXY: proxy, ...given }).flatMap(([name, value]) =>
      value === '' ? [] : [[name, value === 'same' ? proxy : value]],
    ),
  );

describe('settings of a network', () => {
  it.each(CASES)('%j: a request to %s goes through the proxy: %s', (given, url, expected) => {
    const network = readNetwork(variablesOf(given, 'proxy.example:3128'), []);
    expect(network && proxyFor(new URL(url), network)).toBe(
      expected ? 'http://proxy.example:3128' : undefined,
    );
  });

  const faultsIn = (variables: Record<string, string>): readonly ConfigFault[] => {
    const faults: ConfigFault[] = [];
    readNetwork(variables, faults);
    return faults;
  };

  it.each([
    ['HTTPS_PROXY', 'socks5://proxy.example:1080', /SOCKS is not supported/],
    ['http_proxy', 'http://', /must be the address of an HTTP proxy/],
    ['HTTPS_PROXY', 'http://user:a%ZZ@proxy.example', /write `%` as `%25`/],
    ['NODE_EXTRA_CA_CERTS', '/no/such/file.pem', /the file \/no\/.*cannot be read \(ENOENT\)/],
    ['NODE_EXTRA_CA_CERTS', '/', /cannot be read \(EISDIR\)/],
    ['NODE_EXTRA_CA_CERTS', import.meta.filename, /names a file without certificates/],
  ])('%s=%s is named, with what is wrong', (name, value, fault) => {
    expect(faultsIn({ [name]: value })).toEqual([
      { name: name.toUpperCase(), fault: expect.stringMatching(fault) },
    ]);
  });

  it('keep the password of a proxy from texts, in each form in which it is sent', () => {
    const proxy = 'http://me:p%40ssword-9@proxy.example:3128';
    const { secrets } = readNetwork({ HTTPS_PROXY: proxy }, []) ?? { secrets: [] };
    expect(secrets).toEqual(
      expect.arrayContaining(['p%40ssword-9', 'p@ssword-9', 'me:p@ssword-9', 'me:p%40ssword-9']),
    );
  });
});

it('requests get agents of lib/network.ts alone: others would pass by the proxy', () => {
  const files = globSync('{src,packages/sandbox/src}/**/*.ts').filter((path) =>
    /new (?:https?\.)?Agent\(|agent: false/.test(readFileSync(path, 'utf8')),
  );
  expect(files).toEqual(['src/lib/network.ts']);
});

(canCertify ? describe : describe.skip)('requests of each kind', () => {
  let company: CompanyNetwork;
  beforeAll(async () => {
    company = await openCompanyNetwork();
  });
  afterAll(() => company.close());

  it.each(MADE)('%j: all to %s go through the proxy: %s', async (given, url, expected) => {
    const variables = variablesOf(given, company.proxy.replace('http://', ''));
    const from = company.asked.length;
    const words = [fileURLToPath(new URL('network-process.ts', import.meta.url)), url];
    const child = spawn(process.execPath, words, {
      env: variables,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const said = await text(child.stdout);
    const asked = company.asked.slice(from).map((line) => /[\w.]+\.example/.exec(line)?.[0]);
    // Three kinds, also in a worker thread.
    const all = Array.from({ length: 6 }, () => new URL(url).hostname);
    expect([said, asked]).toEqual([expected ? 'git too\n' : 'git directly\n', expected ? all : []]);
  });
});
