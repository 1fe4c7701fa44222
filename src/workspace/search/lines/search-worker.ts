// The entry point of a search thread.
import { scanFiles, findUses } from '../code/scan.ts';
import { showFiles } from '../code/show.ts';
import { findFilesTask, listFilesTask, grepFilesTask } from './line-tasks.ts';
import { serveTasks } from '../../../lib/threads/task-thread.ts';
import type { SearchTask, TaskParts } from './tasks.ts';

type PartialResults =
  | Iterable<TaskParts[keyof TaskParts]>
  | AsyncIterable<TaskParts[keyof TaskParts]>;

function perform(task: SearchTask): PartialResults {
  switch (task.kind) {
    case 'list':
      return listFilesTask(task);
    case 'grep':
      return grepFilesTask(task);
    case 'find':
      return findFilesTask(task);
    case 'scan':
      return scanFiles(task);
    case 'show':
      return showFiles(task);
    case 'uses':
      return findUses(task);
  }
}

serveTasks(perform);
