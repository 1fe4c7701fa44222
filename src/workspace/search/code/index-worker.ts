// The entry of an index thread: the index of one workspace, and questions to it.
import { workerData } from 'node:worker_threads';
import { answerQuestion } from './answer.ts';
import type { Question } from '../../../contracts/search.ts';
import { CodeIndex } from './code-index.ts';
import type { SearchPlace } from '../place.ts';
import { serveTasks } from '../task-thread.ts';

// Given by `WorkspaceSearch`, which starts it.
const place = workerData as SearchPlace;
const index = new CodeIndex(place);
serveTasks((question: Question) => answerQuestion(index, place, question));
