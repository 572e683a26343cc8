/** Passes changes on between servers that share a store: each server notifies its clients of all changes, or that it may have missed some. */
import { TenonError } from '../../../../lib/errors/tenon-error.ts';
import type { Deadline, Deadlines } from '../../../../lib/time/deadlines.ts';
import type { Store } from '../../../../store/store.ts';
import type { Serving } from '../../../kernel/serving.ts';
import type { Change } from '../../../ports/change-notifications.ts';
import type { Warn } from '../../reporting/warnings.ts';
import { storeCodeOf } from '../session-record.ts';
import { Attempts } from '../streams/attempts.ts';
import { ChangeLog, type LaterChanges, type NumberedChange } from './change-log.ts';
import { listen } from './node-bus.ts';
import { StorePoll } from './store-poll.ts';

/** `number` is absent for a change that is not in the log. */
export type OnChange = (change: Change, number: number | undefined) => void;

/** The changes of a server and of all that share the store. */
export interface Changes {
  /** The number of the last change that the listeners got; not known before the store was read. */
  readonly last: number | undefined;
  /** Resolves when `last` is known, or the store has failed; absent if it is known. Who listens from then on gets all changes after it. */
  known(): Promise<void> | undefined;
  after(number: number): Promise<LaterChanges>;
}

const relays = new WeakMap<Store, WeakMap<Serving, ChangeRelay>>();

const topic = 'tenon/changes';

/** For how long the last change is tried again, and how long a node may be silent. */
type RelayTimeouts = Readonly<Record<'storeMs' | 'deadNodeMs', number>>;

/** Listens to the changes of this server and of all that share the store; `stop` ends that, and resolves when the others can know those of this server. */
export function followChanges(
  serving: Serving,
  store: Store,
  onChange: OnChange,
  warn: Warn,
  timeouts: RelayTimeouts,
): Changes & { stop(): Promise<void> } {
  const ofStore = relays.get(store) ?? new WeakMap<Serving, ChangeRelay>();
  relays.set(store, ofStore);
  const relay = ofStore.get(serving) ?? new ChangeRelay(serving, store, warn, timeouts.deadNodeMs);
  ofStore.set(serving, relay);
  relay.listeners.add(onChange);
  relay.users++;
  let stopped: { readonly at: number | undefined } | undefined;
  return {
    get last() {
      return stopped === undefined ? relay.last : stopped.at;
    },
    known: () => relay.known(),
    after: (number) => relay.after(number),
    async stop() {
      const isLast = --relay.users === 0;
      if (isLast) ofStore.delete(serving);
      // Until then it gets the changes that are being published: what it stores about its sessions says that they have them.
      await (isLast ? relay.stop(timeouts.storeMs) : relay.published());
      stopped = { at: relay.last };
      relay.listeners.delete(onChange);
    },
  };
}

/** One for all endpoints of a server on one store, so that no change is passed on twice. */
class ChangeRelay implements Changes {
  readonly listeners = new Set<OnChange>();
  /** Endpoints that have not stopped. */
  users = 0;
  readonly #store: Store;
  readonly #topic: string;
  readonly #log: ChangeLog;
  readonly #poll: StorePoll;
  readonly #from = crypto.randomUUID();
  readonly #failed: (cause: unknown) => void;
  readonly #deadlines: Deadlines;
  readonly #stops: readonly (() => void)[];
  #nextRead: Deadline | undefined;
  #last: number | undefined;
  #beginning: Promise<void> | undefined;
  /** Changes of this server that are being stored and announced. */
  readonly #publishing = new Set<Promise<void>>();
  /** Whether the log is to be read, a change is not in it, or the last one was not announced to the others. */
  readonly #behind = { reading: true, storing: false, announcing: false };

  constructor({ changes, registry, deadlines }: Serving, store: Store, warn: Warn, deadNodeMs: number) {
    const server = registry().info.name;
    this.#store = store;
    this.#deadlines = deadlines;
    this.#topic = `${topic}/${server}`;
    this.#log = new ChangeLog(store, server, () => Date.now());
    this.#failed = (cause) => warn(notPublished(cause));
    this.#poll = new StorePoll({
      deadlines,
      failed: this.#failed,
      isWaiting: () => Object.values(this.#behind).includes(true),
      read: () => this.#catchUp(),
    });
    const read = (): void => {
      this.#behind.reading = true;
      this.#poll.now();
    };
    // Also without a message: a node may have died after it stored a change, and before it published it.
    const readRegularly = (): void => {
      read();
      this.#nextRead = deadlines.add(deadNodeMs, readRegularly, false);
    };
    const onMessage = (text: string): void => {
      const { from, ...numbered } = JSON.parse(text) as Partial<NumberedChange> & { readonly from: string };
      if (from === this.#from) return;
      const { number = 0, change } = numbered;
      if (change === undefined || !this.#isNext(number)) {
        if (this.#last === undefined || number > this.#last) read();
      } else this.#notify(change, number);
    };
    this.#stops = [
      changes.listen((change) => this.#changed(change)),
      listen(store.bus, this.#topic, deadlines, { failed: this.#failed, onMissed: read, onMessage }),
    ];
    readRegularly();
  }

  get last(): number | undefined {
    return this.#last;
  }

  known(): Promise<void> | undefined {
    if (this.#last !== undefined) return undefined;
    this.#beginning ??= this.#begin()
      // The poll tries it again, and reports it.
      .catch(() => undefined)
      .finally(() => {
        this.#beginning = undefined;
      });
    return this.#beginning;
  }

  after(number: number): Promise<LaterChanges> {
    return this.#log.after(number);
  }

  /** Resolves when the changes of this server so far are stored, or have failed to be. */
  published(): Promise<unknown> {
    return Promise.all(this.#publishing);
  }

  /** What is not stored is lost with this server, which no other one knows of: it is tried again for some time. */
  async stop(retryForMs: number): Promise<void> {
    for (const stop of this.#stops) stop();
    if (this.#nextRead !== undefined) this.#deadlines.cancel(this.#nextRead);
    await this.published();
    const isBehind = (): boolean => this.#behind.storing || this.#behind.announcing;
    const catchUp = async (): Promise<void> => {
      if (isBehind()) await this.#catchUp();
      if (isBehind()) throw new Error('The last change was not announced.');
    };
    const now = (): number => this.#deadlines.now();
    const after = (ms: number, run: () => void): void => void this.#deadlines.add(ms, run);
    const attempts = new Attempts({ retryForMs, storeFailed: this.#failed, now, after });
    const [first] = await Promise.allSettled([catchUp()]);
    if (first.status === 'rejected') await attempts.repeat(first, catchUp);
    this.#poll.stop();
  }

  /** A change of this server. Every process logs for its own clients, and learns by itself how far tasks are. */
  #changed(change: Change): void {
    if (change.kind === 'log' || change.kind === 'task') return this.#notify(change, undefined);
    const published: Promise<void> = this.#publish(change).finally(() => this.#publishing.delete(published));
    this.#publishing.add(published);
  }

  async #publish(change: Change): Promise<void> {
    try {
      if (this.#last === undefined) await this.#begin();
      const number = await this.#log.append(change);
      if (this.#isNext(number)) this.#notify(change, number);
      else if (number > (this.#last ?? 0)) {
        this.#behind.reading = true;
        this.#poll.now();
      }
      await this.#announce({ number, change });
    } catch (cause) {
      this.#failed(cause);
      // The others learn later that they may have missed some.
      this.#notify(change, undefined);
      this.#behind.storing = true;
      this.#poll.wait();
    }
  }

  /** Reads the first number. Clients that listen already may have missed changes before it: the store had failed when they began. */
  async #begin(): Promise<void> {
    const end = await this.#log.end();
    if (this.#last === undefined) this.#notify({ kind: 'all' }, end);
  }

  #isNext(number: number): boolean {
    return this.#last !== undefined && number === this.#last + 1;
  }

  #notify(change: Change, number: number | undefined): void {
    if (number !== undefined) this.#last = number;
    for (const onChange of this.listeners) onChange(change, number);
  }

  /** Announces the last change to the others. */
  async #announce(numbered: Partial<NumberedChange>): Promise<void> {
    this.#behind.announcing = true;
    const publish = async (): Promise<void> => {
      await this.#store.bus.publish(this.#topic, JSON.stringify({ from: this.#from, ...numbered }));
      this.#behind.announcing = false;
    };
    await publish().catch((cause: unknown) => {
      this.#failed(cause);
      this.#poll.wait();
    });
  }

  async #catchUp(): Promise<void> {
    await this.#read();
    this.#behind.reading = false;
    if (this.#behind.storing) {
      const number = await this.#log.append({ kind: 'all' });
      this.#behind.storing = false;
      // Also clients of this server: some may have come from another one since.
      if (this.#isNext(number)) this.#notify({ kind: 'all' }, number);
      else this.#behind.reading = true;
      this.#behind.announcing = true;
    }
    if (this.#behind.announcing) await this.#announce({ number: this.#last ?? 0 });
  }

  async #read(): Promise<void> {
    if (this.#last === undefined) return this.#begin();
    const { changes, isMissed, end } = await this.#log.after(this.#last);
    if (isMissed && end > this.#last) return this.#notify({ kind: 'all' }, end);
    // Some may have arrived meanwhile.
    for (const { number, change } of changes) if (number > this.#last) this.#notify(change, number);
    this.#last = Math.max(this.#last, end);
  }
}

const notPublished = (cause: unknown): TenonError =>
  new TenonError(storeCodeOf(cause), 'A change could not be published to the servers that share the store.', { cause });
