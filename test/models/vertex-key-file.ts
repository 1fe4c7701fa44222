import { createPrivateKey } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { PRIVATE_KEY } from '../support/private-key.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

/** A key file of a service account, good for nothing. */
export function vertexKeyFile(): string {
  return writtenKeyFile({
    type: 'service_account',
    project_id: 'example-project',
    private_key_id: '0123456789abcdef',
    private_key: createPrivateKey(PRIVATE_KEY).export({ type: 'pkcs8', format: 'pem' }),
    client_email: 'issuewright@example-project.iam.example.com',
    // Outside Google's own universe, the client signs its tokens itself instead of requesting them.
    universe_domain: 'example.com',
  });
}

export function writtenKeyFile(content: object): string {
  const file = path.join(temporaryDirectory(), 'key.json');
  writeFileSync(file, JSON.stringify(content));
  return file;
}
