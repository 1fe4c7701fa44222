// The entry point of an index thread, which indexes one workspace and answers questions about it.
import { workerData } from 'node:worker_threads';
import { answerQuestion } from './answer.ts';
import type { Question } from '../../../contracts/search.ts';
import { CodeIndex } from './code-index.ts';
import type { SearchPlace } from '../place.ts';
import { serveTasks } from '../../../lib/task-thread.ts';

// Passed by `CodeQuestions`, which starts the thread.
const place = workerData as SearchPlace;
const index = new CodeIndex(place);
serveTasks((question: Question) => answerQuestion(index, place, question));
