import { describe, expect, it } from '@jest/globals';
import { readConfig } from '../../src/config.ts';
import { secretsOfServers } from '../../src/config/mcp.ts';
import { faultsOf, GOOD } from './good.ts';

const read = (value: string) => readConfig({ ...GOOD, MCP_SERVERS: value }).servers;
const SECRET = 'Zebrafish-4711';

describe('MCP_SERVERS', () => {
  it('is empty unless it is set', () => {
    expect(readConfig(GOOD).servers).toEqual([]);
  });

  it('names local and remote servers, with what they may do', () => {
    const servers = {
      fs: { command: 'mcp-fs', args: ['/'], env: { MODE: 'fast' }, egress: ['*.example.com'] },
      docs: { type: 'http', url: 'https://a.example/mcp', headers: { 'x-key': 'k' }, timeout: 5 },
    };
    expect(read(JSON.stringify(servers))).toEqual([
      {
        kind: 'local',
        name: 'fs',
        safe: [],
        startMs: 10_000,
        timeoutMs: 60_000,
        command: 'mcp-fs',
        args: ['/'],
        environment: { MODE: 'fast' },
        egress: ['*.example.com'],
      },
      {
        kind: 'remote',
        name: 'docs',
        safe: [],
        startMs: 10_000,
        timeoutMs: 5_000,
        url: 'https://a.example/mcp',
        headers: { 'x-key': 'k' },
      },
    ]);
  });

  it('may be a list, or what other programs have below mcpServers', () => {
    const server = { command: 'npx', args: ['-y', 'server', '/'] };
    const [expected] = read(JSON.stringify({ fs: server }));
    expect(read(JSON.stringify([{ name: 'fs', ...server }]))).toEqual([expected]);
    expect(read(JSON.stringify({ mcpServers: { fs: server } }))).toEqual([expected]);
  });

  it.each([
    [
      '{"fs": x}',
      /^is not valid JSON: line 1, column 8, or just before it\. Its form is `\{"name"/,
    ],
    ['{\n "fs": {"command": "a",}\n}', /line 2, column 24/],
    [`{"fs": {"env": {"KEY": "${SECRET}"}}`, /line 1, column 42/],
    ["{'fs': {}}", /line 1, column 2/],
    ['{}{}', /line 1, column 3/],
    ['['.repeat(100_000), /line 1, column 52/],
    ['7', /must be an object of servers by name\. Its form is/],
    ['{"fs": 7}', /`fs` must be an object with a `command` or a `url`/],
    ['{"Fs": {"command": "a"}}', /the name of a server must be a name of at most 20 lower-case/],
    ['{"a__b": {"command": "a"}}', /the name of a server must be/],
    ['{"__proto__": {"command": "a"}}', /the name of a server must be/],
    ['[{"command": "a"}]', /the name of a server must be/],
    ['[{"name": "a", "command": "a"}, {"name": "a", "command": "b"}]', /same name\. Rename one/],
    ['{"fs": {"command": ""}}', /`command` of `fs` must be the name or the path of a program/],
    ['{"fs": {"command": "a", "args": "b"}}', /`args` of `fs` must be a list of strings/],
    ['{"fs": {"command": "a", "cwd": "/"}}', /`fs` has a setting that is unknown.*`args`, `env`/],
    ['{"fs": {"command": "a", "url": "https://a.example"}}', /`fs` has a setting that is unknown/],
    ['{"fs": {"command": "a", "env": {"A B": "c"}}}', /`env` of `fs` is no name/],
    ['{"fs": {"command": "a", "env": {"A": 1}}}', /`env` of `fs` must be a string on one line/],
    [
      '{"fs": {"command": "a", "egress": ["https://a.example"]}}',
      /`egress` of `fs` must be a list/,
    ],
    [
      '{"fs": {"command": "a", "timeout": 0}}',
      /`timeout` of `fs` must be a whole number of seconds/,
    ],
    ['{"fs": {"command": "a", "start": 61}}', /`start` of `fs` must be a whole number.* 1 to 60/],
    [
      `{"d": {"url": "https://a.example", "headers": {"a": "Bearer ${SECRET}…"}}}`,
      /`headers` of `d` contains a character that no header can have/,
    ],
    ['{"d": {"url": "ftp://a.example"}}', /`url` of `d` must be an http\(s\) address/],
    [`{"d": {"url": "https://me:${SECRET}@a.example"}}`, /put credentials in `headers`/],
    ['{"d": {"url": "https://a.example", "type": "sse"}}', /only streamable HTTP is supported/],
    [`{"d": {"url": "https://a.example", "headers": {"a b": "${SECRET}"}}}`, /is no name/],
    [`{"d": {"url": "https://a.example", "headers": {"a": "${SECRET}\\n"}}}`, /string on one line/],
  ])('%# says what is wrong, where, and what to do', (value, fault) => {
    const faults = faultsOf({ ...GOOD, MCP_SERVERS: value });
    expect([...faults.keys()]).toEqual(['MCP_SERVERS']);
    expect(faults.get('MCP_SERVERS')).toMatch(fault);
    expect(faults.get('MCP_SERVERS')).not.toContain(SECRET);
  });

  it('has secrets in headers and in the environment, but no plain words', () => {
    const servers = read(
      JSON.stringify({
        fs: {
          command: 'a',
          env: { API_KEY: 'production', MODE: 'production', ROOT: '/usr/share', DSN: SECRET },
        },
        d: { url: 'https://a.example', headers: { Authorization: `Bearer ${SECRET}` } },
      }),
    );
    const secrets = secretsOfServers(servers);
    expect(secrets).toEqual(expect.arrayContaining(['production', SECRET, `Bearer ${SECRET}`]));
    expect(secrets.filter((one) => one === 'production')).toHaveLength(2);
    expect(secrets).not.toContain('/usr/share');
  });
});
