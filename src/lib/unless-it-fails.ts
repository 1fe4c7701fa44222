/** `undefined` if it fails: for looks at files that may vanish. */
export function unlessItFails<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}
