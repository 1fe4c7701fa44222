import { createPrivateKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { messageOf } from '../lib/errors.ts';
import type { ConfigFault, Variables } from './faults.ts';

const MISSING =
  'missing. Use "Generate a private key" on the settings page of your GitHub App, and set PRIVATE_KEY_PATH to the file';

export function readPrivateKey(variables: Variables, faults: ConfigFault[]): string | undefined {
  const { PRIVATE_KEY: inline, PRIVATE_KEY_PATH: path } = variables;
  if (inline !== undefined) return checked('PRIVATE_KEY', inline.replaceAll('\\n', '\n'), faults);
  if (path === undefined) {
    faults.push({ name: 'PRIVATE_KEY', fault: MISSING });
    return undefined;
  }
  try {
    return checked('PRIVATE_KEY_PATH', readFileSync(path.trim(), 'utf8'), faults);
  } catch (error) {
    faults.push({ name: 'PRIVATE_KEY_PATH', fault: `cannot be read: ${messageOf(error)}` });
    return undefined;
  }
}

function checked(name: string, pem: string, faults: ConfigFault[]): string | undefined {
  try {
    createPrivateKey(pem);
    return pem;
  } catch {
    faults.push({ name, fault: 'must be a PEM private key ("-----BEGIN RSA PRIVATE KEY-----" …)' });
    return undefined;
  }
}
