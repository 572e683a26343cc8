/** A host for each user of a program: nothing is shared between two of them. */
import type { Host } from '../host/api.ts';
import { TenonError } from '../lib/errors/tenon-error.ts';
import { wrong } from '../lib/options/option-rules.ts';
import { readOptions } from '../lib/options/read-options.ts';
import { createDeadlines, type Deadline } from '../lib/time/deadlines.ts';
import { deadlinesIn } from '../lib/time/internal-deadlines.ts';
import { createPrincipal, type PrincipalDetails } from '../ports/principal.ts';
import { hostPoolOptions } from './options.table.ts';
import type { HostPoolOptions } from './options.ts';

/** A user: a name, or `{ issuer, subject, … }` as `principal` of `createHost` takes it. */
export type HostUser = string | PrincipalDetails;

/** The hosts of the users of a program. */
export interface HostPool extends AsyncDisposable {
  /** Runs a function with the host of a user, which is made on first use and stays open while the function runs. */
  use<T>(user: HostUser, run: (host: Host) => Promise<T>): Promise<T>;
  /** Closes the host of a user, such as one who signs out. Its running calls may finish for 5 seconds. */
  remove(user: HostUser): Promise<void>;
  /** Closes all hosts. */
  close(): Promise<void>;
}

interface Entry {
  readonly host: Host;
  uses: number;
  /** Set while it is not used. */
  idle: Deadline | undefined;
}

/**
 * Makes one host for each user, and closes those that are not used. Processes, credentials, consent and lists belong to a
 * host, so two users share none.
 *
 * @example
 * ```ts
 * const pool = createHostPool((user) => createHost({ servers, principal: user, auth: (server) => credentialsOf(user, server) }));
 * const text = await pool.use(user, (host) => answer(host, question));
 * ```
 */
export function createHostPool(makeHost: (user: HostUser) => Host, options: HostPoolOptions = {}): HostPool {
  if (typeof makeHost !== 'function')
    throw wrong('createHostPool()', 'makeHost', 'be a function that returns the host of a user');
  const { maxHosts, idleMs } = readOptions('createHostPool()', hostPoolOptions, options);
  const deadlines = deadlinesIn(options) ?? createDeadlines();
  /** The one used longest ago comes first. */
  const entries = new Map<string, Entry>();
  const closing = new Set<Promise<void>>();
  let isClosed = false;

  function drop(key: string): Promise<void> {
    const entry = entries.get(key);
    if (entry === undefined) return Promise.resolve();
    entries.delete(key);
    if (entry.idle !== undefined) deadlines.cancel(entry.idle);
    const closed = entry.host.close().finally(() => closing.delete(closed));
    closing.add(closed);
    return closed;
  }

  function take(user: HostUser): Entry {
    const { key } = createPrincipal(user);
    const entry = entries.get(key) ?? make(user);
    if (entry.idle !== undefined) deadlines.cancel(entry.idle);
    entry.idle = undefined;
    entry.uses++;
    entries.delete(key);
    entries.set(key, entry);
    return entry;
  }

  function make(user: HostUser): Entry {
    const unused = [...entries].find(([, { uses }]) => uses === 0)?.[0];
    if (entries.size >= maxHosts) {
      if (unused === undefined) throw tooMany(maxHosts);
      drop(unused).catch(() => {});
    }
    const host = makeHost(user);
    if ([...entries.values()].some((one) => one.host === host)) throw shared();
    return { host, uses: 0, idle: undefined };
  }

  function release(user: HostUser, entry: Entry): void {
    const { key } = createPrincipal(user);
    entry.uses--;
    if (entry.uses > 0 || entries.get(key) !== entry) return;
    entry.idle = deadlines.add(idleMs, () => void drop(key).catch(() => {}), false);
  }

  const close = async (): Promise<void> => {
    isClosed = true;
    for (const key of entries.keys()) drop(key).catch(() => {});
    await Promise.allSettled(closing);
    if (deadlinesIn(options) === undefined) deadlines.end();
  };

  return {
    async use(user, run) {
      if (isClosed) throw new TenonError('connection-closed', 'The host pool is closed.');
      const entry = take(user);
      try {
        return await run(entry.host);
      } finally {
        release(user, entry);
      }
    },
    remove: async (user) => drop(createPrincipal(user).key),
    close,
    [Symbol.asyncDispose]: close,
  };
}

const tooMany = (maxHosts: number): TenonError =>
  new TenonError('too-many-hosts', `All ${maxHosts} hosts of the pool are in use.`, {
    hint: 'Raise "maxHosts", or try again when a user is done.',
  });

/** What one user consented to, or signed in to, must not hold for another. */
const shared = (): TenonError =>
  new TenonError('invalid-argument', 'createHostPool(): The same host was returned for two users.', {
    hint: 'Call createHost() for each user.',
  });
