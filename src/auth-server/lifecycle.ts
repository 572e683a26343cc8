/** When an authorization server runs: from its first request, since its store is that of an endpoint, until that closes. */
import { TenonError } from '../lib/errors/tenon-error.ts';
import { openServiceStore, type ServiceStore } from '../node/service-store.ts';
import { StoreOfServers } from '../server/kernel/store-users.ts';
import { createMemoryStore } from '../store/memory.ts';
import type { Store } from '../store/store.ts';
import { loadEngine } from './engine/load-engine.ts';
import { type Running, type StartSettings, start } from './running.ts';
import { of } from './settings.ts';

export class Lifecycle {
  readonly #settings: Omit<StartSettings, 'store' | 'module'>;
  readonly #attached = new StoreOfServers(of, 'Pass the same store to all its endpoints, or set its store.');
  #running: Promise<Running> | undefined;
  #service: Promise<ServiceStore> | undefined;
  #current: Running | undefined;
  #memory: Store | undefined;
  #isClosed = false;

  constructor(settings: Omit<StartSettings, 'store' | 'module'>) {
    this.#settings = settings;
  }

  /** The running server, if it has started. */
  get current(): Running | undefined {
    return this.#current;
  }

  /** After a failure the next call tries again. */
  run(): Promise<Running> {
    if (this.#isClosed) return Promise.reject(closed());
    this.#running ??= this.#start().catch((cause: unknown) => {
      this.#running = undefined;
      throw cause;
    });
    return this.#running;
  }

  async #start(): Promise<Running> {
    const module = await loadEngine();
    const store = await this.#openStore();
    const running = await start({ ...this.#settings, store, module });
    if (!this.#isClosed) return (this.#current = running);
    await running.close();
    throw closed();
  }

  async #openStore(): Promise<Store> {
    const { store: given } = this.#settings.settings;
    this.#service ??= openServiceStore(given);
    const { store } = await this.#service;
    return (
      store ?? (given === undefined ? this.#attached.current : undefined) ?? (this.#memory ??= createMemoryStore())
    );
  }

  /** Gets the store of an endpoint. When the last endpoint closes, the server stops: its store may close. */
  attach(store: Store): () => void {
    const detach = this.#attached.attach(store);
    return () => {
      detach();
      if (this.#attached.current === undefined) void this.#stop();
    };
  }

  async #stop(): Promise<void> {
    const running = this.#running;
    this.#running = undefined;
    this.#current = undefined;
    await (await running?.catch(() => undefined))?.close();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#stop();
    await (await this.#service?.catch(() => undefined))?.close();
  }
}

const closed = (): TenonError => new TenonError('connection-closed', 'The authorization server is closed.');
