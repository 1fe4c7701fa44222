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
} as const;
