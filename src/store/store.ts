/** A store of sessions and events, which several processes of a server can share. */

import type { MessageBus } from './bus/message-bus.ts';
import type { EventStore } from './events/event-store.ts';
import type { NodeStore } from './nodes/node-store.ts';
import type { OnceStore } from './once/once-store.ts';
import type { SessionStore } from './session-store.ts';

/** Stores sessions and events, and connects the processes that share it. Pass it as `store` of `serveHttp`. */
export interface Store {
  /** Session records. */
  readonly sessions: SessionStore;
  /** The events of streams, so that a client can resume one. */
  readonly events: EventStore;
  /** Messages between the processes that share the store. */
  readonly bus: MessageBus;
  /** Keys that may be used once: pass it as `dpop.once` of `protect`. Sessions do not need it. */
  readonly once?: OnceStore;
  /** Which processes that share the store live. Without it, streams of one that has crashed stay open. */
  readonly nodes?: NodeStore;
}
