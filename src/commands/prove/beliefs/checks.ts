// Check runs, with which the App shows its work on a commit.
import { valueIn } from '../ask-github.ts';
import { requireAccepted, requireDenied, requireThat, type Belief } from '../proof.ts';
import { ownerOf, PATH } from '../scenery.ts';

const SOURCE = 'https://docs.github.com/en/rest/checks/runs';

const button = (at: number) => ({
  label: `Button ${at}`,
  description: 'Does nothing.',
  identifier: `none-${at}`,
});
const annotation = (at: number) => ({
  path: PATH,
  start_line: 1,
  end_line: 1,
  annotation_level: 'notice',
  message: `Note ${at}`,
});

const times = <T>(count: number, make: (at: number) => T): readonly T[] =>
  Array.from({ length: count }, (_none, at) => make(at));

const withNotes = (count: number) => ({
  output: { title: 'Notes', summary: 'Notes.', annotations: times(count, annotation) },
});

export const CHECK_BELIEFS: readonly Belief[] = [
  {
    id: ownerOf('checkRun'),
    says: 'The App creates a check run of a commit.',
    source: `${SOURCE}#create-a-check-run`,
    ask: async ({ scenery }) => void (await scenery.checkRun()),
  },
  {
    id: 'check-run-annotations',
    says: 'A request about a check run has at most 50 annotations.',
    source: `${SOURCE}#update-a-check-run`,
    ask: async ({ app, scenery }) => {
      const path = `check-runs/${await scenery.checkRun()}`;
      requireAccepted(await app('checks').rest('PATCH', path, { body: withNotes(50) }));
      requireDenied(await app('checks').rest('PATCH', path, { body: withNotes(51) }), 422);
    },
  },
  {
    id: 'check-run-three-buttons',
    says: 'A completed check run has at most three buttons.',
    source: `${SOURCE}#update-a-check-run`,
    ask: async ({ app, scenery }) => {
      const path = `check-runs/${await scenery.checkRun()}`;
      const completed = (buttons: number) => ({
        body: { status: 'completed', conclusion: 'neutral', actions: times(buttons, button) },
      });
      requireDenied(await app('checks').rest('PATCH', path, completed(4)), 422);
      const { body } = requireAccepted(await app('checks').rest('PATCH', path, completed(3)));
      requireThat(valueIn(body, 'status') === 'completed', 'it is not completed');
    },
  },
];
