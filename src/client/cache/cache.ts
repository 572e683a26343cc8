/** Lists and reads as a client keeps them: for as long as the server says, until there is news, each asked for once at a time. */
import { canonicalJson } from '../../protocol/canonical-json.ts';
import type { Done, Fields } from '../../protocol/neutral.ts';
import type { Ask } from '../calls.ts';
import { type Change, covers } from '../changes.ts';
import type { CallOptions } from '../client.ts';
import type { Opened } from '../opening.ts';
import { type CacheCounts, noneCounted } from './counts.ts';
import { createEntries, type Entries } from './entries.ts';
import { beginFlight, type Flight, isJoinable, joinFlight } from './flights.ts';
import type { CacheOptions } from './options.ts';
import { entriesOf } from './shared.ts';

export interface CachePorts {
  readonly ask: Ask;
  now(): number;
  /** Whether the client can still be used. */
  isUsable(): boolean;
  /** What the server is known by to other clients, too; without it nothing is shared. */
  readonly address: string | undefined;
  /** What the client says that it can do: a server may list other things for others. */
  capabilities(): object;
}

export interface Cache {
  readonly counts: Readonly<CacheCounts>;
  /** Gives what is kept, or fetches it. */
  ask(capability: string, method: string, params: Fields, options?: CallOptions): Promise<Fields>;
  /** What a change concerns is not fresh any more. */
  told(change: Change): void;
  /** There is a new connection: nothing is fresh any more. The first one leaves what other clients have fetched. */
  met(opened: Opened): void;
  /** News may have been missed: nothing is fresh any more. */
  doubt(): void;
  /** Drops all pages of a list; says whether there were any. */
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

/** Whether a change concerns what is kept under a name. */
function concerned(change: Change): (name: string) => boolean {
  if (change.kind !== 'resource') return (name) => listsOf[change.kind].some((list) => name.startsWith(`${list}\n`));
  const read = 'resources/read\n';
  return (name) => name.startsWith(read) && covers(name.slice(read.length), change.uri);
}

const everything = (): boolean => true;

/** Whether a call asks for nothing but what any other would get. */
const isPlain = (options: CallOptions): boolean =>
  Object.keys(options).every((key) => key === 'signal' || key === 'fresh');

export function createCache(options: CacheOptions | false, ports: CachePorts): Cache {
  const { ttlMs, shared, ...bounds } = options === false ? { maxEntries: 0 } : options;
  const own = createEntries(bounds);
  const flights = new Map<string, Flight>();
  const counts: CacheCounts = noneCounted();

  /** What the shared entries of this client hang on. */
  let shelf: string | undefined;
  const everybodys = (): Entries | undefined =>
    shared === undefined || shelf === undefined ? undefined : entriesOf(shared, shelf);

  function outdate(matches: (name: string) => boolean): void {
    own.outdate(matches);
    for (const [name, flight] of flights) if (matches(name)) flight.outdated = true;
  }

  function kept(name: string, { result, cache }: Done): Fields {
    const hint = cache ?? { ttlMs: ttlMs ?? 0, scope: 'private' };
    if (hint.ttlMs <= 0) {
      own.drop((one) => one === name);
      return result;
    }
    const { value, equal } = own.keep(name, result, hint, ports.now());
    if (equal) counts.unchanged++;
    if (hint.scope === 'public') everybodys()?.keep(name, value, hint, ports.now());
    return value;
  }

  async function send(
    flight: Flight,
    name: string,
    [capability, method, params]: [string, string, Fields],
    given: CallOptions,
  ): Promise<Fields> {
    const sent: CallOptions['sent'] = (id) => {
      flight.outdated = false;
      given.sent?.(id);
    };
    const signal = flight.isOpen ? flight.givenUp.signal : given.signal;
    try {
      const done = await ports.ask(capability, method, params, { ...given, ...(signal && { signal }), sent });
      return flight.outdated || flights.get(name) !== flight ? done.result : kept(name, done);
    } finally {
      if (flights.get(name) === flight) flights.delete(name);
    }
  }

  return {
    counts,
    async ask(capability, method, params, given = {}) {
      // What goes along in `_meta` may change what comes back.
      if (options === false || given.meta !== undefined || given.signal?.aborted || !ports.isUsable())
        return (await ports.ask(capability, method, params, given)).result;
      const name = nameOf(method, params);
      const found = given.fresh ? undefined : (own.fresh(name, ports.now()) ?? everybodys()?.fresh(name, ports.now()));
      if (found !== undefined) {
        counts.hits++;
        return found;
      }
      const before = given.fresh ? undefined : flights.get(name);
      if (isPlain(given) && isJoinable(before)) {
        counts.joined++;
        return joinFlight(before, method, given.signal);
      }
      counts.misses++;
      const flight = beginFlight(isPlain(given), (one) => send(one, name, [capability, method, params], given));
      flights.set(name, flight);
      return flight.isOpen ? joinFlight(flight, method, given.signal) : flight.answer;
    },
    told(change) {
      const matches = concerned(change);
      outdate(matches);
      everybodys()?.outdate(matches);
    },
    met({ conversation }) {
      outdate(everything);
      if (shelf !== undefined) everybodys()?.outdate(everything);
      const { address, capabilities } = ports;
      if (address !== undefined) shelf = canonicalJson([address, conversation.revision.id, capabilities()]);
    },
    doubt() {
      outdate(everything);
      everybodys()?.outdate(everything);
    },
    dropList(method) {
      const matches = (name: string): boolean => name.startsWith(`${method}\n`);
      const there = own.drop(matches) + (everybodys()?.drop(matches) ?? 0);
      return there > 0;
    },
    clear() {
      own.drop(everything);
      outdate(everything);
    },
  };
}
