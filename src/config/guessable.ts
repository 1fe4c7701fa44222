const LEAST_SIGNS = 5;

/** Whether a secret is of a kind that people type and programs guess: few signs, one piece again and again, a row. */
export const isGuessable = (secret: string): boolean =>
  new Set(secret).size < LEAST_SIGNS || isRepeated(secret) || isRow(secret);

const isRepeated = (secret: string): boolean =>
  Array.from({ length: Math.floor(secret.length / 2) }, (_, at) => at + 1).some((length) =>
    secret.startsWith(secret.slice(length)),
  );

/** `0123456789abcdef`, `zyxw…`: nearly each sign is the next one, or the one before. */
function isRow(secret: string): boolean {
  const steps = Array.from(secret.slice(1), (sign, at) =>
    Math.abs(sign.charCodeAt(0) - secret.charCodeAt(at)),
  );
  return steps.filter((step) => step === 1).length > steps.length * 0.7;
}
