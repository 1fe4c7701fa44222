import { createPrivateKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { unreadableFile, type ConfigFault, type Variables } from './faults.ts';

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
    const fault = unreadableFile(path, error);
    faults.push({ name: 'PRIVATE_KEY_PATH', fault: `${fault}, or use PRIVATE_KEY` });
    return undefined;
  }
}

function checked(name: string, pem: string, faults: ConfigFault[]): string | undefined {
  try {
    const { asymmetricKeyType: type } = createPrivateKey(pem);
    if (type === 'rsa') return pem;
    faults.push({
      name,
      fault: `must be the RSA key that GitHub generates; this is another kind (${type})`,
    });
    return undefined;
  } catch {
    faults.push({ name, fault: 'must be a PEM private key ("-----BEGIN RSA PRIVATE KEY-----" …)' });
    return undefined;
  }
}
