/** The states of a server request that this client runs as a task, and the transitions between them. */
import type { RpcError } from '../../../jsonrpc/errors.ts';
import type { Fields } from '../../../lib/values/is.ts';

export type TaskState =
  | { readonly is: 'working' }
  | { readonly is: 'completed'; readonly result: Fields }
  | { readonly is: 'failed'; readonly error: RpcError }
  | { readonly is: 'cancelled'; readonly reason: string };

export type TaskEvent =
  | { readonly type: 'answer'; readonly result: Fields }
  | { readonly type: 'fail'; readonly error: RpcError }
  | { readonly type: 'cancel'; readonly reason: string };

/** The next state; `undefined` if the task is over, which nothing changes. */
export function changeTask(state: TaskState, event: TaskEvent): Exclude<TaskState, { is: 'working' }> | undefined {
  if (state.is !== 'working') return undefined;
  switch (event.type) {
    case 'answer':
      return { is: 'completed', result: event.result };
    case 'fail':
      return { is: 'failed', error: event.error };
    case 'cancel':
      return { is: 'cancelled', reason: event.reason };
  }
}

/** The status message of a state. */
export function messageOf(state: TaskState): string | undefined {
  if (state.is === 'failed') return state.error.message;
  return state.is === 'cancelled' ? `The task was cancelled: ${state.reason}` : undefined;
}
