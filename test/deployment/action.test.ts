import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { evaluate, readAction } from '../support/action-runner.ts';
import { documentedWorkflows } from '../support/documents/workflows.ts';

const action = readAction();
const names = Object.keys(action.inputs);

describe('action.yml', () => {
  it('puts nothing into a script that others can choose', () => {
    const scripts = action.runs.steps.map(({ run }) => run);
    expect(scripts.filter((script) => script.includes('${{'))).toEqual([]);
  });

  it('hands over every input, and has no output that no step has', () => {
    const used = JSON.stringify(action.runs.steps);
    expect(names.filter((name) => !used.includes(`inputs.${name} `))).toEqual([]);
    const ids = action.runs.steps.flatMap(({ id }) => id ?? []);
    for (const [name, { value }] of Object.entries(action.outputs))
      expect(ids.map((id) => `\${{ steps.${id}.outputs.${name} }}`)).toContain(value);
  });

  it('has the inputs and outputs that its document names', () => {
    const rows = readFileSync('docs/github-action.md', 'utf8').match(/^\| `[^|]*/gm) ?? [];
    const named = rows.flatMap((row) =>
      [...row.matchAll(/`([\w-]+)`/g)].map(([, name = '']) => name),
    );
    expect(named.toSorted()).toEqual([...names, ...Object.keys(action.outputs)].toSorted());
  });

  it('is used in its document with inputs that it has, and no permission for the whole workflow', () => {
    const workflows = documentedWorkflows();
    const steps = workflows.flatMap(({ jobs }) => Object.values(jobs).flatMap((job) => job.steps));
    expect(steps).not.toHaveLength(0);
    const given = steps.flatMap(({ with: inputs = {} }) => Object.keys(inputs));
    expect(given.filter((name) => !names.includes(name))).toEqual([]);
  });
});

it('an expression is evaluated as GitHub does, and one that is not known is an error', () => {
  const contexts = { inputs: { issue: '', 'a-key': 'k' }, github: { event: { issue: { n: 7 } } } };
  expect(evaluate('${{ inputs.issue || github.event.issue.n }}', contexts)).toBe('7');
  expect(evaluate('${{ inputs.a-key }}${{ github.event.pull.n }}', contexts)).toBe('k');
  expect(() => evaluate("${{ format('{0}', inputs.issue) }}", contexts)).toThrow('not known');
});
