import { domainToASCII } from 'node:url';

const PORTS = [80, 443];

interface Entry {
  /** Without `*.`; in lower case, as it stands on the wire. */
  readonly name: string;
  readonly isWildcard: boolean;
  readonly ports: readonly number[];
}

/** Host names that may be reached. */
export class AllowList {
  private readonly entries: readonly Entry[];

  /**
   * `registry.example.com`, or `*.example.com` for all names below it, on the ports 80 and 443; or on
   * another one, as `registry.example.com:8443`.
   * @throws {Error} an entry is none of these
   */
  constructor(entries: readonly string[]) {
    this.entries = entries.map(parse);
  }

  allows(host: string, port: number): boolean {
    const name = normalHost(host);
    return this.entries.some(
      (entry) =>
        entry.ports.includes(port) &&
        (entry.isWildcard ? name.endsWith(`.${entry.name}`) : name === entry.name),
    );
  }
}

/** The one spelling of a name: `EXAMPLE.com.` and `example.com` are the same host. */
export const normalHost = (host: string): string =>
  domainToASCII(host.toLowerCase().replace(/\.$/, ''));

const ENTRY = /^(?<wildcard>\*\.)?(?<name>[^\s*:/@?#[\]]+)(?::(?<port>\d{1,5}))?$/;

function parse(entry: string): Entry {
  const { wildcard, name = '', port } = ENTRY.exec(entry.trim())?.groups ?? {};
  const normal = normalHost(name);
  const number = Number(port ?? 443);
  if (normal === '' || number < 1 || number > 65_535)
    throw new Error(
      `"${entry}" is no host that commands could reach. Write a name (registry.example.com), all names below one (*.example.com), either with a port (registry.example.com:8443).`,
    );
  return {
    name: normal,
    isWildcard: wildcard !== undefined,
    ports: port === undefined ? PORTS : [number],
  };
}
