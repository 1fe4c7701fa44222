import { shownPath } from '../../lib/text/invisible.ts';

const MAX_NAMED = 5;

/** What a search did not look at; missing if there is nothing of the kind. */
interface Unsearched {
  readonly tooLarge?: readonly string[];
  readonly notText?: readonly string[];
  /** Directories that the workspace does not have. */
  readonly outside?: readonly string[] | undefined;
}

/** What a search says of that. */
export const unsearchedRemarks = ({
  tooLarge = [],
  notText = [],
  outside = [],
}: Unsearched): string[] => [
  ...(tooLarge.length === 0 ? [] : [`(too large to search: ${namesOf(tooLarge)})`]),
  ...(notText.length === 0 ? [] : [`(not text, so not searched: ${namesOf(notText)})`]),
  ...(outside.length === 0
    ? []
    : [
        `(not searched, because outside of the workspace: ${namesOf(outside.map((path) => `${path}/`))})`,
      ]),
];

function namesOf(paths: readonly string[]): string {
  const more = paths.length > MAX_NAMED ? ` and ${paths.length - MAX_NAMED} more` : '';
  return paths.slice(0, MAX_NAMED).map(shownPath).join(', ') + more;
}
