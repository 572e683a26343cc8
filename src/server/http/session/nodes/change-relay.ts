/** Passes changes on between servers that share a store: each server notifies its clients of all changes. */
import { TenonError } from '../../../../jsonrpc/errors.ts';
import { runInBackground } from '../../../../store/maybe-promise.ts';
import type { Store } from '../../../../store/store.ts';
import type { Serving } from '../../../kernel/serving.ts';
import type { Change } from '../../../ports/change-notifications.ts';
import type { Warn } from '../../reporting/warnings.ts';
import { listen } from './node-bus.ts';

/** One for all endpoints of a server on one store, so that no change is passed on twice. */
interface Relay {
  readonly listeners: Set<(change: Change) => void>;
  stop(): void;
}

const relays = new WeakMap<Store, WeakMap<Serving, Relay>>();

const topic = 'tenon/changes';

/** Listens to the changes of this server and of all that share the store. Returns a function that stops. */
export function followChanges(
  serving: Serving,
  store: Store,
  onChange: (change: Change) => void,
  warn: Warn,
): () => void {
  const ofStore = relays.get(store) ?? new WeakMap<Serving, Relay>();
  relays.set(store, ofStore);
  const relay = ofStore.get(serving) ?? startRelay(serving, store, warn);
  ofStore.set(serving, relay);
  relay.listeners.add(onChange);
  return () => {
    relay.listeners.delete(onChange);
    if (relay.listeners.size > 0 || ofStore.get(serving) !== relay) return;
    ofStore.delete(serving);
    relay.stop();
  };
}

function startRelay({ changes, registry, deadlines }: Serving, { bus }: Store, warn: Warn): Relay {
  const from = crypto.randomUUID();
  const listeners: Relay['listeners'] = new Set();
  const failed = (cause: unknown): void =>
    warn(
      new TenonError('store-failed', 'A change could not be published to the servers that share the store.', { cause }),
    );
  const notify = (change: Change): void => {
    for (const onChange of listeners) onChange(change);
  };
  const ownTopic = `${topic}/${registry().info.name}`;
  const stopOthers = listen(bus, ownTopic, deadlines, {
    failed,
    onMissed: () => undefined,
    onMessage(text) {
      const message = JSON.parse(text) as { readonly from: string; readonly change: Change };
      if (message.from !== from) notify(message.change);
    },
  });
  const stopOwn = changes.listen((change) => {
    notify(change);
    // Every process logs for its own clients.
    if (change.kind === 'log') return;
    runInBackground(() => bus.publish(ownTopic, JSON.stringify({ from, change })), failed);
  });
  return {
    listeners,
    stop() {
      stopOwn();
      stopOthers();
    },
  };
}
