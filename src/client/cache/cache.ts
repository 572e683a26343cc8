/** The cache of lists and reads: as long as the server allows, until a change is notified. Equal requests are sent once. */

import { type Filled, withDefaults } from '../../lib/options/read-options.ts';
import { canonicalJson } from '../../lib/text/canonical-json.ts';
import type { Fields } from '../../lib/values/is.ts';
import type { Done, Notification } from '../../protocol/neutral.ts';
import { cacheOptions } from '../api/cache-options.table.ts';
import type { CacheOptions } from '../api/cache-options.ts';
import { type CacheStats, noneCounted } from '../api/cache-options.ts';
import { type Change } from '../api/changes.ts';
import type { CallOptions } from '../api/client.ts';
import { checkCall } from '../calls/call-options.ts';
import type { RequestSender } from '../calls/calls.ts';
import { changeOf, covers } from '../changes/changes.ts';
import type { OpenResult } from '../connection/negotiation/opening.ts';
import { Entries } from './entries.ts';
import { beginFlight, type Flight, isJoinable, joinFlight } from './flights.ts';
import { entriesOf } from './public-cache.ts';

export interface CachePorts {
  readonly calls: RequestSender;
  now(): number;
  /** Whether the client can still be used. */
  readonly isUsable: boolean;
  /** The name of the server for all clients; without it nothing is shared. */
  readonly address: string | undefined;
  /** The capabilities of the client: a server may list other things to other clients. */
  capabilities(): object;
}

export interface Cache {
  readonly counts: Readonly<CacheStats>;
  /** Returns the cached result, or fetches it. */
  request(method: string, params: Fields, options?: CallOptions): Promise<Fields>;
  /** Expires the entries that a change affects. */
  onNotification(notification: Notification): void;
  /** Expires all entries for a new connection. The first connection leaves entries of other clients. */
  onConnected(opened: OpenResult): void;
  /** Expires all entries: notifications may have been missed. */
  expireAll(): void;
  /** Drops all pages of a list; returns whether there were any. */
  dropList(method: string): boolean;
  clear(): void;
}

/** A method and the one parameter that its result depends on. */
const nameOf = (method: string, { uri, cursor }: Fields): string => `${method}\n${String(uri ?? cursor ?? '')}`;

const listsOf: Readonly<Record<'tools' | 'resources' | 'prompts', readonly string[]>> = {
  tools: ['tools/list'],
  resources: ['resources/list', 'resources/templates/list'],
  prompts: ['prompts/list'],
};

/** Which cached names a change affects. */
function affectedBy(change: Change): (name: string) => boolean {
  // Tasks are not cached.
  if (change.type === 'task') return () => false;
  if (change.type !== 'resource') return (name) => listsOf[change.type].some((list) => name.startsWith(`${list}\n`));
  const read = 'resources/read\n';
  return (name) => name.startsWith(read) && covers(name.slice(read.length), change.uri);
}

const everything = (): boolean => true;

/** Whether any other caller would get the same result. */
const isPlain = (options: CallOptions): boolean =>
  Object.keys(options).every((key) => key === 'signal' || key === 'cache');

type CacheSettings = Filled<CacheOptions, typeof cacheOptions>;

/** A class: it lives as long as the client. */
class ResultCache implements Cache {
  readonly counts: CacheStats = noneCounted();
  readonly #own: Entries;
  readonly #flights = new Map<string, Flight>();
  readonly #options: CacheSettings;
  readonly #ports: CachePorts;
  /** The partition of shared entries, once it is known. */
  #partition: string | undefined;

  constructor(options: CacheSettings, ports: CachePorts) {
    this.#options = options;
    this.#ports = ports;
    this.#own = new Entries(options);
  }

  async request(method: string, params: Fields, options: CallOptions = {}): Promise<Fields> {
    const { calls, isUsable } = this.#ports;
    // Checked here, since a cached result is returned without a call.
    checkCall(method, params, options);
    // `_meta` of the caller may change the result.
    if (options.meta !== undefined || options.signal?.aborted || !isUsable)
      return (await calls.request(method, params, options)).result;
    const name = nameOf(method, params);
    const found = options.cache === 'reload' ? undefined : this.#cached(name);
    if (found !== undefined) {
      this.counts.hits++;
      return found;
    }
    const before = options.cache === 'reload' ? undefined : this.#flights.get(name);
    if (isPlain(options) && isJoinable(before)) {
      this.counts.joined++;
      return joinFlight(before, method, params, options.signal);
    }
    this.counts.misses++;
    const send = (own: CallOptions, onSent: () => void): Promise<Done> => calls.request(method, params, own, onSent);
    const flight = beginFlight<Fields>(isPlain(options), (one) => this.#send(one, name, send, options));
    this.#flights.set(name, flight);
    return flight.isOpen ? joinFlight(flight, method, params, options.signal) : flight.answer;
  }

  onNotification({ method, params }: Notification): void {
    const change = changeOf(method, params);
    if (change !== undefined) this.#expire(affectedBy(change));
  }

  onConnected({ conversation }: OpenResult): void {
    // The first connection leaves entries of other clients: its partition is not known yet.
    this.expireAll();
    const { address } = this.#ports;
    if (address === undefined || this.#options.shared === undefined) return;
    this.#partition = canonicalJson([address, conversation.revision.id, this.#ports.capabilities()]);
  }

  expireAll(): void {
    this.#expire(everything);
  }

  dropList(method: string): boolean {
    const matches = (name: string): boolean => name.startsWith(`${method}\n`);
    const dropped = this.#own.drop(matches) + (this.#shared()?.drop(matches) ?? 0);
    return dropped > 0;
  }

  clear(): void {
    this.#expire(everything);
    this.#own.drop(everything);
  }

  #cached(name: string): Fields | undefined {
    const now = this.#ports.now();
    return this.#own.fresh(name, now) ?? this.#shared()?.fresh(name, now);
  }

  async #send(
    flight: Flight,
    name: string,
    send: (options: CallOptions, onSent: () => void) => Promise<Done>,
    options: CallOptions,
  ): Promise<Fields> {
    const onSent = (): void => {
      flight.isOutdated = false;
    };
    const signal = flight.isOpen ? flight.abandoned.signal : options.signal;
    try {
      const done = await send({ ...options, ...(signal && { signal }) }, onSent);
      // A later request, or a change in the meantime, makes this result outdated.
      return flight.isOutdated || this.#flights.get(name) !== flight ? done.result : this.#store(name, done);
    } finally {
      if (this.#flights.get(name) === flight) this.#flights.delete(name);
    }
  }

  #store(name: string, { result, cache }: Done): Fields {
    const hint = cache ?? { ttlMs: this.#options.ttlMs ?? 0, scope: 'private' };
    if (hint.ttlMs <= 0) {
      this.#own.drop((one) => one === name);
      return result;
    }
    const now = this.#ports.now();
    const { value, equal } = this.#own.store(name, result, hint, now);
    if (equal) this.counts.unchanged++;
    if (hint.scope === 'public') this.#shared()?.store(name, value, hint, now);
    return value;
  }

  #expire(matches: (name: string) => boolean): void {
    this.#own.expire(matches);
    this.#shared()?.expire(matches);
    for (const [name, flight] of this.#flights) if (matches(name)) flight.isOutdated = true;
  }

  #shared(): Entries | undefined {
    const { shared } = this.#options;
    return shared === undefined || this.#partition === undefined ? undefined : entriesOf(shared, this.#partition);
  }
}

export const createCache = (options: CacheOptions | false, ports: CachePorts): Cache =>
  options === false ? uncached(ports) : new ResultCache(withDefaults(cacheOptions, options), ports);

const uncached = ({ calls }: CachePorts): Cache => ({
  counts: noneCounted(),
  request: async (method, params, options) => (await calls.request(method, params, options)).result,
  onNotification() {},
  onConnected() {},
  expireAll() {},
  dropList: () => false,
  clear() {},
});
