// A connection to anything but loopback fails the test that made it. Once for the process, below
// every client: nock, which would do the same, wraps all sockets again for each test file.
import net from 'node:net';

const PATCHED = Symbol.for('issuewright.no-network');
const LOOPBACK = /^(localhost|127(\.\d+){3}|::1|\[::1\])$/;

/** `connect` takes normalised arguments, an options object, a port and a host, or a path. */
function hostOf(args) {
  const [first, second] = Array.isArray(args[0]) ? args[0] : args;
  if (typeof first === 'object' && first !== null) {
    return first.path === undefined ? (first.host ?? 'localhost') : undefined;
  }
  return Number.isNaN(Number(first))
    ? undefined
    : typeof second === 'string'
      ? second
      : 'localhost';
}

export function forbidNetwork() {
  if (net.Socket.prototype[PATCHED]) return;
  const connect = Reflect.get(net.Socket.prototype, 'connect');
  net.Socket.prototype[PATCHED] = true;
  net.Socket.prototype.connect = function guarded(...args) {
    const host = hostOf(args);
    if (host === undefined || LOOPBACK.test(host)) return connect.apply(this, args);
    throw new Error(`a test tried to connect to ${host}: only loopback is allowed`);
  };
}
