/** Detects a silent server: pings it after some time without a message. */

import { TenonError } from '../../lib/errors/tenon-error.ts';
import type { Deadline, Deadlines } from '../../lib/time/deadlines.ts';
import { isConnectionLost } from '../retry/failure-outcome.ts';
import type { Conversation } from './conversation.ts';

export interface Heartbeat {
  /** Called for every message of the server. */
  received(): void;
  /** Starts, if the revision has `ping`. `onSilent` closes the connection. */
  start(conversation: Conversation, onSilent: (reason: Error) => void): void;
  stop(): void;
}

export function createHeartbeat(deadlines: Deadlines, everyMs: number): Heartbeat {
  let receivedAt = deadlines.now();
  let timer: Deadline | undefined;
  let state: { is: 'idle' } | { is: 'watching'; ping: () => Promise<unknown>; onSilent(reason: Error): void } = {
    is: 'idle',
  };

  function waitFor(ms: number): void {
    timer = deadlines.add(ms, check);
  }

  function check(): void {
    timer = undefined;
    if (state.is === 'idle') return;
    const left = receivedAt + everyMs - deadlines.now();
    if (left > 0) return waitFor(left);
    const pingedAt = deadlines.now();
    state.ping().then(
      () => continueWaiting(),
      (error) => pingFailed(error, pingedAt),
    );
  }

  /** Any answer shows that the server is alive. */
  function pingFailed(error: unknown, pingedAt: number): void {
    if (state.is === 'idle') return;
    if (isConnectionLost(error)) return state.onSilent(error as Error);
    const isLate = error instanceof TenonError && error.code === 'timeout' && receivedAt < pingedAt;
    if (isLate) state.onSilent(silent(everyMs, error));
    else continueWaiting();
  }

  function continueWaiting(): void {
    if (state.is === 'watching' && timer === undefined) waitFor(everyMs);
  }

  return {
    received() {
      receivedAt = deadlines.now();
    },
    start(conversation, onSilent) {
      if (!conversation.revision.client.requests.has('ping')) return;
      const ping = (): Promise<unknown> => conversation.call('ping', undefined, { timeoutMs: everyMs });
      state = { is: 'watching', ping, onSilent };
      waitFor(everyMs);
    },
    stop() {
      state = { is: 'idle' };
      if (timer !== undefined) deadlines.cancel(timer);
      timer = undefined;
    },
  };
}

const silent = (ms: number, cause: TenonError): TenonError =>
  new TenonError(
    'server-unresponsive',
    `The server sent nothing for ${ms} ms and did not answer a ping for another ${ms} ms.`,
    {
      hint: 'Raise "timeouts.pingIntervalMs" if the server is busy for longer.',
      details: { pingIntervalMs: ms },
      cause,
    },
  );
