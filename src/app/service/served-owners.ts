/** Whether an account is served: nobody else spends the operator's money. */
export type Serves = (owner: string) => boolean;

/** `allowed`: accounts in lower case; `*` for all. */
export const servesOnly =
  (allowed: readonly string[]): Serves =>
  (owner) =>
    allowed.includes('*') || allowed.includes(owner.toLowerCase());
