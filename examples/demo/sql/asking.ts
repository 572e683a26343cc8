/** Sends queries, one at a time, to the process that answers them; begins it when it is needed, and ends it when one takes too long. */
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Answer, Notified, Requested } from './answering.ts';

const program = fileURLToPath(new URL('./answering.ts', import.meta.url));
const maxMs = 2000;
const maxWaiting = 20;

/** The process ends itself so. */
const tooLarge = 'The query took too much memory; ask for less at a time';
/** libsql ends its process at text that is not UTF-8, each time; to it, the bytes in a program are text, too. */
const unanswerable =
  "The query cannot be answered: it ends the process of the database. Where it has text that is not UTF-8, ask for hex() of it, and for unhex('ff') in place of x'ff'";
const unexpected =
  'The database had to be started again; try once more, or see what the server wrote to standard error';

interface Query extends Requested {
  settle(answer: Answer): void;
}

type State =
  | { readonly at: 'idle' }
  | { readonly at: 'busy'; readonly query: Query; bound: NodeJS.Timeout | undefined };

/** A function that asks the database. Nothing that it begins keeps this process from ending. */
export function createQueries(): (sql: string, signal: AbortSignal) => Promise<Answer> {
  const waiting = new Set<Query>();
  let state: State = { at: 'idle' };
  let child: ChildProcess | undefined;
  let last = 0;

  function begin(): ChildProcess {
    const begun = fork(program, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    begun.on('message', (notified: Notified) => child === begun && receive(notified));
    // When it closes, all that it told has been heard.
    begun.on('close', (_code, signal) => {
      const running = state.at === 'busy' && state.bound !== undefined;
      end(begun, { problem: signal === 'SIGKILL' ? tooLarge : running ? unanswerable : unexpected });
    });
    begun.unref();
    begun.channel?.unref();
    return begun;
  }

  function receive({ id, answer }: Notified): void {
    if (state.at !== 'busy' || state.query.id !== id) return;
    if (answer !== undefined) return done(answer);
    // It is being worked on: its time begins. The time that others took before it is not its own.
    const problem = `The query took longer than ${maxMs} ms`;
    state.bound = setTimeout(() => child && end(child, { problem }), maxMs);
  }

  /** Whoever waits for the answer of a process that ends hears of it; the others wait for the next process. */
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
    child ??= begin();
    // What cannot be sent is answered when the process is seen to have ended.
    child.send({ id: query.id, sql: query.sql } satisfies Requested, () => {});
  }

  return (sql, signal) =>
    new Promise((resolve) => {
      if (waiting.size === maxWaiting) return resolve({ problem: 'Too many queries wait; try again later' });
      // One that is given up while it runs goes on, within its time.
      const leave = (): void => query.settle({ problem: 'The query was given up' });
      const query: Query = {
        id: ++last,
        sql,
        settle(answer) {
          waiting.delete(query);
          signal.removeEventListener('abort', leave);
          resolve(answer);
        },
      };
      waiting.add(query);
      signal.addEventListener('abort', leave);
      next();
    });
}
