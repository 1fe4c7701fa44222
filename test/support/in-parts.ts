import { Journal } from './journal.ts';

/** Its sub-issues are worked on: the second one was just started. */
export const inParts = (): Journal =>
  new Journal()
    .receive({ kind: 'start', label: 'issuewright', title: 'Greet everyone', body: '' })
    .add({ type: 'admitted', received: 2, lineComments: [], subIssues: true })
    .add({
      type: 'sub_issues_read',
      steps: [
        { number: 8, title: 'Greet the first', stands: 'done' },
        { number: 9, title: 'Greet the second', stands: 'working' },
        { number: 10, title: 'Greet the last', stands: 'to_do' },
      ],
      started: 9,
    });
