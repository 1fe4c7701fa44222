// The part of docs/permissions.md that is made from the code: what each request takes.
import {
  GRAPHQL_FIELDS,
  REST_WRITES,
  type NeededPermission,
  type Permissions,
} from '../../../src/github/access/permissions.ts';
import { codes, table } from './markdown-table.ts';

export const PERMISSIONS_DOCUMENT = 'docs/permissions.md';

const BLOCK = /(<!-- made by npm run docs: requests -->\n\n)[^]*?(\n\n<!-- end -->)/;

/** @throws {Error} if the document has no block for the requests */
export function permissionsDocument(current: string): string {
  if (!BLOCK.test(current)) throw new Error('the document lacks the block requests');
  return current.replace(
    BLOCK,
    (_all, begin: string, end: string) => `${begin}${requests()}${end}`,
  );
}

const requests = (): string =>
  table(
    ['request', 'token', 'permission', 'standing'],
    [...REST_WRITES, ...GRAPHQL_FIELDS].map(rowOf),
  );

function rowOf({ request, by, needs, onPullRequest, standing, source }: NeededPermission) {
  const onPull =
    onPullRequest === undefined ? '' : `; on a pull request ${wordsFor(onPullRequest)}`;
  return [
    codes([request]),
    codes(by),
    `${wordsFor(needs)}${onPull}`,
    `[${standing === 'unproven' ? '**unproven**' : standing}](${source})`,
  ];
}

const wordsFor = (needs: Permissions): string =>
  codes(Object.entries(needs).map(([name, level]) => `${name}: ${level}`)) || 'none';
