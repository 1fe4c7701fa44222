// The workflows in the document about the GitHub Action.
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { z } from 'zod';

const Job = z.looseObject({
  permissions: z.record(z.string(), z.enum(['read', 'write'])),
  'timeout-minutes': z.number(),
  steps: z.array(
    z.looseObject({
      uses: z.string().optional(),
      with: z.record(z.string(), z.unknown()).optional(),
    }),
  ),
});
const Workflow = z.looseObject({
  on: z.record(z.string(), z.unknown()),
  permissions: z.strictObject({}),
  jobs: z.record(z.string(), Job),
});

export const documentedWorkflows = (): z.infer<typeof Workflow>[] =>
  [...readFileSync('docs/github-action.md', 'utf8').matchAll(/^```yaml\n([^]*?)^```$/gm)].map(
    ([, text = '']) => Workflow.parse(parse(text)),
  );
