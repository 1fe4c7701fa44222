import { describe, expect, it } from '@jest/globals';
import { plannedWorkIn } from '../../src/github/sub-issues.ts';

const HERE = 'https://github.example/api/v3/repos/example/words';
const read = (answer: object) =>
  plannedWorkIn({ repository_url: HERE, ...answer } as Parameters<typeof plannedWorkIn>[0]);

describe('what GitHub says of an issue besides its text', () => {
  it('is nothing for a plain issue', () => {
    expect(read({})).toEqual({ fields: [] });
    expect(read({ type: null, parent_issue_url: null })).toEqual({ fields: [] });
  });

  it('is its type, and each field that has a value', () => {
    const field = { issue_field_id: 1, node_id: 'x' };
    const high = { id: 1, name: 'High', color: 'red' };
    const fields = [
      { ...field, issue_field_name: 'Effort', value: 3 },
      { ...field, issue_field_name: 'Priority', value: 'x', single_select_option: high },
      { ...field, issue_field_name: 'Areas', value: 1, multi_select_options: [high, high] },
      { ...field, issue_field_name: 'Empty', value: null },
      { ...field, value: 'without a name' },
    ];
    expect(read({ type: { name: 'Bug' }, issue_field_values: fields })).toEqual({
      type: 'Bug',
      fields: [
        { name: 'Effort', value: '3' },
        { name: 'Priority', value: 'High' },
        { name: 'Areas', value: 'High, High' },
      ],
    });
  });

  it('is the number of its parent in the same repository alone', () => {
    const parentAt = (url: string) => read({ parent_issue_url: url }).parent;
    expect(parentAt(`${HERE}/issues/7`)).toBe(7);
    for (const url of [
      'https://github.example/api/v3/repos/example/secret/issues/7',
      `${HERE}-secret/issues/7`,
      `${HERE}/issues/7/../../../secret/issues/x`,
      `${HERE}/issues/0`,
      `${HERE}/issues/`,
      'not an address',
    ])
      expect(parentAt(url)).toBeUndefined();
  });
});
