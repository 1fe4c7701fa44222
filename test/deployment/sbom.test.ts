import { execFileSync } from 'node:child_process';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { shippedPackages } from '../support/release/lock-file.ts';
import { billOfMaterials } from '../support/release/sbom.ts';

const VALIDATOR = 'test/support/release/validate-sbom.ts';

const Bill = z.object({
  specVersion: z.literal('1.5'),
  metadata: z.object({
    component: z.object({ name: z.string(), version: z.string(), type: z.string() }),
  }),
  components: z.array(
    z.object({
      name: z.string(),
      version: z.string(),
      licenses: z.array(z.unknown()).min(1),
      hashes: z.array(z.object({ alg: z.literal('SHA-512') })).min(1),
    }),
  ),
});

describe('the software bill of materials', () => {
  let text: string;
  const bill = () => Bill.parse(JSON.parse(text));

  beforeAll(() => {
    text = billOfMaterials('9.8.7');
  });

  it('is valid by the schema of CycloneDX', () => {
    const faultsOf = (input: string): string =>
      execFileSync(process.execPath, [VALIDATOR], { input, encoding: 'utf8' });
    expect(faultsOf(text)).toBe('null');
    expect(faultsOf(text.replace('"SHA-512"', '"SHA-0"'))).toContain('/hashes/0/alg');
  });

  it('is of the release', () => {
    expect(bill().metadata.component).toEqual({
      name: 'issuewright',
      version: '9.8.7',
      type: 'application',
    });
  });

  it('has each package that ships, with its licence and checksum, and no other', () => {
    const named = (name: string, version = ''): string => `${name}@${version}`;
    const listed = bill().components.map(({ name, version }) => named(name, version));
    const shipped = shippedPackages().map(({ path, version }) =>
      named(path.split('node_modules/').at(-1) ?? '', version),
    );
    expect(listed.toSorted()).toEqual([...new Set(shipped)].toSorted());
  });
});
