/** Tables of options, generated from the interfaces beside it: do not edit, run `npm run generate`. */
import type { Table } from '../../lib/options/option-table.ts';
import { taskMemory } from './connect-rules.ts';
import type { TasksOptions } from './tasks.ts';

export const tasksOptions = {
  memory: taskMemory,
} as const satisfies Table<TasksOptions>;
