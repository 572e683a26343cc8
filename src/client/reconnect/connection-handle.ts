/** `client.connection`: the state, its listeners, and waiting until calls can be made. */

import { TenonError } from '../../lib/errors/tenon-error.ts';
import { listenForAbort, stopListening } from '../../lib/time/abort-listeners.ts';
import type { ClientConnection } from '../api/client.ts';
import type { ConnectionState, ConnectionStateChange } from '../api/connection-state.ts';
import type { ClientSettings } from '../connection/settings.ts';
import type { ConnectionSupervisor } from './supervisor.ts';

type StateListener = (change: ConnectionStateChange) => void;

export class ConnectionHandle implements ClientConnection {
  readonly #supervisor: ConnectionSupervisor;
  readonly #settings: ClientSettings;
  /** Created on first use. */
  #listeners: Set<StateListener> | undefined;

  constructor(supervisor: ConnectionSupervisor, settings: ClientSettings) {
    this.#supervisor = supervisor;
    this.#settings = settings;
  }

  get state(): ConnectionState {
    return this.#supervisor.state;
  }

  readonly on = (_what: 'state', listener: StateListener): (() => void) => {
    this.#supervisor.holdProcess();
    return this.listen(listener);
  };

  /** Listens without keeping the process alive. */
  listen(listener: StateListener): () => void {
    this.#listeners ??= new Set();
    this.#listeners.add(listener);
    return () => this.#listeners?.delete(listener);
  }

  readonly ready = async ({ signal }: { readonly signal?: AbortSignal } = {}): Promise<void> => {
    if (this.#supervisor.current === undefined) await this.#supervisor.waitForConnection({ failFast: true, signal });
  };

  notify(change: ConnectionStateChange): void {
    this.#listeners?.forEach((listener) =>
      this.#settings.callUser('the state of the connection', () => listener(change)),
    );
  }

  close(): void {
    this.#listeners = undefined;
  }
}

/** Cancels connecting when the signal is aborted, until the first connection is open. */
export function cancelConnectingOn(
  signal: AbortSignal,
  supervisor: ConnectionSupervisor,
  connection: ConnectionHandle,
): void {
  const cancel = (): void => {
    const error = new TenonError('cancelled', 'Connecting was aborted.', { cause: signal.reason });
    supervisor.dispatch({ kind: 'aborted', error });
  };
  if (signal.aborted) return cancel();
  const unlisten = connection.listen(({ to }) => {
    if (to !== 'ready' && to !== 'closed') return;
    stopListening(signal, cancel);
    unlisten();
  });
  listenForAbort(signal, cancel);
}
