/** A GitHub Enterprise Server; `undefined` for github.com. */
export type Enterprise = { readonly host: string; readonly protocol: string } | undefined;

/** GitHub's address for people, and that of its API. */
export function addressesOf(enterprise: Enterprise): { url: string; baseUrl: string } {
  if (enterprise === undefined)
    return { url: 'https://github.com', baseUrl: 'https://api.github.com' };
  const { protocol, host } = enterprise;
  const url = `${protocol}://${host}`;
  // GitHub Enterprise Cloud with data residency has its API at a host of its own, as github.com does.
  const isCloud = /^[a-z\d-]+\.ghe\.com$/i.test(host);
  return { url, baseUrl: isCloud ? `${protocol}://api.${host}` : `${url}/api/v3` };
}
