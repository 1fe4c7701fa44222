// The entry point of a search thread.
import { findFiles, listFiles } from './find-task.ts';
import { grepFiles } from './grep-task.ts';
import { serveTasks } from '../../../lib/task-thread.ts';
import type { SearchTask, TaskParts } from './tasks.ts';

function perform(task: SearchTask): Iterable<TaskParts[keyof TaskParts]> {
  switch (task.kind) {
    case 'list':
      return listFiles(task);
    case 'grep':
      return grepFiles(task);
    case 'find':
      return findFiles(task);
  }
}

serveTasks(perform);
