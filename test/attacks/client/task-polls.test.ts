/** Servers that list a question again and again after it was answered: the command line reads the task at a bounded pace. */
import type { Client, Task } from 'tenon';
import { expect, it } from 'vitest';
import { follow } from '../../../src/cli/answers/rounds.ts';

/** A client of a server that lists the question three times more, and then completes the task. */
function clientOf(task: Partial<Task>): Client {
  let reads = 0;
  const tasks = {
    async result(_id: string, { answers }: { answers: { elicitForm(): never } }) {
      return reads === 3 ? { content: [] } : answers.elicitForm();
    },
    async get() {
      reads += 1;
      return { taskId: 't', status: 'input_required', ...task };
    },
  };
  return { tasks } as unknown as Client;
}

it.each([
  ['no time', 0, 50],
  ['more time than a timer holds', 1e12, 86_400_000],
  ['a time of its own', 200, 200],
])('where the task asks for %s between two reads [S24]', async (_name, pollIntervalMs, paused) => {
  const pauses: number[] = [];
  const pause = async (ms: number) => void pauses.push(ms);
  const io = { signal: new AbortController().signal };
  const followed = await follow(clientOf({ pollIntervalMs }), io, 't', [], pause);
  expect(followed).toEqual({ kind: 'done', result: { content: [] } });
  expect(pauses).toEqual([paused, paused, paused]);
});
