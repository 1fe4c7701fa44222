// A certificate that only an authority of our own vouches for, as an Enterprise Server's often is.
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from './temporary-directory.ts';

export const canCertify = spawnSync('openssl', ['version']).status === 0;

/** @param names as in `subjectAltName`: `IP:127.0.0.1` or `DNS:github.example.test` */
export function certificatesFor(names: string) {
  const directory = temporaryDirectory();
  const at = (name: string): string => join(directory, name);
  const openssl = (...words: string[]): void =>
    void execFileSync('openssl', words, { cwd: directory, stdio: 'pipe' });
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  const authority = ['-x509', '-days', '2', '-subj', '/CN=authority', '-keyout', 'ca.key'];
  openssl('req', ...key, ...authority, '-out', 'ca.pem');
  openssl('req', ...key, '-subj', '/CN=server', '-keyout', 'key.pem', '-out', 'request.pem');
  writeFileSync(at('names'), `subjectAltName=${names}\n`);
  const signed = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-extfile', 'names'];
  openssl('x509', '-req', '-in', 'request.pem', ...signed, '-days', '2', '-out', 'cert.pem');
  const tls = { key: readFileSync(at('key.pem')), cert: readFileSync(at('cert.pem')) };
  return { tls, authority: at('ca.pem') };
}
