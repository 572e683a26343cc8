/** Ends a call at its time limit. The clock is paused while the call waits for answers of the client. */
import type { Deadline, Deadlines } from '../../lib/time/deadlines.ts';
import { rpcError } from '../../protocol/errors.ts';
import type { CallClock } from './call-ports.ts';
import type { Invocation } from './invocation.ts';

type State =
  | { readonly is: 'running'; readonly deadline: Deadline }
  | { readonly is: 'paused'; readonly left: number; readonly requests: number }
  | { readonly is: 'ended' };

class TimeLimit implements CallClock {
  readonly #deadlines: Deadlines;
  readonly #run: () => void;
  #state: State;

  constructor(deadlines: Deadlines, timeoutMs: number, run: () => void) {
    this.#deadlines = deadlines;
    this.#run = run;
    this.#state = { is: 'running', deadline: deadlines.add(timeoutMs, run) };
  }

  pause(): void {
    const state = this.#state;
    if (state.is === 'paused') this.#state = { ...state, requests: state.requests + 1 };
    if (state.is !== 'running') return;
    this.#deadlines.cancel(state.deadline);
    this.#state = { is: 'paused', left: this.#deadlines.left(state.deadline), requests: 1 };
  }

  resume(): void {
    const state = this.#state;
    if (state.is !== 'paused') return;
    const requests = state.requests - 1;
    this.#state =
      requests > 0 ? { ...state, requests } : { is: 'running', deadline: this.#deadlines.add(state.left, this.#run) };
  }

  end(): void {
    if (this.#state.is === 'running') this.#deadlines.cancel(this.#state.deadline);
    this.#state = { is: 'ended' };
  }
}

/** Ends the call at its time limit, unless it ends before. With middleware the clock runs already. A task has a deadline instead. */
export function limitTime(invocation: Invocation, own: number | undefined): void {
  const { limits, context, call, target, ports } = invocation;
  const timeoutMs = own ?? limits.timeoutMs;
  if (timeoutMs === undefined || context.clock !== undefined || ports.task !== undefined) return;
  const limit = new TimeLimit(limits.deadlines, timeoutMs, () =>
    invocation.endEarly(
      rpcError('timeout', `${call.method} ${target} took longer than ${timeoutMs} ms`),
      'the call timed out',
      true,
    ),
  );
  context.clock = limit;
  invocation.atEnd(limit);
}
