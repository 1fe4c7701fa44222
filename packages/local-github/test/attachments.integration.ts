// Images that people attach on the local GitHub.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { png } from '../../../test/support/images.ts';
import { asInstallation, startPlayground, type Playground } from './support.ts';

let playground: Playground;
beforeAll(async () => {
  playground = await startPlayground();
});
afterAll(() => playground.close());

const image = png(30, 20);

async function upload(headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${playground.github.url}/user-attachments/assets`, {
    method: 'POST',
    headers: { 'content-type': 'image/png', ...headers },
    body: new Uint8Array(image),
  });
}

describe('an attachment', () => {
  it('opens by the address that a rendered text has, and by no other', async () => {
    const answer = await upload();
    expect(answer.status).toBe(201);
    const { url } = (await answer.json()) as { readonly url: string };
    const { data } = await asInstallation(playground.github, '/api/v3').request('POST /markdown', {
      text: `![shot](${url})`,
      mode: 'gfm',
    });
    const [, signed = ''] = /<img src="([^"]+)"/.exec(data) ?? [];
    expect(signed.startsWith(`${url}?jwt=`)).toBe(true);
    const opened = await fetch(signed);
    expect(Buffer.from(await opened.arrayBuffer())).toEqual(image);
    for (const address of [url, `${signed}0`, signed.replace(/jwt=\d/, 'jwt=9')])
      expect((await fetch(address)).status).toBe(404);
  });

  it('is taken from no other site, and only as an image', async () => {
    expect((await upload({ origin: 'http://evil.example' })).status).toBe(403);
    expect((await upload({ 'content-type': 'application/json' })).status).toBeGreaterThan(399);
  });
});
