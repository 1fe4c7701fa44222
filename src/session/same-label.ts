// One label is written in several ways: GitHub shows `:robot: agent` as it shows `🤖 agent`, and takes both for names of their own
// (mdn/browser-compat-data#4807, TimonVS/pr-labeler-action#65). People who see two equal names mean one label.
import { withoutShortcodes } from '../lib/text/emoji.ts';

/** Asks for a picture in place of a sign, and is left out as often as not. */
const AS_EMOJI = '\uFE0F';

/** Whether people see one name. As on GitHub, case does not matter. */
export const isSameLabel = (one: string | undefined, other: string): boolean =>
  one !== undefined && shownName(one) === shownName(other);

/** Whether it may have another name on GitHub that looks the same. */
export const hasEmoji = (label: string): boolean =>
  shownName(label) !== label.toLowerCase() || /\p{Extended_Pictographic}|\p{RI}/u.test(label);

const shownName = (label: string): string =>
  withoutShortcodes(label).replaceAll(AS_EMOJI, '').trim().toLowerCase();
