/** Two nodes with one store, each of which may lose the messages of the other. */
import type { ServeHttpOptions } from 'tenon';
import type { Store } from 'tenon/store';
import { asyncStore } from './async-store.ts';
import { type Served, serve } from './http/sample-server.ts';
import { type LossyStore, lossyStore } from './lossy-bus.ts';

export interface LossyNodes {
  readonly store: Store;
  readonly a: Served;
  readonly b: Served;
  readonly busOfA: LossyStore;
  readonly busOfB: LossyStore;
}

const secrets = ['a secret that both of them know'];

export async function lossyNodes(store: Store = asyncStore(), options: ServeHttpOptions = {}): Promise<LossyNodes> {
  const [busOfA, busOfB] = [lossyStore(store), lossyStore(store)];
  const node = ({ store: own }: LossyStore): Promise<Served> => serve({ ...options, store: own }, { secrets });
  return { store, a: await node(busOfA), b: await node(busOfB), busOfA, busOfB };
}
