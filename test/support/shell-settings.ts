/** An operator's settings for commands: contained, and nothing beyond. */
export const CONTAINED = {
  isAllowed: true,
  sandbox: 'bubblewrap',
  allowHosts: [],
  privateHosts: [],
  readPaths: [],
  secretFiles: [],
  environment: {},
  timeoutSeconds: undefined,
  images: { allowed: [], maxBytes: 2 ** 30, maxFiles: 100_000, authFile: undefined, network: {} },
} as const;

/** For services that allow no images: nothing is made there. */
export const NO_IMAGES = { directory: '/nowhere', maxBytes: 0 } as const;
