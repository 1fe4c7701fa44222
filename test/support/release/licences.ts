import type { LockedPackage } from './lock-file.ts';

/** SPDX names of licences that allow anyone to use, change and pass on the code for any purpose. */
const ALLOWED: ReadonlySet<string> = new Set(
  (
    '0BSD Apache-2.0 BlueOak-1.0.0 BSD-2-Clause BSD-3-Clause CC0-1.0 ' +
    'ISC MIT PSF-2.0 Python-2.0 Unlicense Zlib'
  ).split(' '),
);

/** Packages whose licence is missing or not allowed, as "name version: licence". */
export const licenceFaults = (packages: readonly LockedPackage[]): string[] =>
  packages
    .filter(({ license }) => license === undefined || !isAllowed(license))
    .map(({ path, version, license }) => `${path} ${version}: ${license ?? 'no licence'}`);

/** One of the alternatives must be allowed, with all its parts. Nested expressions are not understood. */
const isAllowed = (expression: string): boolean =>
  expression
    .replace(/^\((.*)\)$/, '$1')
    .split(' OR ')
    .some((alternative) => alternative.split(' AND ').every((licence) => ALLOWED.has(licence)));
