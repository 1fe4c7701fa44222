/** A global that is `true` in a test file whose requests are wrong on purpose. */
export const WRONG_REQUESTS = Symbol.for('issuewright.wrong-requests');

/** From here on in this file, requests that the local GitHub refuses are not compared with GitHub's descriptions. */
export function sendWrongRequests(): void {
  Reflect.set(globalThis, WRONG_REQUESTS, true);
}
