import { describe, expect, it } from '@jest/globals';
import { licenceFaults } from '../support/release/licences.ts';
import { lockedPackages, resolveFrom, shippedPackages } from '../support/release/lock-file.ts';

const packages = lockedPackages();

describe('package-lock.json', () => {
  it('has an entry with a checksum for each platform, of what ships and of what development needs', () => {
    const missing = packages.flatMap(({ path, optionalDependencies = {} }) =>
      Object.keys(optionalDependencies)
        .filter((name) => resolveFrom(packages, path, name)?.integrity === undefined)
        .map((name) => `${name}, of ${path || 'this project'}`),
    );
    expect(missing).toEqual([]);
  });

  it('has a checksum for each package, and names no registry', () => {
    const installed = packages.filter(({ path }) => path !== '');
    expect(installed.filter(({ integrity }) => integrity === undefined)).toEqual([]);
    expect(installed.filter(({ resolved }) => resolved !== undefined)).toEqual([]);
  });
});

describe('a package that ships', () => {
  it('has a licence on the list', () => {
    expect(licenceFaults(shippedPackages())).toEqual([]);
  });

  it.each([
    ['MIT', true],
    ['(MIT OR GPL-3.0)', true],
    ['(MIT AND Zlib)', true],
    ['(MIT AND GPL-3.0)', false],
    ['AGPL-3.0', false],
    ['SEE LICENSE IN LICENSE', false],
    [undefined, false],
  ])('may have the licence %s: %s', (license, allowed) => {
    const one = { path: 'node_modules/a', version: '1.0.0', license };
    expect(licenceFaults([one])).toEqual(
      allowed ? [] : [`node_modules/a 1.0.0: ${license ?? 'no licence'}`],
    );
  });
});
