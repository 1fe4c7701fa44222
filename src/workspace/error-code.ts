/** The `code` that Node and isomorphic-git give their errors, such as `ENOENT`. */
export function codeOf(error: unknown): string | undefined {
  const hasOne = typeof error === 'object' && error !== null && 'code' in error;
  return hasOne && typeof error.code === 'string' ? error.code : undefined;
}

export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  const code = codeOf(error);
  return code !== undefined && codes.includes(code);
}
