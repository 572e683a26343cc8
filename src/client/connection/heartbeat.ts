/** Notices that a server has gone silent: after so long without a word it is asked whether it is there. */
import type { Deadline, Deadlines } from '../../jsonrpc/deadlines.ts';
import { TenonError } from '../../jsonrpc/errors.ts';
import { isDown } from '../retry/failure-outcome.ts';
import type { Conversation } from './conversation.ts';

export interface Liveness {
  /** Something came of the server, whatever it was. */
  heard(): void;
  /** Begins to count; a revision that has no such question is left alone. `lost` ends the connection. */
  begin(conversation: Conversation, lost: (reason: Error) => void): void;
  end(): void;
}

export function createLiveness(deadlines: Deadlines, everyMs: number): Liveness {
  let heardAt = deadlines.now();
  let timer: Deadline | undefined;
  let state: { is: 'idle' } | { is: 'watching'; ask: () => Promise<unknown>; lost(reason: Error): void } = {
    is: 'idle',
  };

  function waitFor(ms: number): void {
    timer = deadlines.add(ms, look);
  }

  function look(): void {
    timer = undefined;
    if (state.is === 'idle') return;
    const left = heardAt + everyMs - deadlines.now();
    if (left > 0) return waitFor(left);
    const askedAt = deadlines.now();
    state.ask().then(
      () => goOn(),
      (error) => judge(error, askedAt),
    );
  }

  /** A server that says anything is there, whatever it says to the question. */
  function judge(error: unknown, askedAt: number): void {
    if (state.is === 'idle') return;
    if (isDown(error)) return state.lost(error as Error);
    const isLate = error instanceof TenonError && error.code === 'timeout' && heardAt < askedAt;
    if (isLate) state.lost(silent(everyMs, error));
    else goOn();
  }

  function goOn(): void {
    if (state.is === 'watching' && timer === undefined) waitFor(everyMs);
  }

  return {
    heard() {
      heardAt = deadlines.now();
    },
    begin(conversation, lost) {
      if (!conversation.revision.client.requests.has('ping')) return;
      const ask = (): Promise<unknown> => conversation.call('ping', undefined, { timeoutMs: everyMs });
      state = { is: 'watching', ask, lost };
      waitFor(everyMs);
    },
    end() {
      state = { is: 'idle' };
      if (timer !== undefined) deadlines.cancel(timer);
      timer = undefined;
    },
  };
}

const silent = (ms: number, cause: TenonError): TenonError =>
  new TenonError('server-silent', `The server said nothing for ${ms} ms, nor answered a ping in as long.`, {
    hint: 'A server that is busy for longer needs a greater `pingEveryMs`.',
    details: { pingEveryMs: ms },
    cause,
  });
