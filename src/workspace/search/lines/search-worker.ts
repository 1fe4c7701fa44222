// The entry point of a search thread.
import { scanFiles } from '../code/scan.ts';
import { showFiles } from '../code/show.ts';
import { findUses } from '../code/uses.ts';
import { findFilesTask, listFilesTask } from './find-task.ts';
import { grepFilesTask } from './grep-task.ts';
import { serveTasks } from '../../../lib/threads/task-thread.ts';
import type { SearchTask, TaskParts } from './tasks.ts';

type Parts = Iterable<TaskParts[keyof TaskParts]> | AsyncIterable<TaskParts[keyof TaskParts]>;

function perform(task: SearchTask): Parts {
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
