/** Sends queries to the process that answers them, begins it when it is needed, and ends it when one takes too long. */
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Answer, Asked, Told } from './answering.ts';

const program = fileURLToPath(new URL('./answering.ts', import.meta.url));
const maxMs = 2000;

interface Waiting {
  /** It is being worked on: its time begins. */
  begun(): void;
  settle(answer: Answer): void;
}

/** A function that asks the database. Nothing that it begins keeps this process from ending. */
export function createQueries(): (sql: string, signal: AbortSignal) => Promise<Answer> {
  const waiting = new Map<number, Waiting>();
  let child: ChildProcess | undefined;
  let last = 0;

  function begin(): ChildProcess {
    const begun = fork(program, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    begun.on('message', ({ id, answer }: Told) => {
      if (answer === undefined) waiting.get(id)?.begun();
      else waiting.get(id)?.settle(answer);
    });
    begun.on('exit', () => end(begun, { problem: 'The database had to be started again; try once more' }));
    begun.unref();
    begun.channel?.unref();
    return begun;
  }

  /** Whoever waits for a process that ends hears of it. */
  function end(ended: ChildProcess, answer: Answer): void {
    if (child !== ended) return;
    child = undefined;
    ended.kill('SIGKILL');
    for (const query of waiting.values()) query.settle(answer);
  }

  return (sql, signal) =>
    new Promise((resolve) => {
      const id = ++last;
      const asked = (child ??= begin());
      let bound: NodeJS.Timeout | undefined;
      const leave = (): void => query.settle({ problem: 'The query was given up' });
      const query: Waiting = {
        begun() {
          bound = setTimeout(() => end(asked, { problem: `The query took longer than ${maxMs} ms` }), maxMs);
        },
        settle(answer) {
          waiting.delete(id);
          // A query that nobody waits for may run for long: it stays bounded.
          if (!signal.aborted) clearTimeout(bound);
          signal.removeEventListener('abort', leave);
          resolve(answer);
        },
      };
      waiting.set(id, query);
      signal.addEventListener('abort', leave);
      asked.send({ id, sql } satisfies Asked);
    });
}
