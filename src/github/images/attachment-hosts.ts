// From where images are fetched: what people uploaded to GitHub, and nothing else.

/** Whether an address is that of a file which people uploaded to this GitHub. */
export type IsAttachment = (address: URL) => boolean;

interface Place {
  /** Such as `https://github.com`. */
  readonly origin: string;
  /** How its paths begin. */
  readonly path: string;
}

const ATTACHMENTS = '/user-attachments/assets/';

/**
 * `private-user-images` has all that was uploaded since 2023, by addresses that are signed for five minutes;
 * `user-images` has what is older. An address on github.com itself leads to the bucket.
 */
const GITHUB: readonly Place[] = [
  { origin: 'https://private-user-images.githubusercontent.com', path: '/' },
  { origin: 'https://user-images.githubusercontent.com', path: '/' },
  { origin: 'https://github.com', path: ATTACHMENTS },
  { origin: 'https://github-production-user-asset-6210df.s3.amazonaws.com', path: '/' },
];

/** With subdomain isolation, an Enterprise Server has `media.HOST` in place of `HOST/media`. */
function ofServer(url: string): readonly Place[] {
  const { origin, protocol, host } = new URL(url);
  return [
    { origin, path: ATTACHMENTS },
    { origin, path: '/media/' },
    { origin: `${protocol}//media.${host}`, path: '/' },
  ];
}

/** `url`: GitHub's address for people, such as `https://github.com`. */
export function attachmentsOf(url: string): IsAttachment {
  const places = url === 'https://github.com' ? GITHUB : ofServer(url);
  return ({ origin, pathname, username, password }) =>
    username === '' &&
    password === '' &&
    places.some((place) => origin === place.origin && pathname.startsWith(place.path));
}
