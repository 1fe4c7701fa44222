import { createPrivateKey } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { unreadableFile, type ConfigFault, type Variables } from './faults.ts';

const MISSING =
  'missing. Use "Generate a private key" on the settings page of your GitHub App, and set PRIVATE_KEY_PATH to the file';

/** GitHub accepts no shorter key, and generates none. */
const LEAST_BITS = 2048;

export function readPrivateKey(variables: Variables, faults: ConfigFault[]): string | undefined {
  const { PRIVATE_KEY: inline, PRIVATE_KEY_PATH: path } = variables;
  if (inline !== undefined) return checked('PRIVATE_KEY', inline.replaceAll('\\n', '\n'), faults);
  if (path === undefined) {
    faults.push({ name: 'PRIVATE_KEY', fault: MISSING });
    return undefined;
  }
  try {
    return checked('PRIVATE_KEY_PATH', readKeyFile(path.trim()), faults);
  } catch (error) {
    const fault = unreadableFile(path, error);
    faults.push({ name: 'PRIVATE_KEY_PATH', fault: `${fault}, or use PRIVATE_KEY` });
    return undefined;
  }
}

/** Reading a device might never end. */
const readKeyFile = (path: string): string =>
  statSync(path).isFile() || statSync(path).isDirectory() ? readFileSync(path, 'utf8') : '';

function checked(name: string, pem: string, faults: ConfigFault[]): string | undefined {
  try {
    const { asymmetricKeyType: type, asymmetricKeyDetails: details } = createPrivateKey(pem);
    if (type === 'rsa' && Number(details?.modulusLength) >= LEAST_BITS) return pem;
    const kind = type === 'rsa' ? `${details?.modulusLength} bits` : type;
    faults.push({
      name,
      fault: `must be the RSA key that GitHub generates; this is another kind (${kind})`,
    });
    return undefined;
  } catch {
    faults.push({ name, fault: 'must be a PEM private key ("-----BEGIN RSA PRIVATE KEY-----" …)' });
    return undefined;
  }
}
