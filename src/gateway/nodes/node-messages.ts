/** Messages between the nodes of a gateway. They are hints: what must not be lost is in the records. */
import { TenonError } from '../../lib/errors/tenon-error.ts';
import type { Deadlines } from '../../lib/time/deadlines.ts';
import { runInBackground } from '../../lib/values/maybe-promise.ts';
import { listen } from '../../server/http/session/nodes/node-bus.ts';
import { storeCodeOf } from '../../server/http/session/session-record.ts';
import type { Store } from '../../store/store.ts';
import type { RoundNotification } from './round-run.ts';

export type NodeMessage =
  /** The record of a round has answers for a call. */
  | { readonly kind: 'answered'; readonly id: string; readonly callId: string }
  /** The record has the outcome. */
  | { readonly kind: 'ended'; readonly id: string }
  /** The caller has left, and its record is deleted. */
  | { readonly kind: 'left'; readonly id: string; readonly reason: string }
  | { readonly kind: 'notified'; readonly id: string; readonly notification: RoundNotification }
  /** A call does not continue. */
  | { readonly kind: 'abandoned'; readonly callId: string; readonly reason: string };

export interface MessagePorts {
  store(): Store | undefined;
  readonly deadlines: Deadlines;
  onMessage(message: NodeMessage): void;
  /** Messages may have been lost. */
  onMissed(): void;
  warn(error: TenonError): void;
}

const topic = 'tenon/gateway';

export class NodeMessages {
  readonly #ports: MessagePorts;
  #users = 0;
  #stop = (): void => {};

  constructor(ports: MessagePorts) {
    this.#ports = ports;
  }

  /** Several endpoints may serve a gateway, with one store. */
  useStore({ bus }: Store): () => void {
    const { deadlines, onMissed, onMessage } = this.#ports;
    if (this.#users++ === 0)
      this.#stop = listen(bus, topic, deadlines, {
        onMessage: (text) => onMessage(JSON.parse(text) as NodeMessage),
        onMissed: () => onMissed(),
        failed: (cause) => this.failed(cause),
      });
    return () => {
      if (--this.#users === 0) this.#stop();
    };
  }

  async publish(message: NodeMessage): Promise<void> {
    await this.#ports.store()?.bus.publish(topic, JSON.stringify(message));
  }

  publishSoon(message: NodeMessage): void {
    runInBackground(
      () => this.publish(message),
      (cause) => this.failed(cause),
    );
  }

  failed(cause: unknown): void {
    const text = 'A call that continues at another node could not use the store.';
    this.#ports.warn(new TenonError(storeCodeOf(cause), text, { cause }));
  }
}
