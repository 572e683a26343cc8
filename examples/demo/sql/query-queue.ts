/** Sends queries, one at a time, to the query process. Starts it when needed, and kills it when a query takes too long. */
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Answer, QueryRequest, QueryUpdate } from './query-process.ts';

const program = fileURLToPath(new URL('./query-process.ts', import.meta.url));
const maxMs = 2000;
const maxWaiting = 20;

/** The process kills itself (memory-limit.ts). */
const tooLarge = 'The query took too much memory; select less at a time';
/** libsql crashes its process on text that is not UTF-8. It also reads the bytes in a compiled statement as text. */
const unanswerable =
  "The query cannot be answered: it crashes the database process. For text that is not UTF-8, select hex() of it, and write unhex('ff') instead of x'ff'";
const unexpected = 'The database process was restarted; try again, or see the standard error of the server';

interface Query extends QueryRequest {
  settle(answer: Answer): void;
}

type State =
  | { readonly at: 'idle' }
  | { readonly at: 'busy'; readonly query: Query; bound: NodeJS.Timeout | undefined };

/** Returns a function that queries the database. The query process does not keep this process alive. */
export function createQueries(): (sql: string, signal: AbortSignal) => Promise<Answer> {
  const waiting = new Set<Query>();
  let state: State = { at: 'idle' };
  let child: ChildProcess | undefined;
  let last = 0;

  function start(): ChildProcess {
    const started = fork(program, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    started.on('message', (update: QueryUpdate) => child === started && receive(update));
    // 'close' comes after its last message.
    started.on('close', (_code, signal) => {
      const running = state.at === 'busy' && state.bound !== undefined;
      end(started, { problem: signal === 'SIGKILL' ? tooLarge : running ? unanswerable : unexpected });
    });
    started.unref();
    started.channel?.unref();
    return started;
  }

  function receive({ id, answer }: QueryUpdate): void {
    if (state.at !== 'busy' || state.query.id !== id) return;
    if (answer !== undefined) return done(answer);
    // The query runs now: its timeout starts here, so that it does not include the time of earlier queries.
    const problem = `The query took longer than ${maxMs} ms`;
    state.bound = setTimeout(() => child && end(child, { problem }), maxMs);
  }

  /** Answers the running query of a process that has ended. The waiting queries go to the next process. */
  function end(ended: ChildProcess, answer: Answer): void {
    if (child !== ended) return;
    child = undefined;
    ended.kill('SIGKILL');
    done(answer);
  }

  function done(answer: Answer): void {
    const before = state;
    state = { at: 'idle' };
    if (before.at === 'busy') {
      clearTimeout(before.bound);
      before.query.settle(answer);
    }
    next();
  }

  function next(): void {
    const [query] = waiting;
    if (query === undefined || state.at === 'busy') return;
    waiting.delete(query);
    state = { at: 'busy', query, bound: undefined };
    child ??= start();
    // A query that cannot be sent is answered when the process closes.
    child.send({ id: query.id, sql: query.sql } satisfies QueryRequest, () => {});
  }

  return (sql, signal) =>
    new Promise((resolve) => {
      if (waiting.size === maxWaiting) return resolve({ problem: 'Too many queries wait; try again later' });
      // A query that is cancelled while it runs continues until its timeout.
      const cancel = (): void => query.settle({ problem: 'The query was cancelled' });
      const query: Query = {
        id: ++last,
        sql,
        settle(answer) {
          waiting.delete(query);
          signal.removeEventListener('abort', cancel);
          resolve(answer);
        },
      };
      waiting.add(query);
      signal.addEventListener('abort', cancel);
      next();
    });
}
