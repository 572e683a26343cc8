/** News of change between servers that share a store: what one of them publishes, the clients of all hear. */
import { TenonError } from '../../../../jsonrpc/errors.ts';
import { whenThere } from '../../../../store/maybe-promise.ts';
import type { Store } from '../../../../store/store.ts';
import type { Serving } from '../../../kernel/serving.ts';
import type { Change } from '../../../ports/change-notifications.ts';
import { listen } from './node-bus.ts';

/** One relay for all endpoints of a server on one store, so that nothing is told twice. */
interface Relay {
  readonly hearers: Set<(change: Change) => void>;
  stop(): void;
}

const relays = new WeakMap<Store, WeakMap<Serving, Relay>>();

const topic = 'tenon/changes';

/** Hears of changes of this server and of all that share the store. Gives back how to stop. */
export function followChanges(
  serving: Serving,
  store: Store,
  hear: (change: Change) => void,
  fault: (error: Error) => void,
): () => void {
  const ofStore = relays.get(store) ?? new WeakMap<Serving, Relay>();
  relays.set(store, ofStore);
  const relay = ofStore.get(serving) ?? begin(serving, store, fault);
  ofStore.set(serving, relay);
  relay.hearers.add(hear);
  return () => {
    relay.hearers.delete(hear);
    if (relay.hearers.size > 0 || ofStore.get(serving) !== relay) return;
    ofStore.delete(serving);
    relay.stop();
  };
}

function begin({ changes: feed, registry }: Serving, { bus }: Store, fault: (error: Error) => void): Relay {
  const from = crypto.randomUUID();
  const hearers: Relay['hearers'] = new Set();
  const failed = (cause: unknown): void =>
    fault(new TenonError('store-failed', 'Servers that share a store could not be told of a change.', { cause }));
  const tell = (change: Change): void => {
    for (const hear of hearers) hear(change);
  };
  const about = `${topic}/${registry().info.name}`;
  const stopOthers = listen(bus, about, failed, (text) => {
    const heard = JSON.parse(text) as { readonly from: string; readonly change: Change };
    if (heard.from !== from) tell(heard.change);
  });
  const stopOwn = feed.listen((change) => {
    tell(change);
    whenThere(
      () => bus.publish(about, JSON.stringify({ from, change })),
      () => {},
      failed,
    );
  });
  return {
    hearers,
    stop() {
      stopOwn();
      stopOthers();
    },
  };
}
