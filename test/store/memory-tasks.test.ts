/** Tasks in memory keep the contract of a store of tasks. */
import { createMemoryTasks } from '../../src/store/tasks/memory-tasks.ts';
import { testTasks } from './task-contract.ts';

testTasks('in memory', () => {
  let moment = 1_700_000_000_000;
  return {
    tasks: createMemoryTasks(() => moment),
    advance: (ms) => {
      moment += ms;
    },
  };
});
