// The whole of what `protocol.test.ts` has parts of.
import { expect, it } from '@jest/globals';
import { explore } from './checker.ts';
import { publicationModel } from './publication-model.ts';
import { PUBLISHING, SESSION } from './protocols.ts';
import { sessionModel } from './session-model.ts';

it('a session ends right through a comment, a kill, a lost answer and a freeze, in every order', () => {
  const explored = explore(sessionModel(SESSION, { comment: 1, crash: 1, loss: 1, freeze: 1 }));
  expect(explored.violation).toBeUndefined();
  expect(explored.states).toBeGreaterThan(500_000);
});

it('a status comment ends right through two entries, a kill, a lost answer and a freeze', () => {
  const left = { entry: 2, crash: 1, loss: 1, freeze: 1 };
  expect(explore(publicationModel(PUBLISHING, left)).violation).toBeUndefined();
});
