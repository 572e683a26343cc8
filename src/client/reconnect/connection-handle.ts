/** The connection beneath a client as its user sees it: its state, who hears of changes, and when calls can be made. */
import { listenForAbort, stopListening } from '../../jsonrpc/abort-listeners.ts';
import { TenonError } from '../../jsonrpc/errors.ts';
import type { ClientConnection } from '../api/client.ts';
import type { StateChange, StateName } from '../api/connection-state.ts';
import type { ClientSetting } from '../connection/settings.ts';
import type { Life } from './supervisor.ts';

type Hear = (change: StateChange) => void;

export class LivingConnection implements ClientConnection {
  readonly #life: Life;
  readonly #setting: ClientSetting;
  /** Made when somebody listens. */
  #listeners: Set<Hear> | undefined;

  constructor(life: Life, setting: ClientSetting) {
    this.#life = life;
    this.#setting = setting;
  }

  get state(): StateName {
    return this.#life.state;
  }

  readonly on = (_what: 'state', hear: Hear): (() => void) => {
    this.#life.watched();
    return this.listen(hear);
  };

  /** Hears of states without being one for whom the process stays. */
  listen(hear: Hear): () => void {
    this.#listeners ??= new Set();
    this.#listeners.add(hear);
    return () => this.#listeners?.delete(hear);
  }

  readonly ready = async ({ signal }: { readonly signal?: AbortSignal } = {}): Promise<void> => {
    if (this.#life.line === undefined) await this.#life.reach({ impatient: true, signal });
  };

  tell(change: StateChange): void {
    this.#listeners?.forEach((hear) => this.#setting.tellUser('the state of the connection', () => hear(change)));
  }

  end(): void {
    this.#listeners = undefined;
  }
}

/** Connecting can be given up until it is done for the first time. */
export function heed(signal: AbortSignal, life: Life, connection: LivingConnection): void {
  const giveUp = (): void => {
    const error = new TenonError('cancelled', 'Connecting was given up.', { cause: signal.reason });
    life.dispatch({ kind: 'given-up', error });
  };
  if (signal.aborted) return giveUp();
  const leave = connection.listen(({ to }) => {
    if (to !== 'ready' && to !== 'closed') return;
    stopListening(signal, giveUp);
    leave();
  });
  listenForAbort(signal, giveUp);
}
