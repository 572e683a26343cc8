/** Checks that what was passed as `store` has every operation that the server uses. */

import { has, type Rule, wrong } from '../../lib/options/option-rules.ts';
import { isRecord } from '../../lib/values/is.ts';
import type { EventStore } from '../../store/event-store.ts';
import type { MessageBus } from '../../store/message-bus.ts';
import type { OnceStore } from '../../store/once-store.ts';
import type { SessionStore } from '../../store/session-store.ts';

export const storeRule: Rule = { holds: isRecord, must: 'be a store, such as createMemoryStore() of tenon/store' };

/** The methods of a store, part by part. */
const storeMethods: {
  readonly sessions: Record<Exclude<keyof SessionStore, 'epoch'>, true>;
  readonly events: Record<keyof EventStore, true>;
  readonly bus: Record<keyof MessageBus, true>;
  readonly once: Record<keyof OnceStore, true>;
} = {
  sessions: { create: true, read: true, update: true, delete: true, deleteExpired: true },
  events: { append: true, readAfter: true, end: true, deleteSession: true },
  bus: { publish: true, subscribe: true },
  once: { burn: true, begin: true, end: true, release: true, renew: true },
};

/** The methods that a store lacks, by their names. */
const lackingIn = (store: Readonly<Record<string, unknown>>): string[] =>
  Object.entries(storeMethods).flatMap(([part, methods]) =>
    Object.keys(part === 'once' && store[part] === undefined ? {} : methods)
      .filter((method) => !has(store[part], method))
      .map((method) => `${part}.${method}()`),
  );

/** Throws `invalid-argument` with the names of the operations that are missing. `of` is the function that got the option. */
export function checkStore(of: string, store: object | string | undefined): void {
  const lacking = !isRecord(store) ? [] : lackingIn(store);
  if (lacking.length > 0)
    throw wrong(of, 'store', `have ${lacking.join(', ')}, as createMemoryStore() of tenon/store has`);
}
