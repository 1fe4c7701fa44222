// Sessions in which people do something that becomes known late.
import { Journal } from './journal.ts';
import { LateScene, type Act } from './late-acts.ts';
import { PULL } from './late-github.ts';
import { asked, submitted, working } from './stories.ts';

const planned = (): Journal =>
  new Journal()
    .start()
    .run({ planFirst: true })
    .effect(
      {
        type: 'plan',
        items: [{ id: '1', title: 'Greet', done: false }],
        needsApproval: true,
      },
      'asked',
    )
    .end({ kind: 'asked' });

const CLOSED_AT = '2030-01-15T14:30:00Z';

export const SCENES = {
  working: () => new LateScene(working()),
  asked: () => new LateScene(asked()),
  planned: () => new LateScene(planned()),
  submitted: () => new LateScene(submitted()),
  failed: () => new LateScene(working().end({ kind: 'failed', reason: 'x' })),
  stopped: () => new LateScene(asked().command('stop')),
  paused: () => new LateScene(asked().command('pause')),
  closed: () =>
    new LateScene(asked().receive({ kind: 'issue_closed', at: CLOSED_AT }), { isIssueOpen: false }),
  unsubmitted: () =>
    new LateScene(
      submitted().receive({
        kind: 'pull_request_closed',
        pullRequest: PULL,
        merged: false,
        at: CLOSED_AT,
      }),
      { pull: 'closed', closedAt: CLOSED_AT },
    ),
} satisfies Readonly<Record<string, () => LateScene>>;
export type SceneName = keyof typeof SCENES;

/** Whether people can do this there, one after the other. */
export function isDoable(scene: SceneName, acts: readonly Act[]): boolean {
  const at = SCENES[scene]();
  return acts.every((act) => {
    const isPossible = at.isDoable(act);
    if (isPossible) at.do([act]);
    return isPossible;
  });
}
