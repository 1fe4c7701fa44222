import { describe, expect, it } from '@jest/globals';
import { attachmentsOf } from '../../../src/github/images/fetch-image.ts';

const ID = '1f0e6c2a-8d6a-4b9e-9d0e-5a1b2c3d4e5f';

const allows = (github: string, address: string): boolean =>
  attachmentsOf(github)(new URL(address));

describe('images are fetched from', () => {
  it.each([
    ['https://github.com', `https://private-user-images.githubusercontent.com/1/2-${ID}.png?jwt=x`],
    ['https://github.com', 'https://user-images.githubusercontent.com/1/2-3.png'],
    ['https://github.com', `https://github.com/user-attachments/assets/${ID}`],
    ['https://github.com', 'https://github-production-user-asset-6210df.s3.amazonaws.com/1/2.png'],
    ['https://ghe.example', `https://ghe.example/user-attachments/assets/${ID}`],
    ['https://ghe.example', 'https://ghe.example/media/user/1/files/2'],
    ['https://ghe.example', 'https://media.ghe.example/user/1/files/2'],
    ['http://127.0.0.1:3456', `http://127.0.0.1:3456/user-attachments/assets/${ID}?jwt=x`],
  ])('%s: %s', (github, address) => {
    expect(allows(github, address)).toBe(true);
  });

  it.each([
    // GitHub fetches from anyone who is named in the address.
    ['https://github.com', 'https://camo.githubusercontent.com/0a1b/68747470'],
    ['https://github.com', 'https://raw.githubusercontent.com/o/r/main/a.png'],
    ['https://github.com', 'https://avatars.githubusercontent.com/u/1'],
    ['https://github.com', 'https://github.com/o/r/raw/main/a.png'],
    ['https://github.com', 'https://github.com/user-attachments/assets'],
    ['https://github.com', `https://github.com/o/../logout?/user-attachments/assets/${ID}`],
    ['https://github.com', 'https://private-user-images.githubusercontent.com.evil.example/a'],
    ['https://github.com', 'https://private-user-images.githubusercontent.com:8443/a'],
    ['https://github.com', 'http://private-user-images.githubusercontent.com/a'],
    ['https://github.com', 'https://me:pw@user-images.githubusercontent.com/a'],
    ['https://github.com', 'https://user-images.githubusercontent.com@evil.example/a'],
    ['https://github.com', 'https://other-bucket.s3.amazonaws.com/a'],
    ['https://github.com', 'https://media.github.com/a'],
    ['https://github.com', 'https://169.254.169.254/latest/meta-data'],
    ['https://github.com', 'file:///etc/passwd'],
    ['https://github.com', 'data:image/png;base64,AAAA'],
    ['https://ghe.example', `https://github.com/user-attachments/assets/${ID}`],
    ['https://ghe.example', 'https://ghe.example/api/v3/user'],
    ['https://ghe.example', 'https://ghe.example/user-attachments/assets/../../api/v3/user'],
    ['https://ghe.example', 'https://ghe.example:8443/media/a'],
    ['https://ghe.example', 'http://ghe.example/media/a'],
    ['https://ghe.example', 'https://other.ghe.example/media/a'],
    ['http://127.0.0.1:3456', 'http://127.0.0.1:3457/user-attachments/assets/a'],
  ])('%s, but not from %s', (github, address) => {
    expect(allows(github, address)).toBe(false);
  });
});
