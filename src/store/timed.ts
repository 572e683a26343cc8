/** A store whose operations have a time limit: one that never answers fails by name, and nothing waits for it. */

import { TenonError } from '../lib/errors/tenon-error.ts';
import type { Deadlines } from '../lib/time/deadlines.ts';
import { isPromiseLike } from '../lib/values/is.ts';
import { runSafely } from '../lib/values/run-safely.ts';
import type { Store } from './store.ts';

/** The store, and how to wait for what it still does. */
export interface TimedStore {
  readonly store: Store;
  /** Resolves when no operation is pending, at the latest after the time limit of one. */
  idle(): Promise<void>;
}

/** Parts whose users have time limits of their own: a guard for limits, a caller with its signal for locks. */
const boundByUsers: ReadonlySet<string> = new Set(['limits', 'credentials']);

type Part = Readonly<Record<string, (...given: readonly unknown[]) => unknown>>;

/** Bounds every operation of a store. What is answered at once costs no promise. */
export function timed(store: Store, timeoutMs: number, deadlines: Deadlines): TimedStore {
  let pending = 0;
  const waiting: (() => void)[] = [];

  function finished(): void {
    if (--pending === 0) for (const look of waiting.splice(0)) look();
  }

  function inTime(name: string, answer: PromiseLike<unknown>): Promise<unknown> {
    pending++;
    return new Promise((resolve, reject) => {
      let isLate = false;
      const deadline = deadlines.add(timeoutMs, () => {
        isLate = true;
        finished();
        reject(late(name, timeoutMs));
      });
      const settle = (value: unknown): void => {
        // A subscription that comes late has no user.
        if (isLate) return typeof value === 'function' ? runSafely(value as () => void) : undefined;
        deadlines.cancel(deadline);
        finished();
      };
      answer.then(settle, settle);
      answer.then(resolve, reject);
    });
  }

  function idle(): Promise<void> {
    return new Promise((resolve) => {
      // Other users may keep the store busy.
      const deadline = deadlines.add(timeoutMs, resolve);
      const finish = (): void => {
        deadlines.cancel(deadline);
        resolve();
      };
      // What the last answer leads to begins after it: so a moment later.
      const look = (): void =>
        void deadlines.add(1, () => {
          if (pending === 0) finish();
          else waiting.push(look);
        });
      look();
    });
  }

  const boundedPart = (name: string, part: object): object =>
    mirrored(part, (key, value) => {
      if (typeof value !== 'function') return value;
      const operation = `${name}.${key}()`;
      return (...given: readonly unknown[]): unknown => {
        const answer = (part as Part)[key]?.(...given);
        return isPromiseLike(answer) ? inTime(operation, answer) : answer;
      };
    });

  return {
    store: mirrored(store, (key, value) => {
      if (typeof value === 'function') return value.bind(store);
      return boundByUsers.has(key) ? value : boundedPart(key, value);
    }),
    idle,
  };
}

/** An object with the same properties, inherited ones included. Functions and objects are changed once; other values are read each time, since they may change. */
function mirrored<T extends object>(source: T, change: (key: string, value: object) => unknown): T {
  const mirror = {};
  for (const [key, isAccessor] of propertiesOf(source)) {
    const read = (): unknown => Reflect.get(source, key);
    const property = isAccessor ? changedWhenRead(key, read, change) : changedNow(key, read, change);
    Object.defineProperty(mirror, key, { ...property, enumerable: true });
  }
  return mirror as T;
}

function changedNow(key: string, read: () => unknown, change: (key: string, value: object) => unknown) {
  const value = read();
  return isFixed(value) ? { value: change(key, value) } : { get: read };
}

/** An accessor is not read before it is needed: that of an epoch makes a random value, which workerd does not allow at module scope. */
function changedWhenRead(key: string, read: () => unknown, change: (key: string, value: object) => unknown) {
  let before: unknown;
  let changed: unknown;
  const get = (): unknown => {
    const value = read();
    if (!isFixed(value)) return value;
    if (value !== before) changed = change(key, value);
    before = value;
    return changed;
  };
  return { get };
}

const isFixed = (value: unknown): value is object =>
  typeof value === 'function' || (typeof value === 'object' && value !== null);

/** The names of all properties, and whether each is an accessor. */
function propertiesOf(source: object): ReadonlyMap<string, boolean> {
  const properties = new Map<string, boolean>();
  for (let at: object | null = source; at !== null && at !== Object.prototype; at = Object.getPrototypeOf(at))
    for (const [key, { get }] of Object.entries(Object.getOwnPropertyDescriptors(at)))
      if (key !== 'constructor' && !properties.has(key)) properties.set(key, get !== undefined);
  return properties;
}

const late = (name: string, timeoutMs: number): TenonError =>
  new TenonError('store-timeout', `The store did not answer ${name} in ${timeoutMs} ms.`, {
    hint: 'The operation may have been carried out. Check the store and the network, or raise timeouts.storeMs.',
    details: { operation: name, limit: 'timeouts.storeMs' },
  });
