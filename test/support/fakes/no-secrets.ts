import { nothingHidden } from '../../../src/lib/text/hidden-text.ts';
import { REDACTED } from '../../../src/lib/text/redact.ts';
import type { Secrets } from '../../../src/tools/define-tool.ts';

/** Hides nothing. */
export const NO_SECRETS: Secrets = {
  hide: (text) => Promise.resolve(nothingHidden(text, REDACTED)),
};
