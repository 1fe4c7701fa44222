import { describe, expect, it } from '@jest/globals';
import { AppKeyNeed } from '../../../src/app/service/app-key.ts';
import { ResponseLost, Unauthorized } from '../../../src/github/errors.ts';
import type { AppIdentity } from '../../../src/github/access/app-identity.ts';

const APP: AppIdentity = { appId: 1, slug: 'a', login: 'a[bot]', id: 1, name: 'A', email: 'a@b.c' };

function failingWith(error: Error) {
  let known: AppIdentity | undefined;
  const need = new AppKeyNeed({
    identity: () => Promise.reject(error),
    knownIdentity: () => known,
  });
  return { need, accept: () => void (known = APP) };
}

describe("the need of an App's key", () => {
  it('lacks a key that GitHub rejects, until it accepts one', async () => {
    const { need, accept } = failingWith(new Unauthorized('GET /app returned 401', 401));
    await expect(need.check()).resolves.toBeUndefined();
    await expect(need.tryKey()).resolves.toBe(true);
    await expect(need.check()).rejects.toThrow('401');
    accept();
    await expect(need.check()).resolves.toBeUndefined();
  });

  it('lacks nothing while GitHub does not answer', async () => {
    const { need } = failingWith(new ResponseLost('GET /app returned 503'));
    await expect(need.tryKey()).resolves.toBe(false);
    await expect(need.check()).resolves.toBeUndefined();
  });
});
